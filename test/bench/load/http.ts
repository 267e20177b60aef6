import { connect, type Socket } from 'node:net';

/** Results of a load run. */
export interface Load {
  readonly requests: number;
  /** Milliseconds. */
  readonly elapsed: number;
  /** Milliseconds of every answer, in the order in which they came. */
  readonly latencies: readonly number[];
}

const headEnd = Buffer.from('\r\n\r\n');
const chunkedEnd = Buffer.from('0\r\n\r\n');

/** One HTTP/1.1 request, ready to be written. */
export function httpRequest(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const all = { Host: 'localhost', ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** One request, or what makes them where no two may be the same. */
export type Requests = Buffer | (() => Buffer);

/**
 * Sends the same request again and again over `connections` keep-alive connections for `duration` milliseconds. A
 * client that costs little, so that the server is what is measured. Throws when an answer is no success, or the first of a
 * connection does not contain `expect`.
 */
export async function loadHttp(
  port: number,
  request: Requests,
  { connections, duration, expect }: { connections: number; duration: number; expect: string },
): Promise<Load> {
  const begin = performance.now();
  const end = begin + duration;
  const lists = await Promise.all(
    Array.from({ length: connections }, () => drive(port, request, Buffer.from(expect), end)),
  );
  const latencies = lists.flat();
  return { requests: latencies.length, elapsed: performance.now() - begin, latencies };
}

function drive(port: number, requests: Requests, expect: Buffer, end: number): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const next = typeof requests === 'function' ? requests : () => requests;
  const latencies: number[] = [];
  let sent = performance.now();
  let answer: Buffer = Buffer.alloc(0);
  socket.on('connect', () => {
    sent = performance.now();
    socket.write(next());
  });
  socket.on('data', (data) => {
    answer = answer.length === 0 ? data : Buffer.concat([answer, data]);
    if (!isWhole(answer)) return;
    if (!isSuccess(answer) || (latencies.length === 0 && !answer.includes(expect))) {
      reject(new Error(`not the answer that was expected (${expect}):\n${answer.subarray(0, 2_000)}`));
      socket.destroy();
      return;
    }
    answer = Buffer.alloc(0);
    const now = performance.now();
    latencies.push(now - sent);
    sent = now;
    if (now < end) socket.write(next());
    else socket.end();
  });
  socket.on('error', reject);
  socket.on('close', () => resolve(latencies));
  return promise;
}

const success = Buffer.from('HTTP/1.1 20');

/** Whether the status of these bytes is a success. */
export const isSuccess = (answer: Buffer): boolean => answer.subarray(0, success.length).equals(success);

/** Whether these bytes are one whole answer. */
export function isWhole(answer: Buffer): boolean {
  const head = answer.indexOf(headEnd);
  if (head < 0) return false;
  const [, length] = /content-length: (\d+)/i.exec(answer.toString('latin1', 0, head)) ?? [];
  if (length !== undefined) return answer.length >= head + 4 + Number(length);
  return answer.subarray(-chunkedEnd.length).equals(chunkedEnd);
}
