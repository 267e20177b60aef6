// Generated from proto/a2agateway/knowledge/v1/knowledge.proto and codegen/schemas/knowledge.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';
import * as is from './guards.ts';


const KGSubject = c.once(() =>
  c.message({
    id: c.someText,
    type: c.optional(c.text),
  }),
);

const KGPredicate = c.once(() =>
  c.message({
    id: c.someText,
  }),
);

const KGObject = c.once(() =>
  c.message({
    id: c.optional(c.text),
    value: c.optional(c.value),
    type: c.optional(c.text),
  }),
);

const KGStatement = c.once(() =>
  c.message({
    subject: KGSubject(),
    predicate: KGPredicate(),
    object: KGObject(),
    graph: c.optional(c.text),
    certainty: c.optional(c.number),
    provenance: c.optional(c.struct),
  }),
);

const KnowledgeGraphPatch = c.once(() =>
  c.message({
    op: c.someText,
    statement: KGStatement(),
  }),
);

const KnowledgeQueryParams = c.once(() =>
  c.message({
    tenant: c.optional(c.text),
    query: c.someText,
    queryLanguage: c.optional(c.text),
    variables: c.optional(c.struct),
    taskId: c.optional(c.text),
    sessionId: c.optional(c.text),
    requiredCertainty: c.optional(c.number),
    maxAgeSeconds: c.optional(c.uint32),
    metadata: c.optional(c.struct),
  }),
);

const KnowledgeQueryResponseResult = c.once(() =>
  c.message({
    data: c.optional(c.value),
    queryMetadata: c.optional(c.struct),
  }),
);

const KnowledgeUpdateParams = c.once(() =>
  c.message({
    tenant: c.optional(c.text),
    mutations: c.someOf(KnowledgeGraphPatch(), is.isKnowledgeGraphPatch),
    taskId: c.optional(c.text),
    sessionId: c.optional(c.text),
    sourceAgentId: c.optional(c.text),
    justification: c.optional(c.text),
    metadata: c.optional(c.struct),
  }),
);

const KnowledgeUpdateResponseResult = c.once(() =>
  c.message({
    success: c.bool,
    statementsAffected: c.optional(c.uint32),
    affectedIds: c.optional(c.list(c.text, c.isString)),
    verificationStatus: c.optional(c.text),
    verificationDetails: c.optional(c.text),
  }),
);

const KnowledgeSubscribeParams = c.once(() =>
  c.message({
    tenant: c.optional(c.text),
    subscriptionQuery: c.someText,
    queryLanguage: c.optional(c.text),
    variables: c.optional(c.struct),
    taskId: c.optional(c.text),
    sessionId: c.optional(c.text),
    metadata: c.optional(c.struct),
  }),
);

const KnowledgeGraphChangeEvent = c.once(() =>
  c.message({
    op: c.someText,
    statement: KGStatement(),
    changeId: c.someText,
    timestamp: c.timestamp,
    changeMetadata: c.optional(c.struct),
  }),
);

const QueryErrors = c.once(() =>
  c.message({
    errors: c.someOf(QueryErrors_QueryError(), is.isQueryErrors_QueryError),
  }),
);

const QueryErrors_Location = c.once(() =>
  c.message({
    line: c.uint32,
    column: c.uint32,
  }),
);

const QueryErrors_QueryError = c.once(() =>
  c.message({
    message: c.someText,
    locations: c.optional(c.list(QueryErrors_Location(), is.isQueryErrors_Location)),
    path: c.optional(c.list(c.value, c.isAny)),
  }),
);

/** Schemas of `a2agateway.knowledge.v1` by full message name. */
export const schemas: Readonly<Record<string, () => c.Schema>> = {
  'a2agateway.knowledge.v1.KGSubject': KGSubject,
  'a2agateway.knowledge.v1.KGPredicate': KGPredicate,
  'a2agateway.knowledge.v1.KGObject': KGObject,
  'a2agateway.knowledge.v1.KGStatement': KGStatement,
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': KnowledgeGraphPatch,
  'a2agateway.knowledge.v1.KnowledgeQueryParams': KnowledgeQueryParams,
  'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': KnowledgeQueryResponseResult,
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': KnowledgeUpdateParams,
  'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': KnowledgeUpdateResponseResult,
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': KnowledgeSubscribeParams,
  'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': KnowledgeGraphChangeEvent,
  'a2agateway.knowledge.v1.QueryErrors': QueryErrors,
  'a2agateway.knowledge.v1.QueryErrors.Location': QueryErrors_Location,
  'a2agateway.knowledge.v1.QueryErrors.QueryError': QueryErrors_QueryError,
};

/** Validators of `a2agateway.knowledge.v1` by full message name. */
export const validators: Readonly<Record<string, Validator>> = {
  'google.protobuf.Empty': c.validator(c.isObject, () => c.struct),
  'a2agateway.knowledge.v1.KGSubject': c.validator(is.isKGSubject, KGSubject),
  'a2agateway.knowledge.v1.KGPredicate': c.validator(is.isKGPredicate, KGPredicate),
  'a2agateway.knowledge.v1.KGObject': c.validator(is.isKGObject, KGObject),
  'a2agateway.knowledge.v1.KGStatement': c.validator(is.isKGStatement, KGStatement),
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': c.validator(is.isKnowledgeGraphPatch, KnowledgeGraphPatch),
  'a2agateway.knowledge.v1.KnowledgeQueryParams': c.validator(is.isKnowledgeQueryParams, KnowledgeQueryParams),
  'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': c.validator(is.isKnowledgeQueryResponseResult, KnowledgeQueryResponseResult),
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': c.validator(is.isKnowledgeUpdateParams, KnowledgeUpdateParams),
  'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': c.validator(is.isKnowledgeUpdateResponseResult, KnowledgeUpdateResponseResult),
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': c.validator(is.isKnowledgeSubscribeParams, KnowledgeSubscribeParams),
  'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': c.validator(is.isKnowledgeGraphChangeEvent, KnowledgeGraphChangeEvent),
  'a2agateway.knowledge.v1.QueryErrors': c.validator(is.isQueryErrors, QueryErrors),
  'a2agateway.knowledge.v1.QueryErrors.Location': c.validator(is.isQueryErrors_Location, QueryErrors_Location),
  'a2agateway.knowledge.v1.QueryErrors.QueryError': c.validator(is.isQueryErrors_QueryError, QueryErrors_QueryError),
};
