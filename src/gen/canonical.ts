// Generated from codegen/versions.ts by `npm run generate`. Do not edit.

export type * from './a2a-1.1/index.ts';
export { api } from './a2a-1.1/index.ts';
export { isStreamResponse } from './a2a-1.1/guards.ts';
export { operations } from './a2a-1.1/operations.ts';
