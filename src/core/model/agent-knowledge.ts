import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../../gen/knowledge-v1/types.ts';
import type { CallContext, LoggedEvent } from './call.ts';
import type { KnowledgePatch, KnowledgeSpace } from './knowledge.ts';

/** The context of a call for an agent's knowledge. */
export interface KnowledgeCallContext {
  readonly space: KnowledgeSpace;
  readonly call: CallContext;
  /** Aborts when the caller goes away, the deadline passes, or the subscription is over. */
  readonly signal: AbortSignal;
}

/** The context of an update. */
export interface KnowledgeUpdateContext extends KnowledgeCallContext {
  /** The validated changes of the request. */
  readonly patches: readonly KnowledgePatch[];
}

/** The context of a subscription to changes. */
export interface KnowledgeSubscribeContext extends KnowledgeCallContext {
  /** Position after which changes are wanted. Absent: from now on. */
  readonly after?: number;
}

/** A change of knowledge in a subscription; `seq` is its position. */
export type KnowledgeChangeEvent = LoggedEvent<KnowledgeGraphChangeEvent>;

/** Changes as they are made. */
export interface KnowledgeChangeStream extends AsyncIterable<KnowledgeChangeEvent> {
  /** Position after which the stream starts, where it is known: a reader that got no change resumes after it. */
  readonly after?: number;
}

/** The knowledge of one agent. Requests have been validated. Every method rejects with an A2AError. */
export interface AgentKnowledge {
  /** Names of the supported query languages, such as `graphql`. Undefined: not known yet. */
  readonly languages: readonly string[] | undefined;
  query(request: KnowledgeQueryParams, context: KnowledgeCallContext): Promise<KnowledgeQueryResponseResult>;
  update(request: KnowledgeUpdateParams, context: KnowledgeUpdateContext): Promise<KnowledgeUpdateResponseResult>;
  /**
   * Resolves when the subscription is established: the iterable yields every later change. Only the signal ends it; the
   * iterable ends, or its `next` rejects, when the signal aborts.
   */
  subscribe(request: KnowledgeSubscribeParams, context: KnowledgeSubscribeContext): Promise<KnowledgeChangeStream>;
  close?(): Promise<void>;
}
