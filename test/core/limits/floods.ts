import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as startRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Many callers at once, some of which never read, against a gateway in a process of its own. */

/** A request as it is sent over HTTP/1.1. */
export interface FloodRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Results of a flood: the number of answers by status (of gRPC: by code). */
export type Outcome = Readonly<Record<string, number>>;

/** The gateway under the flood. */
export class Flooded {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly #sockets = new Set<{ destroy(): void }>();
  /** Answers of the last flood that are whole. */
  whole = 0;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** @param heap mebibytes of JavaScript's heap */
  static async start(store: string, settings: string, heap: number): Promise<Flooded> {
    const child = fork(fileURLToPath(new URL('../tasks/gateway-process.ts', import.meta.url)), [store, settings], {
      execArgv: [`--max-old-space-size=${heap}`],
      // Output of V8 about a full heap is discarded.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Flooded(child, port);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Bytes of memory that the process had at most; undefined where the system does not say. */
  get peak(): number | undefined {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    this.hangUp();
    if (!this.isAlive) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  /** Ends all connections of floods. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** One request, whose answer is read whole. */
  send({
    method = 'POST',
    path,
    headers,
    body,
  }: FloodRequest): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { host: '127.0.0.1', port: this.port, method, path, headers: { ...length, ...headers } };
      const sent = startRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /**
   * Sends the same request over many connections, several times over each, and counts the statuses.
   *
   * @param reads whether answers are read to their end. Otherwise nothing is read behind the first bytes of each
   *   connection
   * @param streams whether an answer goes on for ever: its first bytes are enough
   */
  async flood(
    request: FloodRequest,
    { connections, pipelined = 1, reads = true, streams = false }: Flood,
  ): Promise<Outcome> {
    const bytes = rawOf(request, this.port).toString('latin1').repeat(pipelined);
    const statuses: Record<string, number> = {};
    const note = (status: string): void => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      this.whole += 1;
    };
    this.whole = 0;
    const one = async (): Promise<void> => {
      const socket = connect(this.port, '127.0.0.1');
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.write(bytes, 'latin1');
      await (reads && !streams ? readAnswers(socket, pipelined, note) : readStatus(socket, note));
      if (reads) socket.destroy();
    };
    await Promise.all(Array.from({ length: connections }, one));
    return statuses;
  }

  /** Sends three quarters of a request over each of many connections, and closes them. */
  async breakOff(request: FloodRequest, connections: number): Promise<void> {
    const bytes = rawOf(request, this.port);
    const part = bytes.subarray(0, bytes.length * 0.75);
    const one = async (): Promise<void> => {
      const socket = connect(this.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const closed = once(socket, 'close');
      socket.write(part, () => socket.destroy());
      await closed;
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  /** Floods over the streams of one HTTP/2 connection. Statuses of gRPC are its codes. */
  async floodHttp2(request: FloodRequest, { streams, reads = true }: Http2Flood): Promise<Outcome> {
    // A client of Node refuses answers while it has more than its own bound to send.
    const options = { settings: { initialWindowSize: 65_535 }, maxSessionMemory: 1_000 };
    const session = connectHttp2(`http://127.0.0.1:${this.port}`, options);
    this.#sockets.add(session);
    session.on('error', () => undefined);
    const statuses: Record<string, number> = {};
    this.whole = 0;
    const { method = 'POST', path, headers = {}, body = '' } = request;
    const isGrpc = headers['content-type'] === 'application/grpc';
    const length = body === '' || isGrpc ? {} : { 'content-length': Buffer.byteLength(body) };
    await new Promise<void>((resolve) => {
      let ended = 0;
      const one = (): void => {
        const stream = session.request({ ':method': method, ':path': path, ...headers, ...length });
        let status: string | undefined;
        let noted = false;
        const note = (): void => {
          if (noted) return;
          noted = true;
          if (status !== undefined) {
            statuses[status] = (statuses[status] ?? 0) + 1;
            this.whole += 1;
          }
          ended += 1;
          if (ended === streams) resolve();
        };
        stream.on('error', note);
        stream.on('close', note);
        stream.on('response', (head) => {
          const code = head['grpc-status'] ?? (isGrpc && reads ? undefined : isGrpc ? 0 : head[':status']);
          if (code !== undefined) status = String(code);
          if (!reads) note();
        });
        stream.on('trailers', (trailers) => {
          if (isGrpc && reads) status = String(trailers['grpc-status']);
        });
        if (reads) stream.resume();
        else stream.pause();
        // Node has ended a GET already.
        if (method !== 'GET') stream.end(body);
      };
      for (let i = 0; i < streams; i += 1) one();
    });
    if (reads) session.destroy();
    return statuses;
  }
}

/** A call over gRPC. */
export const overGrpc = (path: string, message: Uint8Array): FloodRequest => ({
  path,
  headers: { 'content-type': 'application/grpc', te: 'trailers' },
  body: enveloped(message),
});

export interface Flood {
  readonly connections: number;
  readonly pipelined?: number;
  readonly reads?: boolean;
  readonly streams?: boolean;
}

export interface Http2Flood {
  readonly streams: number;
  readonly reads?: boolean;
}

/** A message with the prefix of gRPC and of streaming Connect. */
export function enveloped(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function rawOf({ method = 'POST', path, headers = {}, body = '' }: FloodRequest, port: number): Buffer {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers, 'content-length': Buffer.byteLength(body) });
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

const statusOf = (head: string): string => head.slice(9, 12);

/** Reads the first bytes alone; what follows stays where it is. */
function readStatus(socket: Socket, note: (status: string) => void): Promise<void> {
  return new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      note(statusOf(chunk.toString('latin1')));
      resolve();
    });
    socket.once('close', () => resolve());
  });
}

/** Reads so many answers, whose bodies it drops. */
function readAnswers(socket: Socket, answers: number, note: (status: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let head = '';
    let status = '';
    /** Bytes of the body that are still to come; -1: they come in chunks, up to an empty one. */
    let left: number | undefined;
    let seen = 0;
    const end = (): void => {
      note(status);
      left = undefined;
      seen += 1;
      if (seen === answers) resolve();
    };
    socket.on('close', () => resolve());
    socket.on('data', (data: Buffer) => {
      let chunk = data;
      while (chunk.length > 0 && seen < answers) {
        if (left === undefined) {
          const text = head + chunk.toString('latin1');
          const at = text.indexOf('\r\n\r\n');
          if (at < 0) {
            head = text;
            return;
          }
          status = statusOf(text);
          const length = /^content-length: (\d+)/im.exec(text.slice(0, at))?.[1];
          left = length === undefined ? -1 : Number(length);
          chunk = chunk.subarray(at + 4 - head.length);
          head = '';
          if (left === 0) end();
        } else if (left < 0) {
          // None of the bodies here has these five bytes elsewhere.
          const tail = head + chunk.toString('latin1');
          head = tail.slice(-4);
          chunk = chunk.subarray(chunk.length);
          if (!tail.endsWith('0\r\n\r\n')) continue;
          head = '';
          end();
        } else {
          const taken = Math.min(left, chunk.length);
          left -= taken;
          chunk = chunk.subarray(taken);
          if (left === 0) end();
        }
      }
    });
  });
}
