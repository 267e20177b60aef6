// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { Api } from '../api.ts';
import { codecs } from './codecs.ts';
import { fields } from './fields.ts';
import { operations } from './operations.ts';
import { validators } from './validators.ts';

export type * from './operations.ts';
export type * from './types.ts';

/** Everything generated about `a2agateway.admin.v1.AdminService`. */
export const api: Api = {
  package: 'a2agateway.admin.v1',
  service: 'a2agateway.admin.v1.AdminService',
  operations,
  fields,
  codecs,
  validators,
};
