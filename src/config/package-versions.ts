/**
 * The versions of optional packages that the gateway works with. Each range is tried: the lowest and the highest version of it
 * by `npm run test:ecosystem`, the locked one by all other tests. Ranges are written with `^` and `||`, the newest last.
 */
export const packageRanges = {
  '@opentelemetry/api': '^1.9.0',
  '@opentelemetry/context-async-hooks': '^3.1.1',
  '@opentelemetry/otlp-exporter-base': '^0.301.1',
  '@opentelemetry/otlp-transformer': '^0.301.1',
  '@opentelemetry/resources': '^3.1.1',
  '@opentelemetry/sdk-logs': '^3.1.1',
  '@opentelemetry/sdk-metrics': '^3.1.1',
  '@opentelemetry/sdk-trace': '^3.1.1',
  graphql: '^17.1.0',
  n3: '^2.13.12',
  'rdf-validate-shacl': '^0.6.5',
  'openid-client': '^6.9.0',
  '@nats-io/transport-node': '^3.4.0',
  '@bufbuild/cel': '^0.6.1',
} as const;

/** A package that users install for a feature. */
export type OptionalPackage = keyof typeof packageRanges;

type Version = readonly [major: number, minor: number, patch: number];

const versionOf = (text: string): Version => {
  const [major = 0, minor = 0, patch = 0] = text
    .replace(/[-+].*$/, '')
    .split('.')
    .map(Number);
  return [major, minor, patch];
};

/** Below zero where `a` is the lower version. A prerelease is lower than its release. */
function compare(a: string, b: string): number {
  const [left, right] = [versionOf(a), versionOf(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  if (at >= 0) return (left[at] ?? 0) - (right[at] ?? 0);
  const isPrerelease = (text: string): number => (/^[\d.]+-/.test(text) ? 1 : 0);
  return isPrerelease(b) - isPrerelease(a);
}

/** Whether a version is in a range such as `^1.2.3` or `^1.26.0 || ^2.13.0`, as npm reads it. */
export const isInRange = (version: string, range: string): boolean =>
  range.split(' || ').some((part) => {
    const lowest = part.slice(1);
    const [from, is] = [versionOf(lowest), versionOf(version)];
    // The first number that is not zero must be equal.
    const fixed =
      Math.max(
        0,
        from.findIndex((number) => number > 0),
      ) + 1;
    return compare(version, lowest) >= 0 && from.slice(0, fixed).every((number, index) => number === is[index]);
  });

/** The newest versions of a range as `npm install NAME@…` takes them without quotes in every shell, such as `17` or `0.6`. */
export function newest(range: string): string {
  const [major, minor] = versionOf(range.split(' || ').at(-1)?.slice(1) ?? '');
  return major > 0 ? `${major}` : `0.${minor}`;
}
