// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto and proto/a2agateway/knowledge/v1/knowledge.proto and proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { OperationTypes as Types1 } from './a2a-1.1/operations.ts';
import type { OperationTypes as Types2 } from './knowledge-v1/operations.ts';
import type { OperationTypes as Types3 } from './admin-v1/operations.ts';

/**
 * Request and response types by operation of any service. For a streaming operation, `response` is the type of its
 * events.
 */
export interface OperationTypes extends Types1, Types2, Types3 {}

/** Name of an operation of any service. */
export type OperationName = keyof OperationTypes;

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
