import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { ReportProblem } from './context.ts';
import { isInRange, newest, type PackageRanges, packagesOf } from './package-versions.ts';

/** A feature of the gateway that needs packages which are not installed with it. */
export type OptionalFeature = keyof typeof packagesOf;

const sets: readonly PackageRanges[] = Object.values(packagesOf).flat();

/** Packages that users install for the features that need them, without duplicates. */
export const optionalPackages: readonly string[] = [...new Set(sets.flatMap((ranges) => Object.keys(ranges)))];

const manifest = new URL('../../package.json', import.meta.url);

/**
 * Returns a message about packages of a feature that are missing, or installed in an unsupported version, and how to
 * install them. Undefined if none are.
 */
export function missingPackages(feature: OptionalFeature): string | undefined {
  const alternatives: readonly PackageRanges[] = packagesOf[feature].toReversed();
  const installed = new Map(Object.keys(alternatives[0] ?? {}).map((name) => [name, installedVersion(name)]));
  const fits = (name: string, range: string): boolean => isInRange(installed.get(name) ?? '', range);
  const isMissing = (name: string): boolean => installed.get(name) === undefined;
  // The installed packages decide which of several sets to complete.
  const ranges =
    alternatives.find((each) => Object.entries(each).every(([name, range]) => isMissing(name) || fits(name, range))) ??
    alternatives[0];
  const lacking = Object.entries(ranges ?? {}).filter(([name, range]) => !fits(name, range));
  if (lacking.length === 0) return undefined;
  const missing = lacking.filter(([name]) => isMissing(name));
  const unfit = lacking.filter(([name]) => !isMissing(name));
  const needs = unfit.map(([name, range]) => `${name} ${range}, and ${installed.get(name)} is installed`);
  if (missing.length === 1) needs.push('a package that is not installed');
  if (missing.length > 1) needs.push('packages that are not installed');
  const wanted = lacking.map(([name, range]) => `${name}@${newest(range)}`);
  return `needs ${needs.join('; ')}; run: npm install ${wanted.join(' ')}`;
}

/** Returns the version of a package as the gateway's code would import it. Undefined if it is not installed. */
function installedVersion(name: string): string | undefined {
  try {
    const path = findPackageJSON(name, manifest);
    return path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** Reports sections of a configuration that need packages which are missing, or installed in an unsupported version. */
export function checkPackages(
  input: {
    readonly tracing?: object | undefined;
    readonly notifications?: string | undefined;
    readonly console?: boolean | { readonly signIn?: object | undefined } | undefined;
  },
  report: ReportProblem,
): void {
  const require = (feature: OptionalFeature, path: readonly string[]): void => {
    const missing = missingPackages(feature);
    if (missing !== undefined) report(path, missing);
  };
  if (input.tracing) require('tracing', ['tracing']);
  if (input.notifications !== undefined) require('nats', ['notifications']);
  if (typeof input.console === 'object' && input.console.signIn) require('signIn', ['console', 'signIn']);
}
