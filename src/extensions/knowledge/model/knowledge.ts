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
 * Types of an agent's knowledge, by the Knowledge Graph extension of A2A (the models are those of its section 2):
 * knowledge of the configuration, of an upstream agent, or of the agent's own code.
 */

export type LiteralValue = string | number | boolean;

/** A resource (`id`) or a literal (`value`), never both. */
export interface KGObject {
  readonly id?: string;
  readonly value?: LiteralValue;
  /** The resource's class, or the literal's datatype. */
  readonly type?: string;
}

/**
 * A statement. Its identity is its subject, predicate, object and graph; a literal's is its text and its datatype, so
 * that `42`, and `"42"` of the type `xsd:integer`, are one. Types of subject and object, certainty and provenance are
 * attributes.
 */
export interface KGStatement {
  /** `type` is the subject's class. */
  readonly subject: { readonly id: string; readonly type?: string };
  readonly predicate: { readonly id: string };
  readonly object: KGObject;
  /** Absent: the default graph. */
  readonly graph?: string;
  /** Certainty from 0 to 1. Absent counts as certain. */
  readonly certainty?: number;
  readonly provenance?: JsonObject;
}

export type PatchOp = 'add' | 'remove' | 'replace';

/**
 * One requested change. `add`: an existing statement gets the certainty, provenance, types and time of this one.
 * `remove`: the statement with this identity. `replace`: all statements with the same subject, predicate and graph are
 * removed, and this one is added.
 */
export interface KnowledgePatch {
  readonly op: PatchOp;
  readonly statement: KGStatement;
}

/** The graph of one agent and one tenant. Principals share it. */
export interface KnowledgeSpace {
  readonly agent: string;
  /** Tenant; '' without tenants. */
  readonly tenant: string;
}

/** The context of a call for an agent's knowledge. */
export interface KnowledgeCallContext {
  readonly space: KnowledgeSpace;
  readonly call: CallContext;
  /** Aborts when the caller goes away, the deadline passes, or the subscription is over. */
  readonly signal: AbortSignal;
}

/** The context of a subscription to changes. */
export interface KnowledgeSubscribeContext extends KnowledgeCallContext {
  /** Position after which changes are delivered. Absent: from now on. */
  readonly after?: number;
}

/** A change of knowledge in a subscription; `seq` is its position. */
export type KnowledgeChangeEvent = LoggedEvent<KnowledgeGraphChangeEvent>;

/** Changes as they are made. */
export interface KnowledgeChangeStream extends AsyncIterable<KnowledgeChangeEvent> {
  /** Position after which the stream starts, if it is known: a reader that received no change resumes after it. */
  readonly after?: number;
}

/** The knowledge of one agent. Requests have been validated. Every method rejects with an A2AError. */
export interface AgentKnowledge {
  /** Names of the supported query languages, such as `graphql`. Undefined: not known yet. */
  readonly languages: readonly string[] | undefined;
  query(request: KnowledgeQueryParams, context: KnowledgeCallContext): Promise<KnowledgeQueryResponseResult>;
  /** Changes the graph. `patches` of the context are the validated changes of the request. */
  update(
    request: KnowledgeUpdateParams,
    context: KnowledgeCallContext & { readonly patches: readonly KnowledgePatch[] },
  ): Promise<KnowledgeUpdateResponseResult>;
  /** Resolves when the subscription is established. Only the signal ends it: the iterable then ends or rejects. */
  subscribe(request: KnowledgeSubscribeParams, context: KnowledgeSubscribeContext): Promise<KnowledgeChangeStream>;
  close?(): Promise<void>;
}

declare module '../../../core/model/agent.ts' {
  interface Agent {
    /** The agent's own knowledge, read at every request. Absent: the configured knowledge, if any. */
    readonly knowledge?: AgentKnowledge | undefined;
  }
}
