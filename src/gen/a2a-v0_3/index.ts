// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { Api } from '../api.ts';
import { fields } from './fields.ts';
import { guards } from './guards.ts';
import { operations } from './operations.ts';

export type * from './operations.ts';
export type * from './types.ts';

/** Generated code of `a2a.v1.A2AService`. */
export const api: Api = {
  package: 'a2a.v1',
  service: 'a2a.v1.A2AService',
  operations,
  fields,
  guards,
};
