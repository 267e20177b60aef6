import { connect, type Socket } from 'node:net';
import { isSuccess, isWhole, type Load } from './http.ts';

/** Milliseconds after which an answer is given up. */
const deadline = 10_000;

export interface PacedLoad extends Load {
  /** Milliseconds until the first event of each answer that is a stream. */
  readonly firsts: readonly number[];
}

/**
 * Sends the same request `rate` times a second for `duration` milliseconds, whether earlier ones are answered or not: a server
 * that is slow gets no fewer of them. A call takes a free connection, or opens another. Throws when an answer is no success,
 * does not contain `expect`, or takes longer than ten seconds.
 */
export async function loadPaced(
  port: number,
  request: Buffer,
  { rate, duration, expect }: { rate: number; duration: number; expect: string },
): Promise<PacedLoad> {
  const idle: Line[] = [];
  const all: Line[] = [];
  const latencies: number[] = [];
  const firsts: number[] = [];
  const call = async (): Promise<void> => {
    const line = idle.pop() ?? (await open(port, all));
    const { first, whole } = await line.ask(request, expect);
    latencies.push(whole);
    if (first !== undefined) firsts.push(first);
    idle.push(line);
  };
  const begin = performance.now();
  const calls: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (let due = 0; due < duration && failures.length === 0; due += 1_000 / rate) {
    const wait = begin + due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    calls.push(call().catch((error) => void failures.push(error)));
  }
  await Promise.all(calls);
  for (const line of all) line.close();
  if (failures.length > 0) throw failures[0];
  return { requests: latencies.length, elapsed: performance.now() - begin, latencies, firsts };
}

async function open(port: number, all: Line[]): Promise<Line> {
  const line = new Line(connect({ port, host: '127.0.0.1', noDelay: true }));
  all.push(line);
  await line.connected;
  return line;
}

/** One connection, which carries one call at a time. */
class Line {
  readonly #socket: Socket;
  readonly connected: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.connected = new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  }

  async ask(request: Buffer, expect: string): Promise<{ first: number | undefined; whole: number }> {
    const socket = this.#socket;
    const parts: Buffer[] = [];
    let first: number | undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const read = (data: Buffer): void => {
      parts.push(data);
      if (first === undefined && data.includes('data:')) first = performance.now() - sent;
      if (isWhole(Buffer.concat(parts))) resolve();
    };
    const ended = (): void => reject(new Error('the connection ended before the answer'));
    const timer = setTimeout(() => reject(new Error(`no answer within ${deadline} ms`)), deadline);
    socket.on('data', read).on('error', reject).on('close', ended);
    const sent = performance.now();
    socket.write(request);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      socket.off('data', read).off('error', reject).off('close', ended);
    }
    const whole = performance.now() - sent;
    const answer = Buffer.concat(parts);
    if (isSuccess(answer) && answer.includes(expect)) return { first, whole };
    throw new Error(`not the answer that was expected (${expect}):\n${answer.subarray(0, 2_000)}`);
  }

  close(): void {
    this.#socket.destroy();
  }
}
