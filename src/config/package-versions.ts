/**
 * Version ranges by package name, in npm's syntax: `^1.2.3`, `>=1.2.0 <1.4.0`, or several joined by `||`, the newest
 * last.
 */
export type PackageRanges = Readonly<Record<string, string>>;

/** Returns one generation of OpenTelemetry's packages, which are released together for one version of the API. */
const openTelemetry = (api: string, stable: string, logs: string, otlp: string) => ({
  '@opentelemetry/api': api,
  '@opentelemetry/context-async-hooks': stable,
  '@opentelemetry/otlp-exporter-base': otlp,
  '@opentelemetry/otlp-transformer': otlp,
  '@opentelemetry/resources': stable,
  '@opentelemetry/sdk-logs': logs,
  '@opentelemetry/sdk-metrics': stable,
  '@opentelemetry/sdk-trace': stable,
});

const n3 = '^1.17.0 || ^2.0.0';

/**
 * The packages that users install for each feature, with the versions that it supports. A feature with several sets
 * supports each set as a whole; the newest is last. The tests cover the locked versions, and `npm run test:ecosystem`
 * the oldest and the newest ones.
 */
export const packagesOf = {
  tracing: [
    openTelemetry('>=1.9.0 <1.10.0', '^2.10.0', '>=0.221.0 <0.224.0', '>=0.221.0 <0.224.0'),
    openTelemetry('>=1.10.0 <1.11.0', '^3.1.1', '^3.1.1', '^0.301.1'),
  ],
  /** For spans of an SDK that the program registers itself. */
  spans: [{ '@opentelemetry/api': '^1.9.0' }],
  knowledge: [{ graphql: '^16.9.0 || ^17.1.0', n3 }],
  rdf: [{ n3 }],
  shapes: [{ 'rdf-validate-shacl': '^0.6.5' }],
  signIn: [{ 'openid-client': '^6.1.1' }],
  nats: [{ '@nats-io/transport-node': '^3.4.0' }],
  cel: [{ '@bufbuild/cel': '^0.6.1' }],
} as const satisfies Readonly<Record<string, readonly PackageRanges[]>>;

type Version = readonly [major: number, minor: number, patch: number];

const versionOf = (text: string): Version => {
  const [major = 0, minor = 0, patch = 0] = (text.split(/[-+]/, 1)[0] as string).split('.').map(Number);
  return [major, minor, patch];
};

/** Compares versions: the result is below zero if `a` is lower. A prerelease is lower than its release. */
function compare(a: string, b: string): number {
  const left = versionOf(a);
  const right = versionOf(b);
  const at = left.findIndex((number, index) => number !== right[index]);
  if (at >= 0) return (left[at] ?? 0) - (right[at] ?? 0);
  const isPrerelease = (text: string): number => (/^[\d.]+-/.test(text) ? 1 : 0);
  return isPrerelease(b) - isPrerelease(a);
}

/** Returns the lowest version in a range without `||`, and the lowest version above the range. */
function boundsOf(range: string): readonly [from: string, below: string] {
  const [, least, below] = /^>=(\S+) <(\S+)$/.exec(range) ?? [];
  if (least !== undefined && below !== undefined) return [least, below];
  const from = range.replace('^', '');
  const [major, minor, patch] = versionOf(from);
  if (major > 0) return [from, `${major + 1}.0.0`];
  return [from, minor > 0 ? `0.${minor + 1}.0` : `0.0.${patch + 1}`];
}

/** Whether a version is in a range, according to npm's rules. */
export const isInRange = (version: string, range: string): boolean =>
  /^\d+\.\d+\.\d+/.test(version) &&
  range.split(' || ').some((part) => {
    const [from, below] = boundsOf(part);
    return compare(version, from) >= 0 && compare(version.split('-', 1)[0] as string, below) < 0;
  });

/**
 * Returns the newest versions of a range in a form for `npm install NAME@…` that needs no quotes in any shell, such as
 * `17` or `0.6`.
 */
export function newest(range: string): string {
  const part = range.split(' || ').at(-1) ?? '';
  const [from, below] = boundsOf(part).map(versionOf);
  if (!part.startsWith('^') && below) return `${below[0]}.${below[1] - 1}`;
  return from && from[0] > 0 ? `${from[0]}` : `0.${from?.[1]}`;
}
