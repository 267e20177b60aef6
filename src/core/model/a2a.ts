import { versions } from '../../gen/versions.ts';

/** The canonical form of everything in memory: the newest version of A2A 1.x in ProtoJSON. */
export type * from '../../gen/canonical.ts';
export { api, isStreamResponse, operations } from '../../gen/canonical.ts';

/** Names of the dialects that are versions of A2A 1.x. */
export const v1Dialects: ReadonlySet<string> = new Set(versions.map(({ name }) => name));
