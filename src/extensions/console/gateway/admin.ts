import { type OperationName, type OperationTypes, operations } from '../../../gen/admin-v1/operations.ts';
import { compilePath } from '../../../wire/http-rule.ts';
import { asGatewayError, errorOf } from './error.ts';
import { callGateway } from './fetch.ts';
import { readEvents } from './sse.ts';
import type { Finite } from './types.ts';

type Streaming = { [K in OperationName]: OperationTypes[K]['streaming'] extends true ? K : never }[OperationName];
type Unary = Exclude<OperationName, Streaming>;

/** Milliseconds for an answer. */
const deadline = 30_000;

const routes = new Map(
  operations.map((operation) => {
    const [rule] = operation.http;
    return [operation.name as OperationName, { rule, path: compilePath(rule), reads: 'reads' in operation }];
  }),
);

/** The path, the query and the body of a call, by the rules of google.api.http. */
function write(name: OperationName, request: object) {
  const { rule, path, reads } = routes.get(name) as NonNullable<ReturnType<typeof routes.get>>;
  const values = request as Readonly<Record<string, unknown>>;
  const formatted = path.format((field) => String(values[field] ?? ''));
  if (formatted === undefined) throw new TypeError(`${name} lacks ${path.fields.join(', ')}`);
  const rest = Object.entries(values).filter(([field, value]) => value !== undefined && !path.fields.includes(field));
  if ('body' in rule) {
    const headers = { 'Content-Type': 'application/json' };
    return { url: formatted, method: rule.verb, headers, body: JSON.stringify(Object.fromEntries(rest)), reads };
  }
  const query = new URLSearchParams(
    rest.flatMap(([field, value]) => (Array.isArray(value) ? value : [value]).map((one) => [field, String(one)])),
  );
  return { url: query.size === 0 ? formatted : `${formatted}?${query}`, method: rule.verb, headers: {}, reads };
}

/** One event of a stream. */
export interface Streamed<T> {
  /** As the gateway numbers it, to resume after it. */
  readonly id: string | undefined;
  readonly event: T;
}

/** How one operation is called. */
interface CallOptions {
  readonly signal?: AbortSignal;
  /** Whether a refusal asks to sign in. Default: for operations that read, without which a page has nothing to show. */
  readonly needed?: boolean;
}

/** The admin service over HTTP+JSON, with the tab's credential. */
export const admin = {
  /** Calls an operation that has one answer. Rejects with a GatewayError. */
  async call<K extends Unary>(
    name: K,
    request: OperationTypes[K]['request'],
    { signal, needed }: CallOptions = {},
  ): Promise<Finite<OperationTypes[K]['response']>> {
    const { url, reads, ...written } = write(name, request);
    const timeout = AbortSignal.timeout(deadline);
    const signals = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const response = await callGateway(url, { ...written, signal: signals, needed: needed ?? reads });
    return response.json().catch((thrown: unknown) => Promise.reject(asGatewayError(thrown)));
  },

  /**
   * Opens a stream. The iteration ends with the stream, and throws a GatewayError where it fails or breaks.
   *
   * @param options `onOpen`: called when the gateway has accepted the call
   */
  async *stream<K extends Streaming>(
    name: K,
    request: OperationTypes[K]['request'],
    { signal, onOpen }: { readonly signal: AbortSignal; readonly onOpen?: () => void },
  ): AsyncGenerator<Streamed<Finite<OperationTypes[K]['response']>>, void, undefined> {
    const { url, reads, ...written } = write(name, request);
    const headers = { ...written.headers, Accept: 'text/event-stream' };
    const response = await callGateway(url, { ...written, headers, signal, needed: reads });
    onOpen?.();
    if (!response.body) return;
    try {
      for await (const { event, id, data } of readEvents(response.body, 64 << 20)) {
        const value = JSON.parse(data);
        if (event === 'error') throw errorOf(value);
        yield { id, event: value };
      }
    } catch (thrown) {
      throw asGatewayError(thrown);
    }
  },
};
