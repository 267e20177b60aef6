import { isMap, type Value } from '../values.ts';
import { answerOf, eventsOf } from './http.ts';
import type { WireError } from './transport.ts';
import { type Endpoint, type EventStream, failed, Refused, type Reply, reasonIn, type Transport } from './transport.ts';

/** A2A over JSON-RPC. */
export function overJsonRpc({ origin, headers }: Endpoint): Transport {
  const request = (method: string, params: Value, signal?: AbortSignal): Promise<Response> =>
    answerOf(`${origin}/`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params }),
      ...(signal && { signal }),
    });

  return {
    binding: 'jsonrpc',
    async call(rpc, params): Promise<Reply> {
      const response = await request(rpc, params);
      const answer: Value = await response.json();
      const given = Object.fromEntries(response.headers);
      const error = errorIn(answer);
      if (error) return failed(response.status, given, error);
      return { status: response.status, headers: given, body: isMap(answer) ? answer.result : undefined };
    },
    stream(rpc, params): EventStream {
      const leaving = new AbortController();
      return { events: read(request(rpc, params, leaving.signal)), close: () => leaving.abort() };
    },
    close() {},
  };
}

async function* read(response: Promise<Response>): AsyncGenerator<Value> {
  for await (const answer of eventsOf(await response)) {
    const error = errorIn(answer);
    if (error) throw new Refused(error);
    yield isMap(answer) ? answer.result : undefined;
  }
}

function errorIn(answer: Value): WireError | undefined {
  if (!isMap(answer) || !isMap(answer.error)) return undefined;
  const { code, message, data } = answer.error;
  return { code, message: String(message), data, reason: reasonIn(data) };
}
