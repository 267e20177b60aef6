import { httpRequest } from './load/http.ts';
import type { ServerProcess } from './server-process.ts';

/** Connections, and calls under way at once. */
export const connections = 16;

/** Text that brings a request to about 430 bytes. */
export const words = 'a message of an ordinary length '.repeat(8).trim();

const json = { 'Content-Type': 'application/json' };

/** Headers of a client of A2A 1.0. */
export const version10 = { 'A2A-Version': '1.0' };

export const post = (path: string, body: object, headers: Record<string, string> = {}): Buffer =>
  httpRequest('POST', path, { ...json, ...headers }, JSON.stringify(body));

export const rpc = (path: string, method: string, params: object, headers?: Record<string, string>): Buffer =>
  post(path, { jsonrpc: '2.0', id: 1, method, params }, headers);

/** The parameters of a message with this text, in A2A 1.0. */
export const params10 = (text: string, configuration?: object): object => ({
  message: { messageId: 'bench-message', role: 'ROLE_USER', parts: [{ text }] },
  ...(configuration && { configuration }),
});

/** Parameters of `SendMessage` in A2A 0.3. */
export const params03 = (text: string): object => ({
  message: { kind: 'message', messageId: 'bench-message', role: 'user', parts: [{ kind: 'text', text }] },
});

/** Parameters of `SendMessage` in the protobuf JSON of A2A 0.3. */
export const proto03 = (text: string): object => ({
  message: { messageId: 'bench-message', role: 'ROLE_USER', content: [{ text }] },
});

/** Makes a finished task on a server; resolves with its id. */
export async function finishedTask({ http }: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${http}/`, {
    method: 'POST',
    headers: { ...json, ...version10, Host: 'localhost' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: params10(words) }),
    signal: AbortSignal.timeout(10_000),
  });
  const { result } = (await response.json()) as { result: { task: { id: string } } };
  return result.task.id;
}
