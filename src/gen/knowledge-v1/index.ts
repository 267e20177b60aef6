// Generated from proto/a2agateway/knowledge/v1/knowledge.proto by `npm run generate`. Do not edit.

import type { Api } from '../api.ts';
import { fields } from './fields.ts';
import { guards } from './guards.ts';
import { operations } from './operations.ts';

export type * from './operations.ts';
export type * from './types.ts';

/** Generated code of `a2agateway.knowledge.v1.KnowledgeService`. */
export const api: Api = {
  package: 'a2agateway.knowledge.v1',
  service: 'a2agateway.knowledge.v1.KnowledgeService',
  operations,
  fields,
  guards,
};
