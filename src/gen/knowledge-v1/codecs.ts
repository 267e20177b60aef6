// Generated from proto/a2agateway/knowledge/v1/knowledge.proto by `npm run generate`. Do not edit.

import type { Codec } from '../api.ts';
import { Empty } from '../proto/google/protobuf/empty.ts';
import * as codec from '../proto/a2agateway/knowledge/v1/knowledge.ts';

/** Protobuf codecs of `a2agateway.knowledge.v1` by full message name. */
export const codecs: Readonly<Record<string, Codec>> = {
  'google.protobuf.Empty': Empty,
  'a2agateway.knowledge.v1.KGSubject': codec.KGSubject,
  'a2agateway.knowledge.v1.KGPredicate': codec.KGPredicate,
  'a2agateway.knowledge.v1.KGObject': codec.KGObject,
  'a2agateway.knowledge.v1.KGStatement': codec.KGStatement,
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': codec.KnowledgeGraphPatch,
  'a2agateway.knowledge.v1.KnowledgeQueryParams': codec.KnowledgeQueryParams,
  'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': codec.KnowledgeQueryResponseResult,
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': codec.KnowledgeUpdateParams,
  'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': codec.KnowledgeUpdateResponseResult,
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': codec.KnowledgeSubscribeParams,
  'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': codec.KnowledgeGraphChangeEvent,
  'a2agateway.knowledge.v1.QueryErrors': codec.QueryErrors,
  'a2agateway.knowledge.v1.QueryErrors.Location': codec.QueryErrors_Location,
  'a2agateway.knowledge.v1.QueryErrors.QueryError': codec.QueryErrors_QueryError,
};

/** What the codecs code, by full message name. */
export interface CodecTypes {
  'a2agateway.knowledge.v1.KGSubject': codec.KGSubject;
  'a2agateway.knowledge.v1.KGPredicate': codec.KGPredicate;
  'a2agateway.knowledge.v1.KGObject': codec.KGObject;
  'a2agateway.knowledge.v1.KGStatement': codec.KGStatement;
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': codec.KnowledgeGraphPatch;
  'a2agateway.knowledge.v1.KnowledgeQueryParams': codec.KnowledgeQueryParams;
  'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': codec.KnowledgeQueryResponseResult;
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': codec.KnowledgeUpdateParams;
  'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': codec.KnowledgeUpdateResponseResult;
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': codec.KnowledgeSubscribeParams;
  'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': codec.KnowledgeGraphChangeEvent;
  'a2agateway.knowledge.v1.QueryErrors': codec.QueryErrors;
  'a2agateway.knowledge.v1.QueryErrors.Location': codec.QueryErrors_Location;
  'a2agateway.knowledge.v1.QueryErrors.QueryError': codec.QueryErrors_QueryError;
}
