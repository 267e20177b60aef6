import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { ReportProblem } from './context.ts';
import { isInRange, newest, type OptionalPackage, packageRanges } from './package-versions.ts';

/** Packages that users install for the features that need them. */
const features = {
  tracing: [
    '@opentelemetry/api',
    '@opentelemetry/context-async-hooks',
    '@opentelemetry/otlp-exporter-base',
    '@opentelemetry/otlp-transformer',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-logs',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/sdk-trace',
  ],
  /** For spans of an SDK that the program has registered itself. */
  spans: ['@opentelemetry/api'],
  knowledge: ['graphql', 'n3'],
  rdf: ['n3'],
  shapes: ['rdf-validate-shacl'],
  signIn: ['openid-client'],
  nats: ['@nats-io/transport-node'],
  policies: ['@bufbuild/cel'],
} as const satisfies Readonly<Record<string, readonly OptionalPackage[]>>;

export const optionalPackages: readonly OptionalPackage[] = [...new Set(Object.values(features).flat())];

/** A part of the gateway that needs packages which are not installed with it. */
export type OptionalFeature = keyof typeof features;

const manifest = new URL('../../package.json', import.meta.url);

/**
 * Says which packages of a feature are missing or of a version that the feature does not work with, and how to install them.
 * Undefined: all are there.
 */
export function missingPackages(feature: OptionalFeature): string | undefined {
  const names: readonly OptionalPackage[] = features[feature];
  const installed = names.map((name) => ({ name, range: packageRanges[name], version: installedVersion(name) }));
  const missing = installed.filter(({ version }) => version === undefined);
  const unfit = installed.flatMap(({ name, range, version }) =>
    version === undefined || isInRange(version, range) ? [] : [{ name, range, version }],
  );
  if (missing.length === 0 && unfit.length === 0) return undefined;
  const needs = unfit.map(({ name, range, version }) => `${name} ${range}, and ${version} is installed`);
  if (missing.length === 1) needs.push('a package that is not installed');
  if (missing.length > 1) needs.push('packages that are not installed');
  const wanted = [...missing, ...unfit].map(({ name, range }) => `${name}@${newest(range)}`);
  return `needs ${needs.join('; ')}; run: npm install ${wanted.join(' ')}`;
}

/** The version of a package that the gateway's code imports. */
function installedVersion(name: string): string | undefined {
  try {
    const path = findPackageJSON(name, manifest);
    return path === undefined ? undefined : JSON.parse(readFileSync(path, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** Reports the sections of a configuration that need packages which are missing or do not fit. */
export function checkPackages(
  input: {
    readonly tracing?: object | undefined;
    readonly notifications?: string | undefined;
    readonly policies: readonly object[];
    readonly console?: boolean | { readonly signIn?: object | undefined } | undefined;
    readonly agents?:
      | Readonly<Record<string, { readonly knowledge: boolean | { readonly shapes?: string | undefined } }>>
      | undefined;
  },
  report: ReportProblem,
): void {
  const require = (feature: OptionalFeature, path: readonly string[]): void => {
    const missing = missingPackages(feature);
    if (missing !== undefined) report(path, missing);
  };
  if (input.tracing) require('tracing', ['tracing']);
  if (input.notifications !== undefined) require('nats', ['notifications']);
  if (input.policies.length > 0) require('policies', ['policies']);
  if (typeof input.console === 'object' && input.console.signIn) require('signIn', ['console', 'signIn']);
  for (const [name, { knowledge }] of Object.entries(input.agents ?? {})) {
    if (knowledge) require('knowledge', ['agents', name, 'knowledge']);
    if (typeof knowledge === 'object' && knowledge.shapes !== undefined)
      require('shapes', ['agents', name, 'knowledge', 'shapes']);
  }
}
