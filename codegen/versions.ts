/**
 * A minor version of A2A 1.x. Its proto is `proto/{name}/lf/a2a/v1/a2a.proto`, its JSON Schema bundle
 * `codegen/schemas/{name}.json`. Code is generated for the newest version, from which the program derives the others.
 */
export interface Version {
  /** Name of the dialect. */
  readonly name: string;
  /** Value of `A2A-Version`, and of `protocolVersion` in cards. */
  readonly version: string;
  /**
   * Source and date of an unpublished version, which is served only if the configuration names it. Absent once
   * published.
   */
  readonly preview?: { readonly source: string; readonly date: string };
}

/**
 * All versions that are served, newest first. Data in memory and in stores has the form of the first; the others are
 * its dialects. All have the same proto package, so the folder of each is a separate import root.
 */
export const versions: readonly [Version, ...Version[]] = [
  {
    name: 'a2a-1.1',
    version: '1.1',
    preview: { source: 'branch dev-1.1 of the A2A project', date: '2026-08-12' },
  },
  { name: 'a2a-1.0', version: '1.0' },
];

/** Path of a version's proto below its import root. */
export const versionProto = 'lf/a2a/v1/a2a.proto';

/** Proto package of all versions. */
export const versionPackage = 'lf.a2a.v1';
