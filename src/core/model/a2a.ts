/**
 * The canonical form of everything in memory: A2A v1 as its ProtoJSON mapping writes it. This is the one place that
 * names the version, so that a later one is taken up here.
 */
export type * from '../../gen/a2a-v1/index.ts';
export { api } from '../../gen/a2a-v1/index.ts';
export { operations } from '../../gen/a2a-v1/operations.ts';
