import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { ReportProblem } from './context.ts';

/** Packages that users install for the features that need them: they are optional peer dependencies. */
const optional = {
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
} as const;

export const optionalPackages: readonly string[] = [...new Set(Object.values(optional).flat())];

/** A part of the gateway that needs packages which are not installed with it. */
export type OptionalFeature = keyof typeof optional;

const manifest = new URL('../../package.json', import.meta.url);

/** Says which packages of a feature are missing, and how to install them. Undefined: they are installed. */
export function missingPackages(feature: OptionalFeature): string | undefined {
  const missing = optional[feature].filter((name) => !isInstalled(name));
  if (missing.length === 0) return undefined;
  const { peerDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  const wanted = missing.map((name) => `${name}@${peerDependencies[name].replace('^', '')}`);
  const what = missing.length === 1 ? 'a package that is' : 'packages that are';
  return `needs ${what} not installed; run: npm install ${wanted.join(' ')}`;
}

/** Whether the gateway's code can import the package. */
function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, manifest) !== undefined;
  } catch {
    return false;
  }
}

/** Reports the sections of a configuration that need packages which are not installed. */
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
