// Generated from proto/a2agateway/knowledge/v1/knowledge.proto by ts-proto by `npm run generate`. Do not edit.

/* eslint-disable */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { Struct, Value } from "../../../google/protobuf/struct.ts";
import { fromTimestamp, Timestamp, toTimestamp } from "../../../google/protobuf/timestamp.ts";

export const protobufPackage = "a2agateway.knowledge.v1";

export const protobufFileName = "a2agateway/knowledge/v1/knowledge.proto";

/**
 * Knowledge Graph Collaboration, an extension of A2A (version 1.0, draft of April 2025): agents query, change and
 * follow each other's knowledge. The messages are those of the extension's document, so that their canonical ProtoJSON
 * is the JSON that the document shows.
 */

/** The subject of a statement. */
export interface KGSubject {
  /** URI or unique identifier. */
  id?:
    | string
    | undefined;
  /** URI of the subject's type. */
  type?: string | undefined;
}

/** The predicate of a statement: what it says of its subject. */
export interface KGPredicate {
  /** URI of the predicate. */
  id?: string | undefined;
}

/** The object of a statement: a resource, which has an id, or a literal, which has a value. It has exactly one of them. */
export interface KGObject {
  /** URI of the resource. */
  id?:
    | string
    | undefined;
  /** The literal: a string, a number or a boolean. Null is the same as absence. */
  value?:
    | any
    | undefined;
  /** URI of the resource's type, or of the literal's datatype. */
  type?: string | undefined;
}

/** One statement of a knowledge graph. */
export interface KGStatement {
  /** What the statement is about. */
  subject?:
    | KGSubject
    | undefined;
  /** What it says of it. */
  predicate?:
    | KGPredicate
    | undefined;
  /** The resource or the literal that it relates it to. */
  object?:
    | KGObject
    | undefined;
  /** URI of the named graph that the statement belongs to. */
  graph?:
    | string
    | undefined;
  /** How certain the statement is, from 0 to 1. */
  certainty?:
    | number
    | undefined;
  /** Where the statement comes from. */
  provenance?: { [key: string]: any } | undefined;
}

/** One change of a knowledge graph. */
export interface KnowledgeGraphPatch {
  /** The operation: add, remove or replace. */
  op?:
    | string
    | undefined;
  /** The statement that is added or removed, or that takes the place of those with its subject, predicate and graph. */
  statement?: KGStatement | undefined;
}

/** A query of a knowledge graph. */
export interface KnowledgeQueryParams {
  /** Tenant, where the agent has several. */
  tenant?:
    | string
    | undefined;
  /** The query. */
  query?:
    | string
    | undefined;
  /** Language of the query. The default is graphql. */
  queryLanguage?:
    | string
    | undefined;
  /** Variables of the query. */
  variables?:
    | { [key: string]: any }
    | undefined;
  /** Task that the query belongs to. */
  taskId?:
    | string
    | undefined;
  /** Session that the query belongs to. */
  sessionId?:
    | string
    | undefined;
  /** How certain statements must be, from 0 to 1. */
  requiredCertainty?:
    | number
    | undefined;
  /** How old statements may be, in seconds. */
  maxAgeSeconds?:
    | number
    | undefined;
  /** Security tokens, context and the like. */
  metadata?: { [key: string]: any } | undefined;
}

/** The answer to a query. */
export interface KnowledgeQueryResponseResult {
  /** What was asked for, in the shape that the query gives it. */
  data?:
    | any
    | undefined;
  /** How the query was carried out. */
  queryMetadata?: { [key: string]: any } | undefined;
}

/** A proposal of changes. */
export interface KnowledgeUpdateParams {
  /** Tenant, where the agent has several. */
  tenant?:
    | string
    | undefined;
  /** The changes, in the order in which they are applied. */
  mutations?:
    | KnowledgeGraphPatch[]
    | undefined;
  /** Task that the changes belong to. */
  taskId?:
    | string
    | undefined;
  /** Session that the changes belong to. */
  sessionId?:
    | string
    | undefined;
  /** The agent that proposes the changes. */
  sourceAgentId?:
    | string
    | undefined;
  /** Why the changes are proposed. */
  justification?:
    | string
    | undefined;
  /** Security tokens, context and the like. */
  metadata?: { [key: string]: any } | undefined;
}

/** What became of proposed changes. */
export interface KnowledgeUpdateResponseResult {
  /** Whether the changes were accepted. */
  success?:
    | boolean
    | undefined;
  /** How many statements were added, removed or changed. */
  statementsAffected?:
    | number
    | undefined;
  /** Ids of the resources whose statements were added, removed or changed. */
  affectedIds?:
    | string[]
    | undefined;
  /** The outcome of the verification, such as Verified. */
  verificationStatus?:
    | string
    | undefined;
  /** Why the outcome is what it is. */
  verificationDetails?: string | undefined;
}

/** A wish to be told of changes. */
export interface KnowledgeSubscribeParams {
  /** Tenant, where the agent has several. */
  tenant?:
    | string
    | undefined;
  /** The query that says which changes are of interest. */
  subscriptionQuery?:
    | string
    | undefined;
  /** Language of the query. The default is graphql. */
  queryLanguage?:
    | string
    | undefined;
  /** Variables of the query. */
  variables?:
    | { [key: string]: any }
    | undefined;
  /** Task that the subscription belongs to. */
  taskId?:
    | string
    | undefined;
  /** Session that the subscription belongs to. */
  sessionId?:
    | string
    | undefined;
  /** Security tokens, context and the like. */
  metadata?: { [key: string]: any } | undefined;
}

/** One change that was made to a knowledge graph. */
export interface KnowledgeGraphChangeEvent {
  /** The operation: add, remove or replace. */
  op?:
    | string
    | undefined;
  /** The statement that changed. */
  statement?:
    | KGStatement
    | undefined;
  /** Unique id of this change, a UUID. */
  changeId?:
    | string
    | undefined;
  /** When the change was made. */
  timestamp?:
    | string
    | undefined;
  /** Who made the change, why, and in which task and session. */
  changeMetadata?: { [key: string]: any } | undefined;
}

/** What is wrong with a query: a detail of errors. */
export interface QueryErrors {
  /** At least one. */
  errors?: QueryErrors_QueryError[] | undefined;
}

/** One place in the text of a query. */
export interface QueryErrors_Location {
  /** From 1. */
  line?:
    | number
    | undefined;
  /** From 1. */
  column?: number | undefined;
}

/** One thing that is wrong, as GraphQL tells it. */
export interface QueryErrors_QueryError {
  /** What is wrong. */
  message?:
    | string
    | undefined;
  /** Where it is in the query. */
  locations?:
    | QueryErrors_Location[]
    | undefined;
  /** Where it is in the answer: names of fields, and positions in lists. */
  path?: any[] | undefined;
}

function createBaseKGSubject(): KGSubject {
  return { id: undefined, type: undefined };
}

export const KGSubject: MessageFns<KGSubject> = {
  encode(message: KGSubject, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.id !== undefined) {
      writer.uint32(10).string(message.id);
    }
    if (message.type !== undefined) {
      writer.uint32(18).string(message.type);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KGSubject {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKGSubject();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.type = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKGPredicate(): KGPredicate {
  return { id: undefined };
}

export const KGPredicate: MessageFns<KGPredicate> = {
  encode(message: KGPredicate, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.id !== undefined) {
      writer.uint32(10).string(message.id);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KGPredicate {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKGPredicate();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.id = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKGObject(): KGObject {
  return { id: undefined, value: undefined, type: undefined };
}

export const KGObject: MessageFns<KGObject> = {
  encode(message: KGObject, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.id !== undefined) {
      writer.uint32(10).string(message.id);
    }
    if (message.value !== undefined) {
      Value.encode(Value.wrap(message.value), writer.uint32(18).fork()).join();
    }
    if (message.type !== undefined) {
      writer.uint32(26).string(message.type);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KGObject {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKGObject();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.value = Value.unwrap(Value.decode(reader, reader.uint32()));
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.type = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKGStatement(): KGStatement {
  return {
    subject: undefined,
    predicate: undefined,
    object: undefined,
    graph: undefined,
    certainty: undefined,
    provenance: undefined,
  };
}

export const KGStatement: MessageFns<KGStatement> = {
  encode(message: KGStatement, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.subject !== undefined) {
      KGSubject.encode(message.subject, writer.uint32(10).fork()).join();
    }
    if (message.predicate !== undefined) {
      KGPredicate.encode(message.predicate, writer.uint32(18).fork()).join();
    }
    if (message.object !== undefined) {
      KGObject.encode(message.object, writer.uint32(26).fork()).join();
    }
    if (message.graph !== undefined) {
      writer.uint32(34).string(message.graph);
    }
    if (message.certainty !== undefined) {
      writer.uint32(41).double(message.certainty);
    }
    if (message.provenance !== undefined) {
      Struct.encode(Struct.wrap(message.provenance), writer.uint32(50).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KGStatement {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKGStatement();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.subject = KGSubject.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.predicate = KGPredicate.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.object = KGObject.decode(reader, reader.uint32());
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.graph = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 41) {
              break;
            }

            message.certainty = reader.double();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.provenance = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeGraphPatch(): KnowledgeGraphPatch {
  return { op: undefined, statement: undefined };
}

export const KnowledgeGraphPatch: MessageFns<KnowledgeGraphPatch> = {
  encode(message: KnowledgeGraphPatch, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.op !== undefined) {
      writer.uint32(10).string(message.op);
    }
    if (message.statement !== undefined) {
      KGStatement.encode(message.statement, writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeGraphPatch {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeGraphPatch();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.op = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.statement = KGStatement.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeQueryParams(): KnowledgeQueryParams {
  return {
    tenant: undefined,
    query: undefined,
    queryLanguage: undefined,
    variables: undefined,
    taskId: undefined,
    sessionId: undefined,
    requiredCertainty: undefined,
    maxAgeSeconds: undefined,
    metadata: undefined,
  };
}

export const KnowledgeQueryParams: MessageFns<KnowledgeQueryParams> = {
  encode(message: KnowledgeQueryParams, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.query !== undefined) {
      writer.uint32(18).string(message.query);
    }
    if (message.queryLanguage !== undefined) {
      writer.uint32(26).string(message.queryLanguage);
    }
    if (message.variables !== undefined) {
      Struct.encode(Struct.wrap(message.variables), writer.uint32(34).fork()).join();
    }
    if (message.taskId !== undefined) {
      writer.uint32(42).string(message.taskId);
    }
    if (message.sessionId !== undefined) {
      writer.uint32(50).string(message.sessionId);
    }
    if (message.requiredCertainty !== undefined) {
      writer.uint32(57).double(message.requiredCertainty);
    }
    if (message.maxAgeSeconds !== undefined) {
      writer.uint32(64).uint32(message.maxAgeSeconds);
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(74).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeQueryParams {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeQueryParams();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.query = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.queryLanguage = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.variables = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.sessionId = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 57) {
              break;
            }

            message.requiredCertainty = reader.double();
            continue;
          }
          case 8: {
            if (tag !== 64) {
              break;
            }

            message.maxAgeSeconds = reader.uint32();
            continue;
          }
          case 9: {
            if (tag !== 74) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeQueryResponseResult(): KnowledgeQueryResponseResult {
  return { data: undefined, queryMetadata: undefined };
}

export const KnowledgeQueryResponseResult: MessageFns<KnowledgeQueryResponseResult> = {
  encode(message: KnowledgeQueryResponseResult, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.data !== undefined) {
      Value.encode(Value.wrap(message.data), writer.uint32(10).fork()).join();
    }
    if (message.queryMetadata !== undefined) {
      Struct.encode(Struct.wrap(message.queryMetadata), writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeQueryResponseResult {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeQueryResponseResult();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.data = Value.unwrap(Value.decode(reader, reader.uint32()));
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.queryMetadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeUpdateParams(): KnowledgeUpdateParams {
  return {
    tenant: undefined,
    mutations: [],
    taskId: undefined,
    sessionId: undefined,
    sourceAgentId: undefined,
    justification: undefined,
    metadata: undefined,
  };
}

export const KnowledgeUpdateParams: MessageFns<KnowledgeUpdateParams> = {
  encode(message: KnowledgeUpdateParams, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.mutations !== undefined && message.mutations.length !== 0) {
      for (const v of message.mutations) {
        KnowledgeGraphPatch.encode(v!, writer.uint32(18).fork()).join();
      }
    }
    if (message.taskId !== undefined) {
      writer.uint32(26).string(message.taskId);
    }
    if (message.sessionId !== undefined) {
      writer.uint32(34).string(message.sessionId);
    }
    if (message.sourceAgentId !== undefined) {
      writer.uint32(42).string(message.sourceAgentId);
    }
    if (message.justification !== undefined) {
      writer.uint32(50).string(message.justification);
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(58).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeUpdateParams {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeUpdateParams();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            const el = KnowledgeGraphPatch.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.mutations!.push(el);
            }
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.sessionId = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.sourceAgentId = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.justification = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeUpdateResponseResult(): KnowledgeUpdateResponseResult {
  return {
    success: undefined,
    statementsAffected: undefined,
    affectedIds: [],
    verificationStatus: undefined,
    verificationDetails: undefined,
  };
}

export const KnowledgeUpdateResponseResult: MessageFns<KnowledgeUpdateResponseResult> = {
  encode(message: KnowledgeUpdateResponseResult, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.success !== undefined) {
      writer.uint32(8).bool(message.success);
    }
    if (message.statementsAffected !== undefined) {
      writer.uint32(16).uint32(message.statementsAffected);
    }
    if (message.affectedIds !== undefined && message.affectedIds.length !== 0) {
      for (const v of message.affectedIds) {
        writer.uint32(26).string(v!);
      }
    }
    if (message.verificationStatus !== undefined) {
      writer.uint32(34).string(message.verificationStatus);
    }
    if (message.verificationDetails !== undefined) {
      writer.uint32(42).string(message.verificationDetails);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeUpdateResponseResult {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeUpdateResponseResult();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.success = reader.bool();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.statementsAffected = reader.uint32();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.affectedIds!.push(el);
            }
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.verificationStatus = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.verificationDetails = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeSubscribeParams(): KnowledgeSubscribeParams {
  return {
    tenant: undefined,
    subscriptionQuery: undefined,
    queryLanguage: undefined,
    variables: undefined,
    taskId: undefined,
    sessionId: undefined,
    metadata: undefined,
  };
}

export const KnowledgeSubscribeParams: MessageFns<KnowledgeSubscribeParams> = {
  encode(message: KnowledgeSubscribeParams, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tenant !== undefined) {
      writer.uint32(10).string(message.tenant);
    }
    if (message.subscriptionQuery !== undefined) {
      writer.uint32(18).string(message.subscriptionQuery);
    }
    if (message.queryLanguage !== undefined) {
      writer.uint32(26).string(message.queryLanguage);
    }
    if (message.variables !== undefined) {
      Struct.encode(Struct.wrap(message.variables), writer.uint32(34).fork()).join();
    }
    if (message.taskId !== undefined) {
      writer.uint32(42).string(message.taskId);
    }
    if (message.sessionId !== undefined) {
      writer.uint32(50).string(message.sessionId);
    }
    if (message.metadata !== undefined) {
      Struct.encode(Struct.wrap(message.metadata), writer.uint32(58).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeSubscribeParams {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeSubscribeParams();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.subscriptionQuery = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.queryLanguage = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.variables = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.sessionId = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.metadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseKnowledgeGraphChangeEvent(): KnowledgeGraphChangeEvent {
  return { op: undefined, statement: undefined, changeId: undefined, timestamp: undefined, changeMetadata: undefined };
}

export const KnowledgeGraphChangeEvent: MessageFns<KnowledgeGraphChangeEvent> = {
  encode(message: KnowledgeGraphChangeEvent, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.op !== undefined) {
      writer.uint32(10).string(message.op);
    }
    if (message.statement !== undefined) {
      KGStatement.encode(message.statement, writer.uint32(18).fork()).join();
    }
    if (message.changeId !== undefined) {
      writer.uint32(26).string(message.changeId);
    }
    if (message.timestamp !== undefined) {
      Timestamp.encode(toTimestamp(message.timestamp), writer.uint32(34).fork()).join();
    }
    if (message.changeMetadata !== undefined) {
      Struct.encode(Struct.wrap(message.changeMetadata), writer.uint32(42).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): KnowledgeGraphChangeEvent {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseKnowledgeGraphChangeEvent();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.op = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.statement = KGStatement.decode(reader, reader.uint32());
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.changeId = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.timestamp = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.changeMetadata = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseQueryErrors(): QueryErrors {
  return { errors: [] };
}

export const QueryErrors: MessageFns<QueryErrors> = {
  encode(message: QueryErrors, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.errors !== undefined && message.errors.length !== 0) {
      for (const v of message.errors) {
        QueryErrors_QueryError.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): QueryErrors {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseQueryErrors();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = QueryErrors_QueryError.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.errors!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseQueryErrors_Location(): QueryErrors_Location {
  return { line: undefined, column: undefined };
}

export const QueryErrors_Location: MessageFns<QueryErrors_Location> = {
  encode(message: QueryErrors_Location, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.line !== undefined) {
      writer.uint32(8).uint32(message.line);
    }
    if (message.column !== undefined) {
      writer.uint32(16).uint32(message.column);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): QueryErrors_Location {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseQueryErrors_Location();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.line = reader.uint32();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.column = reader.uint32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseQueryErrors_QueryError(): QueryErrors_QueryError {
  return { message: undefined, locations: [], path: [] };
}

export const QueryErrors_QueryError: MessageFns<QueryErrors_QueryError> = {
  encode(message: QueryErrors_QueryError, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.message !== undefined) {
      writer.uint32(10).string(message.message);
    }
    if (message.locations !== undefined && message.locations.length !== 0) {
      for (const v of message.locations) {
        QueryErrors_Location.encode(v!, writer.uint32(18).fork()).join();
      }
    }
    if (message.path !== undefined && message.path.length !== 0) {
      for (const v of message.path) {
        Value.encode(Value.wrap(v!), writer.uint32(26).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): QueryErrors_QueryError {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseQueryErrors_QueryError();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.message = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            const el = QueryErrors_Location.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.locations!.push(el);
            }
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const el = Value.unwrap(Value.decode(reader, reader.uint32()));
            if (el !== undefined) {
              message.path!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

export interface MessageFns<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}
