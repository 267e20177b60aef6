// Generated from proto/a2agateway/knowledge/v1/knowledge.proto and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { Operation } from '../operations.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from './types.ts';

/** The operations of `a2agateway.knowledge.v1.KnowledgeService`, in the proto's order. */
export const operations = [
  {
    name: 'Query',
    service: 'a2agateway.knowledge.v1.KnowledgeService',
    rpc: 'Query',
    grpcPath: '/a2agateway.knowledge.v1.KnowledgeService/Query',
    request: 'a2agateway.knowledge.v1.KnowledgeQueryParams',
    response: 'a2agateway.knowledge.v1.KnowledgeQueryResponseResult',
    streaming: false,
    reads: true,
    http: [
      { verb: 'POST', path: '/knowledge:query', body: '*' },
      { verb: 'POST', path: '/{tenant}/knowledge:query', body: '*' },
    ],
  },
  {
    name: 'Update',
    service: 'a2agateway.knowledge.v1.KnowledgeService',
    rpc: 'Update',
    grpcPath: '/a2agateway.knowledge.v1.KnowledgeService/Update',
    request: 'a2agateway.knowledge.v1.KnowledgeUpdateParams',
    response: 'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult',
    streaming: false,
    http: [
      { verb: 'POST', path: '/knowledge:update', body: '*' },
      { verb: 'POST', path: '/{tenant}/knowledge:update', body: '*' },
    ],
  },
  {
    name: 'Subscribe',
    service: 'a2agateway.knowledge.v1.KnowledgeService',
    rpc: 'Subscribe',
    grpcPath: '/a2agateway.knowledge.v1.KnowledgeService/Subscribe',
    request: 'a2agateway.knowledge.v1.KnowledgeSubscribeParams',
    response: 'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent',
    streaming: true,
    reads: true,
    longLived: true,
    http: [
      { verb: 'POST', path: '/knowledge:subscribe', body: '*' },
      { verb: 'POST', path: '/{tenant}/knowledge:subscribe', body: '*' },
    ],
  },
] as const satisfies readonly Operation[];

/** Name of an operation. */
export type OperationName = (typeof operations)[number]['name'];

/** Request and response types by operation. For a streaming operation, `response` is the type of its events. */
export interface OperationTypes {
  Query: { request: KnowledgeQueryParams; response: KnowledgeQueryResponseResult; streaming: false };
  Update: { request: KnowledgeUpdateParams; response: KnowledgeUpdateResponseResult; streaming: false };
  Subscribe: { request: KnowledgeSubscribeParams; response: KnowledgeGraphChangeEvent; streaming: true };
}

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
