import type { InputRequests, JSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { type Elicitation, elicitationOf } from './questions.ts';

// Clients of MCP 2025-11-25 and earlier are asked with requests from the server, in the stream that answers their call.
// Their responses are separate HTTP requests that may reach another replica, so the id of the server's request contains
// the call's state.

/** The questions of one call. */
export interface AskedRequests {
  readonly requests: InputRequests;
  /** Sealed state of the call. */
  readonly state: string;
}

/**
 * Asks the client of a call. Undefined if the client does not answer in time.
 *
 * @param signal aborts the questions
 */
export type Elicit = (asked: AskedRequests, signal: AbortSignal) => Promise<JsonObject | undefined>;

/** A client's response to one question. */
export interface ElicitationResponse {
  readonly id: string;
  /** Sealed state of the call. */
  readonly state: string;
  /** Whether this was the only question, so that the call can continue at any replica. */
  readonly isOnly: boolean;
  /** Undefined if the client refused the request. */
  readonly result: JsonObject | undefined;
}

/** Reads a client's message as the response to a question; undefined if it is none. */
export function readResponse(body: unknown): ElicitationResponse | undefined {
  if (!isObject(body) || 'method' in body || typeof body.id !== 'string') return undefined;
  const [, count, state] = /^\d+\/(\d+)\/(.+)$/.exec(body.id) ?? [];
  if (state === undefined) return undefined;
  return { id: body.id, state, isOnly: count === '1', result: isObject(body.result) ? body.result : undefined };
}

export type Elicitations = ReturnType<typeof createElicitations>;

/** Creates the registry of questions that wait in this process. */
export function createElicitations() {
  /** Waiting questions by request id. */
  const waiting = new Map<string, (result: JsonObject | undefined) => void>();
  return {
    /** @param send sends a message in the stream of the call */
    async ask(
      { requests, state }: AskedRequests,
      send: (message: JSONRPCMessage) => Promise<void>,
      signal: AbortSignal,
    ): Promise<JsonObject | undefined> {
      if (signal.aborted) return undefined;
      const all = Object.entries(requests);
      const over = new AbortController();
      const ending = AbortSignal.any([signal, over.signal]);
      const askOne = async ([name, { method, params }]: (typeof all)[number], index: number) => {
        const id = `${index}/${all.length}/${state}`;
        const { promise, resolve } = Promise.withResolvers<JsonObject | undefined>();
        const end = (): void => {
          if (waiting.delete(id)) void send(cancellation(id)).catch(() => undefined);
          resolve(undefined);
        };
        waiting.set(id, (result) => {
          waiting.delete(id);
          resolve(result);
        });
        ending.addEventListener('abort', end, { once: true });
        // In MCP 2025-11-25, a request to visit a URL carries an id.
        const whole = params && 'url' in params ? { ...params, elicitationId: id } : params;
        await send({ jsonrpc: '2.0', id, method, params: whole as JsonObject }).catch(end);
        const result = await promise;
        if (!result) over.abort();
        return [name, result] as const;
      };
      const responses = await Promise.all(all.map(askOne));
      return responses.every(([, result]) => result) ? Object.fromEntries(responses) : undefined;
    },
    /** Passes a response to the call that waits for it in this process. Returns whether there is one. */
    take({ id, result }: ElicitationResponse): boolean {
      const resolve = waiting.get(id);
      resolve?.(result);
      return resolve !== undefined;
    },
  };
}

const cancellation = (requestId: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: 'The question was answered elsewhere, or no answer arrived in time' },
});

/** Returns a suffix for session ids that encodes which questions the client supports. No replica stores sessions. */
export function elicitationMark(capabilities: unknown): string {
  const { form, url } = elicitationOf(capabilities);
  return form || url ? `.${form ? 'f' : ''}${url ? 'u' : ''}` : '';
}

/** Returns the kinds of questions that the client of a session supports. */
export function markedElicitation(session: unknown): Elicitation {
  const [, form, url] = /\.(f?)(u?)$/.exec(typeof session === 'string' ? session : '') ?? [];
  return { form: form === 'f', url: url === 'u' };
}
