// Generated from proto/a2agateway/knowledge/v1/knowledge.proto and codegen/schemas/knowledge.json by `npm run generate`. Do not edit.

/** No content (google.protobuf.Empty). */
export type Empty = Record<string, never>;

/** A JSON object (google.protobuf.Struct). */
export interface Struct {
  [k: string]: unknown;
}

/** The subject of a statement. */
export interface KGSubject {
  /** URI or unique identifier. */
  id: string;
  /** URI of the subject's type. */
  type?: string;
}

/** The predicate of a statement: what it says of its subject. */
export interface KGPredicate {
  /** URI of the predicate. */
  id: string;
}

/**
 * The object of a statement: a resource, which has an id, or a literal, which has a value. It has exactly one of them.
 */
export interface KGObject {
  /** URI of the resource. */
  id?: string;
  /** The literal: a string, a number or a boolean. Null is the same as absence. */
  value?: unknown;
  /** URI of the resource's type, or of the literal's datatype. */
  type?: string;
}

/** One statement of a knowledge graph. */
export interface KGStatement {
  /** What the statement is about. */
  subject: KGSubject;
  /** What it says of it. */
  predicate: KGPredicate;
  /** The resource or the literal that it relates it to. */
  object: KGObject;
  /** URI of the named graph that the statement belongs to. */
  graph?: string;
  /** How certain the statement is, from 0 to 1. */
  certainty?: number;
  /** Where the statement comes from. */
  provenance?: Struct;
}

/** One change of a knowledge graph. */
export interface KnowledgeGraphPatch {
  /** The operation. */
  op: string;
  /** The statement that is added or removed, or that takes the place of those with its subject, predicate and graph. */
  statement: KGStatement;
}

/** A query of a knowledge graph. */
export interface KnowledgeQueryParams {
  /** Tenant, where the agent has several. */
  tenant?: string;
  /** The query. */
  query: string;
  /** Language of the query. The default is graphql. */
  queryLanguage?: string;
  /** Variables of the query. */
  variables?: Struct;
  /** Task that the query belongs to. */
  taskId?: string;
  /** Session that the query belongs to. */
  sessionId?: string;
  /** How certain statements must be, from 0 to 1. */
  requiredCertainty?: number;
  /** How old statements may be, in seconds. */
  maxAgeSeconds?: number;
  /** Security tokens, context and the like. */
  metadata?: Struct;
}

/** The answer to a query. */
export interface KnowledgeQueryResponseResult {
  /** What was asked for, in the shape that the query gives it. */
  data?: unknown;
  /** How the query was carried out. */
  queryMetadata?: Struct;
}

/** A proposal of changes. */
export interface KnowledgeUpdateParams {
  /** Tenant, where the agent has several. */
  tenant?: string;
  /** The changes, in the order in which they are applied. */
  mutations: KnowledgeGraphPatch[];
  /** Task that the changes belong to. */
  taskId?: string;
  /** Session that the changes belong to. */
  sessionId?: string;
  /** The agent that proposes the changes. */
  sourceAgentId?: string;
  /** Why the changes are proposed. */
  justification?: string;
  /** Security tokens, context and the like. */
  metadata?: Struct;
}

/** What became of proposed changes. */
export interface KnowledgeUpdateResponseResult {
  /** Whether the changes were accepted. */
  success: boolean;
  /** How many statements were added, removed or changed. */
  statementsAffected?: number;
  /** Ids of the resources whose statements were added, removed or changed. */
  affectedIds?: string[];
  /** The outcome of the verification, such as Verified. */
  verificationStatus?: string;
  /** Why the outcome is what it is. */
  verificationDetails?: string;
}

/** A wish to be told of changes. */
export interface KnowledgeSubscribeParams {
  /** Tenant, where the agent has several. */
  tenant?: string;
  /** The query that says which changes are of interest. */
  subscriptionQuery: string;
  /** Language of the query. The default is graphql. */
  queryLanguage?: string;
  /** Variables of the query. */
  variables?: Struct;
  /** Task that the subscription belongs to. */
  taskId?: string;
  /** Session that the subscription belongs to. */
  sessionId?: string;
  /** Security tokens, context and the like. */
  metadata?: Struct;
}

/** One change that was made to a knowledge graph. */
export interface KnowledgeGraphChangeEvent {
  /** The operation. */
  op: string;
  /** The statement that changed. */
  statement: KGStatement;
  /** Unique id of this change, a UUID. */
  changeId: string;
  /**
   * When the change was made.
   * RFC 3339.
   */
  timestamp: string;
  /** Who made the change, why, and in which task and session. */
  changeMetadata?: Struct;
}

/** What is wrong with a query: a detail of errors. */
export interface QueryErrors {
  /** At least one. */
  errors: QueryErrors_QueryError[];
}

/** One place in the text of a query. */
export interface QueryErrors_Location {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

/** One thing that is wrong, as GraphQL tells it. */
export interface QueryErrors_QueryError {
  /** What is wrong. */
  message: string;
  /** Where it is in the query. */
  locations?: QueryErrors_Location[];
  /** Where it is in the answer: names of fields, and positions in lists. */
  path?: unknown[];
}

/** The messages by full name. */
export interface MessageTypes {
  'a2agateway.knowledge.v1.KGSubject': KGSubject;
  'a2agateway.knowledge.v1.KGPredicate': KGPredicate;
  'a2agateway.knowledge.v1.KGObject': KGObject;
  'a2agateway.knowledge.v1.KGStatement': KGStatement;
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': KnowledgeGraphPatch;
  'a2agateway.knowledge.v1.KnowledgeQueryParams': KnowledgeQueryParams;
  'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': KnowledgeQueryResponseResult;
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': KnowledgeUpdateParams;
  'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': KnowledgeUpdateResponseResult;
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': KnowledgeSubscribeParams;
  'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': KnowledgeGraphChangeEvent;
  'a2agateway.knowledge.v1.QueryErrors': QueryErrors;
  'a2agateway.knowledge.v1.QueryErrors.Location': QueryErrors_Location;
  'a2agateway.knowledge.v1.QueryErrors.QueryError': QueryErrors_QueryError;
}
