/** The canonical form of everything in memory: the newest version of A2A 1.x in ProtoJSON. */
export type * from '../../gen/canonical.ts';
export { api, operations } from '../../gen/canonical.ts';
