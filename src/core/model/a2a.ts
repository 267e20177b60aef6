/** The canonical form of everything in memory: A2A v1 in ProtoJSON. Only this file names the version. */
export type * from '../../gen/a2a-v1/index.ts';
export { api } from '../../gen/a2a-v1/index.ts';
export { operations } from '../../gen/a2a-v1/operations.ts';
