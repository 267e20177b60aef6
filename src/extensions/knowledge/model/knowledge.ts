import type { CallContext, LoggedEvent } from '../../../core/model/call.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../../../gen/knowledge-v1/types.ts';

/**
 * Types of an agent's knowledge, following the models of the Knowledge Graph extension of A2A (section 2). The
 * knowledge can come from the configuration, an upstream agent, or the agent's own code.
 */

export type LiteralValue = string | number | boolean;

/** A resource (`id`) or a literal (`value`), never both. */
export interface KGObject {
  readonly id?: string;
  readonly value?: LiteralValue;
  /** Class of the resource, or datatype of the literal. */
  readonly type?: string;
}

/**
 * A statement. Its identity consists of subject, predicate, object and graph. A literal is identified by its text and
 * datatype, so `42` and `"42"` of type `xsd:integer` are equal. The types of subject and object, certainty and
 * provenance are attributes.
 */
export interface KGStatement {
  /** `type` is the class of the subject. */
  readonly subject: { readonly id: string; readonly type?: string };
  readonly predicate: { readonly id: string };
  readonly object: KGObject;
  /** Name of the graph. Absent: the default graph. */
  readonly graph?: string;
  /** Certainty from 0 to 1. Absent: certain. */
  readonly certainty?: number;
  readonly provenance?: JsonObject;
}

export type PatchOp = 'add' | 'remove' | 'replace';

/**
 * A requested change. `add`: adds the statement; if it exists, it gets the new certainty, provenance, types and time.
 * `remove`: removes the statement with this identity. `replace`: removes all statements with the same subject,
 * predicate and graph, and adds this one.
 */
export interface KnowledgePatch {
  readonly op: PatchOp;
  readonly statement: KGStatement;
}

/** The graph of one agent and one tenant, shared by all principals. */
export interface KnowledgeSpace {
  readonly agent: string;
  /** Tenant; '' if there are no tenants. */
  readonly tenant: string;
}

/** The context of a call to an agent's knowledge. */
export interface KnowledgeCallContext {
  readonly space: KnowledgeSpace;
  readonly call: CallContext;
  /** Aborts when the caller disconnects, the deadline passes, or the subscription ends. */
  readonly signal: AbortSignal;
}

/** The context of a subscription to changes. */
export interface KnowledgeSubscribeContext extends KnowledgeCallContext {
  /** Position after which changes are delivered. Absent: only new changes. */
  readonly after?: number;
}

/** A change of knowledge in a subscription; `seq` is its position. */
export type KnowledgeChangeEvent = LoggedEvent<KnowledgeGraphChangeEvent>;

/** A stream of changes. */
export interface KnowledgeChangeStream extends AsyncIterable<KnowledgeChangeEvent> {
  /** Position after which the stream starts, if it is known. A reader that has received no change resumes after it. */
  readonly after?: number;
}

/** The knowledge of one agent. Requests have been validated. Every method rejects with an A2AError. */
export interface AgentKnowledge {
  /** Names of the supported query languages, such as `graphql`. Undefined if they are not known yet. */
  readonly languages: readonly string[] | undefined;
  query(request: KnowledgeQueryParams, context: KnowledgeCallContext): Promise<KnowledgeQueryResponseResult>;
  /** Changes the graph. `patches` are the validated changes of the request. */
  update(
    request: KnowledgeUpdateParams,
    context: KnowledgeCallContext & { readonly patches: readonly KnowledgePatch[] },
  ): Promise<KnowledgeUpdateResponseResult>;
  /** Resolves once the subscription is established. Only the signal ends it: the iterable then ends or rejects. */
  subscribe(request: KnowledgeSubscribeParams, context: KnowledgeSubscribeContext): Promise<KnowledgeChangeStream>;
  close?(): Promise<void>;
}

declare module '../../../core/model/agent.ts' {
  interface Agent {
    /** The agent's own knowledge, read at every request. Absent: only configured knowledge is used. */
    readonly knowledge?: AgentKnowledge | undefined;
  }
}
