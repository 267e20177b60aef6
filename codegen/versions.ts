/**
 * A minor version of A2A 1.x. Its proto is `proto/{name}/lf/a2a/v1/a2a.proto`, its JSON Schema bundle
 * `codegen/schemas/{name}.json`. Code is generated for the newest, and from it the program knows the others.
 */
export interface Version {
  /** Name of its dialect. */
  readonly name: string;
  /** Its value of `A2A-Version`, and of `protocolVersion` in cards. */
  readonly version: string;
  /** Absent once it is published. Until then it is served where the configuration names it: what it is taken from, and when. */
  readonly preview?: { readonly source: string; readonly date: string };
}

/**
 * All versions that are served, newest first. The first is the form of everything in memory and in stores; the others are
 * dialects of it. All have the same proto package, so the folder of each is an import root of its own.
 */
export const versions: readonly [Version, ...Version[]] = [
  {
    name: 'a2a-1.1',
    version: '1.1',
    preview: { source: 'branch dev-1.1 of the A2A project', date: '2026-08-12' },
  },
  { name: 'a2a-1.0', version: '1.0' },
];

/** The proto of a version below its import root. */
export const versionProto = 'lf/a2a/v1/a2a.proto';

/** Its package. */
export const versionPackage = 'lf.a2a.v1';
