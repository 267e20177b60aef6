import { createRequestWriter } from '../../../dialects/kernel/http-request.ts';
import type { FieldTables } from '../../../gen/api.ts';
import type { Operation } from '../../../gen/operations.ts';
import { SseDecoder } from '../../../wire/sse.ts';
import { asGatewayError, errorOf } from './error.ts';
import { callGateway } from './fetch.ts';

/** Requests and responses of the operations of a service, by name. */
type Types<T> = { readonly [K in keyof T]: { request: object; response: unknown; streaming: boolean } };

type Streaming<T extends Types<T>> = { [K in keyof T]: T[K]['streaming'] extends true ? K : never }[keyof T];
type Unary<T extends Types<T>> = Exclude<keyof T, Streaming<T>>;

/**
 * A message whose numbers are numbers: ProtoJSON also has texts for numbers that are not finite, which the gateway
 * never sends.
 */
export type Finite<T> = 'NaN' extends T
  ? Exclude<T, 'NaN' | 'Infinity' | '-Infinity'>
  : T extends object
    ? { [K in keyof T]: Finite<T[K]> }
    : T;

/** Milliseconds to wait for an answer. */
const deadline = 30_000;

/** Characters of one event. */
const maxEvent = 64 << 20;

/** Options of a call of one operation. */
interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Whether a refusal opens the dialog to sign in. Default: for operations that read, without which a page has nothing
   * to show.
   */
  readonly needed?: boolean;
  /** Path of the agent whose service it is, such as `/demo`. Default: the gateway's path. */
  readonly at?: string;
}

interface StreamOptions extends CallOptions {
  readonly signal: AbortSignal;
  /** Called when the gateway has accepted the call. */
  readonly onOpen?: () => void;
}

/** One event of a stream. */
export interface Streamed<T> {
  /** The gateway's id of the event, for resuming after it. */
  readonly id: string | undefined;
  readonly event: T;
}

/** Returns a client of a service of the gateway over HTTP+JSON, with the browser's session. */
export function createService<T extends Types<T>>(operations: readonly Operation[], fields: FieldTables) {
  const reading = new Set<PropertyKey>(operations.filter(({ reads }) => reads).map(({ name }) => name));
  const writer = createRequestWriter({
    api: { fields },
    routes: operations.flatMap(({ name, request, http }) =>
      http.map((rule) => ({ rule, requestType: request, method: { operation: name } })),
    ),
  });

  function send(
    name: keyof T & string,
    request: object,
    { signal, needed = reading.has(name), at = '' }: CallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { verb, path, query, body } = writer.write(name, request);
    return callGateway(`${at}${path}${query && `?${query}`}`, {
      method: verb,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      needed,
    });
  }

  return {
    /** Calls an operation that has one answer. Rejects with a GatewayError. */
    async call<K extends Unary<T> & string>(
      name: K,
      request: T[K]['request'],
      { signal, ...options }: CallOptions = {},
    ): Promise<Finite<T[K]['response']>> {
      const timeout = AbortSignal.timeout(deadline);
      const signals = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const response = await send(name, request, { ...options, signal: signals });
      return response.json().catch((thrown: unknown) => Promise.reject(asGatewayError(thrown)));
    },

    /** Opens a stream. The iteration ends with the stream, and throws a GatewayError if it fails or breaks. */
    async *stream<K extends Streaming<T> & string>(
      name: K,
      request: T[K]['request'],
      { onOpen, ...options }: StreamOptions,
    ): AsyncGenerator<Streamed<Finite<T[K]['response']>>, void, undefined> {
      const response = await send(name, request, options, { Accept: 'text/event-stream' });
      onOpen?.();
      if (!response.body) return;
      const decoder = new SseDecoder(maxEvent);
      const reader = response.body.getReader();
      try {
        for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
          for (const { event, id, data } of decoder.push(chunk.value)) {
            const value = JSON.parse(data);
            if (event === 'error') throw errorOf(value);
            yield { id, event: value };
          }
        }
      } catch (thrown) {
        throw asGatewayError(thrown);
      } finally {
        await reader.cancel().catch(() => {});
      }
    },
  };
}
