import { getOption } from '@bufbuild/protobuf';
import { isMap, type Value } from '../values.ts';
import { answerOf, eventsOf } from './http.ts';
import { httpRule, rpcOf } from './registry.ts';
import {
  type Endpoint,
  type EventStream,
  failed,
  jsonOf,
  Refused,
  type Reply,
  reasonIn,
  type Transport,
  type WireError,
} from './transport.ts';

/** The part of google.api.HttpRule that is used here. */
interface HttpRule {
  readonly pattern: { readonly case?: string; readonly value?: unknown };
  readonly body: string;
}

/** A2A over HTTP+JSON. Paths and methods are those of the proto's HTTP rules. */
export function overRest({ origin, headers }: Endpoint): Transport {
  const request = (rpc: string, params: Value, signal?: AbortSignal): Promise<Response> => {
    const { method, path, body } = httpCall(rpc, params);
    return answerOf(`${origin}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/a2a+json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  };

  return {
    binding: 'rest',
    async call(rpc, params): Promise<Reply> {
      const response = await request(rpc, params);
      const { status } = response;
      const body = jsonOf(await response.text());
      const given = Object.fromEntries(response.headers);
      if (!response.ok) return failed(status, given, errorOf(status, body));
      // An answer without a body is an empty message.
      return { status, headers: given, body: body ?? {} };
    },
    stream(rpc, params): EventStream {
      const leaving = new AbortController();
      return { events: read(request(rpc, params, leaving.signal)), close: () => leaving.abort() };
    },
    close() {},
  };
}

async function* read(opening: Promise<Response>): AsyncGenerator<Value> {
  const response = await opening;
  if (!response.ok) throw new Refused(errorOf(response.status, jsonOf(await response.text())));
  for await (const event of eventsOf(response)) {
    if (isMap(event) && isMap(event.error)) throw new Refused(errorOf(response.status, event));
    yield event;
  }
}

function errorOf(status: number, body: Value): WireError {
  const { message, details } = isMap(body) && isMap(body.error) ? body.error : { message: '', details: [] };
  return { code: status, message: String(message), data: details, reason: reasonIn(details) };
}

/** The request of HTTP by which an operation is called. */
function httpCall(rpc: string, params: Value) {
  const { pattern, body } = getOption(rpcOf(rpc), httpRule) as unknown as HttpRule;
  const rest = new Map(Object.entries(isMap(params) ? params : {}));
  const path = String(pattern.value).replaceAll(/\{(\w+)(?:=[^}]*)?\}/g, (_, field: string) => {
    const name = field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value ?? ''));
  });
  const query =
    body === '*'
      ? ''
      : String(new URLSearchParams([...rest].map(([name, value]): [string, string] => [name, String(value)])));
  return {
    method: String(pattern.case).toUpperCase(),
    path: query === '' ? path : `${path}?${query}`,
    body: body === '*' ? Object.fromEntries(rest) : undefined,
  };
}
