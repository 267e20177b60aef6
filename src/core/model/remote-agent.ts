import type { OperationName, RequestOf } from '../../gen/services.ts';
import type { AgentCard } from './a2a.ts';
import type { CallContext, Reply } from './call.ts';
import type { A2AError } from './errors.ts';

/** An agent behind an agent of the gateway, for operations that extensions add to those of A2A. */
export interface RemoteAgent {
  /** Its card in v1. Undefined: it has not been read, or the agent has none. */
  readonly card: AgentCard | undefined;
  /** Resolves when the agent can be called: its card has been read, if it has one. Rejects with an A2AError. */
  open(): Promise<void>;
  /**
   * Calls an operation in the agent's dialect over its binding. The agent does not learn who the caller is, unless the
   * caller's credentials are forwarded: it answers the gateway as a whole. Rejects with an A2AError.
   *
   * @param context of the call that leads to this one: it gets the extensions and losses of the answer
   */
  call<K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    context: CallContext,
    bounds: { readonly signal: AbortSignal; readonly after?: number },
  ): Promise<Reply>;
  /** Maps a caller's ids to those at the agent. Undefined where they are not known there. */
  idsOf(principal: string, tenant: string): RemoteIds;
  /** The error that the caller gets: it shows neither addresses nor secrets. */
  errorFor(thrown: unknown, context: CallContext): A2AError;
}

export interface RemoteIds {
  task(id: string): Promise<string | undefined>;
  context(id: string): Promise<string | undefined>;
}
