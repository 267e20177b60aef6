import { connect, type Socket } from 'node:net';
import { httpRequest } from '../load/http.ts';

const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };

const body = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const message = (text: string): object => ({ messageId: 'bench', role: 'ROLE_USER', parts: [{ text }] });

/** Begins a task that a gateway's reference agent works on; resolves with its id as soon as there is one. */
export async function begin(port: number, text: string): Promise<string> {
  const params = { message: message(text), configuration: { returnImmediately: true } };
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers,
    body: body('SendMessage', params),
    signal: AbortSignal.timeout(30_000),
  });
  const { result } = (await response.json()) as { result?: { task?: { id: string } } };
  if (!result?.task) throw new Error('no task');
  return result.task.id;
}

/** A stream that has begun: everything that comes on it is handed to `hear`, with the time when it came. */
export async function follow(port: number, id: string, hear: (text: string, at: number) => void): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const request = httpRequest(
    'POST',
    '/',
    { ...headers, Accept: 'text/event-stream' },
    body('SubscribeToTask', { id }),
  );
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request));
  socket.setTimeout(60_000, () => reject(new Error('no stream within a minute')));
  socket.on('error', reject);
  socket.on('data', (data) => {
    const text = data.toString();
    if (text.startsWith('HTTP/1.1 200')) {
      socket.setTimeout(0);
      resolve(socket);
    } else if (text.startsWith('HTTP/1.1')) reject(new Error(text));
    hear(text, performance.now());
  });
  return promise;
}

/** Resolves when every number has been seen in `chunk N"`, with when each one was. */
export function chunkTimes(count: number): {
  readonly hear: (text: string, at: number) => void;
  readonly all: Promise<Map<number, number>>;
} {
  const seen = new Map<number, number>();
  const { promise, resolve } = Promise.withResolvers<Map<number, number>>();
  let rest = '';
  return {
    hear(text, at) {
      const whole = rest + text;
      rest = whole.slice(-20);
      for (const [, n] of whole.matchAll(/chunk (\d+)"/g)) if (!seen.has(Number(n))) seen.set(Number(n), at);
      if (seen.has(count)) resolve(seen);
    },
    all: promise,
  };
}
