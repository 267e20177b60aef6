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

/** Everything about a call for an agent's knowledge that is not its request. */
export interface KnowledgeCallContext {
  readonly space: KnowledgeSpace;
  readonly call: CallContext;
  /** Aborts when the caller goes away, or the answer would come too late; of a subscription, when it is over. */
  readonly signal: AbortSignal;
}

/** An update that is asked for. */
export interface KnowledgeUpdateContext extends KnowledgeCallContext {
  /** The request's changes, found valid. */
  readonly patches: readonly KnowledgePatch[];
}

/** Whatever wishes to be told of changes, from when on. */
export interface KnowledgeSubscribeContext extends KnowledgeCallContext {
  /** Position after which changes are wanted. Absent: from now on. */
  readonly after?: number;
}

/** The change of knowledge that a subscription tells of; `seq` is its position. */
export type KnowledgeChangeEvent = LoggedEvent<KnowledgeGraphChangeEvent>;

/** Changes as they are made. */
export interface KnowledgeChangeStream extends AsyncIterable<KnowledgeChangeEvent> {
  /** Position after which it begins, where that is known: who was told nothing yet goes on after it. */
  readonly after?: number;
}

/** What one agent knows, and may be asked. Requests have been validated. Everything rejects with an A2AError. */
export interface AgentKnowledge {
  /** Query languages that callers are told of, such as `graphql`. Undefined: it is not known yet whether there is any. */
  readonly languages: readonly string[] | undefined;
  query(request: KnowledgeQueryParams, context: KnowledgeCallContext): Promise<KnowledgeQueryResponseResult>;
  update(request: KnowledgeUpdateParams, context: KnowledgeUpdateContext): Promise<KnowledgeUpdateResponseResult>;
  /**
   * Resolves when the subscription is established: every change that is made from then on is told. The iterable ends, or
   * its `next` rejects, when the signal aborts; nobody else ends it.
   */
  subscribe(request: KnowledgeSubscribeParams, context: KnowledgeSubscribeContext): Promise<KnowledgeChangeStream>;
  close?(): Promise<void>;
}
