import type { TaskStatus } from '../../src/core/model/a2a.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../src/gen/admin-v1/operations.ts';
import { adminHeaders } from './gateway.ts';
import { decodeSse } from './sse.ts';

type Json = Record<string, unknown>;

/** An event of a stream, with its id. */
export interface Streamed<E> {
  readonly id: string;
  readonly event: E;
}

/** Calls of a gateway over HTTP+JSON: of its admin service, with its admin key where it has one, and of its agents. */
export function callsOf(url: string, headers: Readonly<Record<string, string>> = {}) {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...init,
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        ...(path.startsWith('/admin/') && adminHeaders(url)),
        ...headers,
        ...init.headers,
      },
    });
  const answer = async <T>(response: Response): Promise<T> => {
    const body = (await response.json()) as Json;
    if (!response.ok) throw Object.assign(new Error(JSON.stringify(body)), { status: response.status, body });
    return body as T;
  };
  const post = async <T = Json>(path: string, body: object): Promise<T> =>
    answer(await request(path, { method: 'POST', body: JSON.stringify(body) }));
  return {
    request,
    get: async <T = Json>(path: string): Promise<T> => answer(await request(path)),
    post,
    /** Sends a message to the default agent. Resolves with its task. */
    async send(
      text: string,
      { immediately = true, ...message }: Json = {},
    ): Promise<{ id: string; contextId: string }> {
      const { task } = await post<{ task: { id: string; contextId: string } }>('/message:send', {
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...message },
        configuration: { returnImmediately: immediately },
      });
      return task;
    },
    /** The status of a task of the default agent, once it has ended. */
    async endOf(id: string): Promise<TaskStatus> {
      try {
        for await (const _ of this.stream(`/tasks/${id}:subscribe`, { method: 'POST' }));
      } catch {
        // A task that has ended has no stream.
      }
      const { status } = await this.get<{ status: TaskStatus }>(`/tasks/${id}`);
      return isTerminal(status.state) ? status : this.endOf(id);
    },
    /** A stream, which ends with the signal. Rejects when it is refused. */
    async *stream<E>(path: string, init: RequestInit = {}): AsyncGenerator<Streamed<E>> {
      const response = await request(path, { ...init, headers: { accept: 'text/event-stream', ...init.headers } });
      if (!response.ok || !response.body) await answer(response);
      else for await (const { id, data } of decodeSse(response.body)) yield { id: id ?? '', event: JSON.parse(data) };
    },
  };
}

/** Returns the joint answer of all replicas: they are asked again while one is too slow, and is named as missing. */
export async function complete<T extends { readonly missingReplicas?: readonly string[] }>(
  asked: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await asked();
    if (!answer.missingReplicas?.length) return answer;
  }
}

/** All values of a stream. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

/** An error of the admin service over JSON-RPC. */
export class AdminRefused extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(status: number, { code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** Calls an operation of the admin service over JSON-RPC, with the gateway's admin key where it has one. Rejects with AdminRefused. */
export async function askAdmin<K extends OperationName>(
  origin: string,
  operation: K,
  request: RequestOf<K>,
  headers: Readonly<Record<string, string>> = {},
): Promise<ResponseOf<K>> {
  const method = `admin/${operation.charAt(0).toLowerCase()}${operation.slice(1)}`;
  const response = await fetch(origin, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...adminHeaders(origin), ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: request }),
  });
  const { result, error } = (await response.json()) as { result?: ResponseOf<K>; error?: never };
  if (error) throw new AdminRefused(response.status, error);
  return result as ResponseOf<K>;
}
