import type { Client, Transport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { JsonObject } from '../../../../core/model/json.ts';
import { shortened, ToolFailure } from '../failures.ts';
import { currentCall, currentMessage, type PendingCall } from './fetch.ts';
import type { AnswerTaker, MessageReader } from './messages.ts';
import type { PendingRequests } from './pending-requests.ts';

/** The session whose transport is watched. */
export interface WatchedSession {
  readonly client: Client;
  readonly pending: PendingRequests;
  readonly reader: MessageReader;
  /** Whether the session is open. */
  readonly isLive: () => boolean;
  /** Finds the tool call to which a message from the server belongs. */
  readonly callOf: () => PendingCall | undefined;
}

/**
 * Watches the messages of a transport in both directions for responses that the SDK would ignore while it keeps
 * waiting.
 */
export function watchTransport(transport: Transport, session: WatchedSession): void {
  const { pending } = session;
  watchSent(transport, session);
  watchReceived(transport, session);
  transport.onerror = (error) => {
    if (!(error instanceof z.core.$ZodError)) return;
    const failure = new ToolFailure('invalidResponse', 'The server did not answer with JSON-RPC');
    pending.failUnanswered(failure, undefined, false);
  };
}

function watchSent(transport: Transport, { client, pending, reader }: WatchedSession): void {
  const send = transport.send.bind(transport);
  transport.send = (message, sending) => {
    const { method } = message as { readonly method?: string };
    if (method === undefined) return currentMessage.run(undefined, () => send(message, sending));
    if (!('id' in message)) return currentMessage.run({ id: undefined, method }, () => send(message, sending));
    const { id } = message;
    const call = currentCall.getStore();
    const sent = { id, method };
    pending.sent(id, call);
    reader.sent(sent, takerFor(call, client));
    const onRequestStreamEnd = (): void => {
      const call = pending.callOf(id);
      call?.fail(call.broken ?? new ToolFailure('invalidResponse', 'The server ended its answer without a result'));
    };
    return currentMessage.run(sent, () => send(message, { onRequestStreamEnd, ...sending }));
  };
}

function watchReceived(transport: Transport, { client, pending, reader, isLive, callOf }: WatchedSession): void {
  transport.onmessage = (message) => {
    if (isLive() && client.getProtocolEra() === 'modern' && 'method' in message && 'id' in message) {
      const text = `The server sent the request ${shortened(message.method, 100)}, which MCP 2026-07-28 does not have`;
      return callOf()?.fail(new ToolFailure('invalidResult', text));
    }
    if ('method' in message || !('id' in message)) return;
    reader.answered(message.id);
    if (pending.answered(message.id)) return;
    const failure = new ToolFailure('invalidResponse', 'The server answered with an unknown request id');
    const call = currentCall.getStore();
    // Over HTTP, the answer belongs to a request. Output of a program or event stream cannot be assigned to one.
    if (call && !call.opens) call.fail(failure);
    else pending.failUnanswered(failure, undefined);
  };
}

const mixedText = 'The server answers as MCP 2026-07-28 does, in a session of an older version';

/** Returns the receiver of a call's result. The tool has run, so its result is never refused for its form. */
function takerFor(call: PendingCall | undefined, client: Client): AnswerTaker | undefined {
  const { onResult, fail } = call ?? {};
  if (!fail) return undefined;
  const take = (result: JsonObject): void => {
    const { resultType, ...plain } = result;
    const isOpen = resultType === 'task' || resultType === 'input_required';
    if (isOpen && client.getProtocolEra() === 'legacy') fail(new ToolFailure('invalidResult', mixedText));
    onResult?.(isOpen ? result : plain);
  };
  return { fail, ...(onResult && { take }) };
}
