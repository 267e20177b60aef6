import { type CallContext, defaultSemantics } from '../core/model/call.ts';
import { newId } from '../core/model/ids.ts';

/** Options of one call. */
export interface CallOptions {
  /** Gives the call up. The task, if there is one, goes on. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the answer, or the beginning of a stream, may take. Default: that of the client. */
  readonly timeout?: number;
  /** URIs of the extensions that the caller wants active. */
  readonly extensions?: readonly string[];
  /** Makes a retry safe where the agent's side knows idempotency keys, as this gateway does. */
  readonly idempotencyKey?: string;
  /** For a subscription: the position after which events are wanted, instead of the current Task. */
  readonly after?: number;
}

const never = new AbortController().signal;

/**
 * The context of a call that somebody makes with a client.
 *
 * @param agent name of the agent that is called
 * @param tenant '' for none
 */
export const callContext = (agent: string, tenant: string, options: CallOptions): CallContext => ({
  requestId: newId(),
  agent,
  tenant,
  principal: { id: '', anonymous: true },
  dialect: 'a2a-1.0',
  semantics: defaultSemantics,
  extensions: options.extensions ?? [],
  signal: options.signal ?? never,
  ...(options.timeout !== undefined && { deadline: Date.now() + options.timeout }),
  ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  ...(options.after !== undefined && { replay: { after: options.after } }),
  hops: 0,
  notes: { extensions: new Set(), losses: new Set() },
});
