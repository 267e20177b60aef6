import { type CallContext, nothingImplied } from '../core/model/call.ts';
import { newId } from '../core/model/ids.ts';
import type { CallOptions } from './client.ts';

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
  implied: nothingImplied,
  extensions: options.extensions ?? [],
  signal: options.signal ?? never,
  ...(options.timeout !== undefined && { deadline: Date.now() + options.timeout }),
  ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  ...(options.after !== undefined && { replay: { after: options.after } }),
  hops: 0,
  notes: { extensions: new Set(), losses: new Set() },
});
