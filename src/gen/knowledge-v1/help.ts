// Generated from proto/a2agateway/knowledge/v1/knowledge.proto by `npm run generate`. Do not edit.

import type { OperationName } from './operations.ts';

/** Summaries of the operations of `a2agateway.knowledge.v1.KnowledgeService`. */
export const summaries: Readonly<Record<OperationName, string>> = {
  Query: 'Asks the agent\'s knowledge graph.',
  Update: 'Proposes changes to the agent\'s knowledge graph, which are verified and then applied all or none.',
  Subscribe: 'Follows the changes of the agent\'s knowledge graph that a query asks for.',
};

/** Descriptions of fields, by the full name of their message and their own name in JSON. */
export const fieldTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a2agateway.knowledge.v1.KGSubject': {
    id: 'URI or unique identifier.',
    type: 'URI of the subject\'s type.',
  },
  'a2agateway.knowledge.v1.KGPredicate': {
    id: 'URI of the predicate.',
  },
  'a2agateway.knowledge.v1.KGObject': {
    id: 'URI of the resource.',
    value: 'The literal: a string, a number or a boolean. Null is the same as absence.',
    type: 'URI of the resource\'s type, or of the literal\'s datatype.',
  },
  'a2agateway.knowledge.v1.KGStatement': {
    subject: 'Subject of the statement.',
    predicate: 'Property of the subject.',
    object: 'The resource or the literal that it relates it to.',
    graph: 'URI of the named graph that the statement belongs to.',
    certainty: 'How certain the statement is, from 0 to 1.',
    provenance: 'Where the statement comes from.',
  },
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': {
    op: 'The operation: add, remove or replace.',
    statement: 'The statement that is added or removed, or that takes the place of those with its subject, predicate and graph.',
  },
  'a2agateway.knowledge.v1.KnowledgeQueryParams': {
    tenant: 'Tenant, where the agent has several.',
    query: 'The query.',
    queryLanguage: 'Language of the query. The default is graphql.',
    variables: 'Variables of the query.',
    taskId: 'Task that the query belongs to.',
    sessionId: 'Session that the query belongs to.',
    requiredCertainty: 'How certain statements must be, from 0 to 1.',
    maxAgeSeconds: 'How old statements may be, in seconds.',
    metadata: 'Security tokens, context and the like.',
  },
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': {
    tenant: 'Tenant, where the agent has several.',
    mutations: 'The changes, in the order in which they are applied.',
    taskId: 'Task that the changes belong to.',
    sessionId: 'Session that the changes belong to.',
    sourceAgentId: 'The agent that proposes the changes.',
    justification: 'Why the changes are proposed.',
    metadata: 'Security tokens, context and the like.',
  },
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': {
    tenant: 'Tenant, where the agent has several.',
    subscriptionQuery: 'The query that says which changes are of interest.',
    queryLanguage: 'Language of the query. The default is graphql.',
    variables: 'Variables of the query.',
    taskId: 'Task that the subscription belongs to.',
    sessionId: 'Session that the subscription belongs to.',
    metadata: 'Security tokens, context and the like.',
  },
};
