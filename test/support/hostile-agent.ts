import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import * as http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Message, StreamResponse, Task, TaskState } from '../../src/core/model/a2a.ts';
import { card10, grpcWords, type HostileError, type ReceivedCall, type Words, words } from './hostile-words.ts';
import { afterTest } from './peer.ts';
import { Changes } from './until.ts';

/** An agent that does to its caller whatever a test wants, over bare HTTP. */

export type Speech = keyof typeof words | 'a2a-1.0 grpc';

/** The dialects and bindings whose streams and polls tests break. */
export const speeches: readonly Speech[] = [
  'a2a-1.0 jsonrpc',
  'a2a-1.0 rest',
  'a2a-1.0 grpc',
  'a2a-0.3 jsonrpc',
  'agentvault',
];

/** One for each way in which streams are read: JSON over HTTP/1.1, protobuf over HTTP/2, and a stream that is a second call. */
export const framings: readonly Speech[] = ['a2a-1.0 jsonrpc', 'a2a-1.0 grpc', 'agentvault'];

/** One call that the agent was sent, and every way to treat it, good and bad. */
export interface Exchange extends ReceivedCall {
  readonly headers: IncomingHttpHeaders;
  /** Answers an operation that answers with one value. */
  answer(value: object): void;
  /** Answers with an error in the agent's words. */
  refuse(error: HostileError): void;
  /** Answers as a server that does not have the operation. */
  lack(): void;
  /** Begins the stream without an event. */
  open(): void;
  /** Sends an event of a stream. Resolves when it is gone. */
  tell(event: StreamResponse): Promise<void>;
  /** Sends the first half of an event. */
  half(event: StreamResponse): Promise<void>;
  /** Ends the stream as it should. */
  end(): void;
  /** Breaks the connection as a crash does. */
  reset(): void;
  /** Resolves when the caller has gone, or all is said. */
  readonly closed: Promise<void>;
  /** The answer itself, for what has no name here; undefined over gRPC. */
  readonly res: ServerResponse | undefined;
  /** The stream of a call over gRPC. */
  readonly h2: http2.ServerHttp2Stream | undefined;
}

export type Act = (exchange: Exchange) => unknown;

/** Acts for the calls of each operation: the first act for the first call, the last for all further ones. */
export type Script = Readonly<Record<string, Act | readonly Act[]>>;

const methodNotFound: HostileError = { code: -32601, status: 404, reason: '', message: 'Method not found' };

export const errors = {
  taskNotFound: { code: -32001, status: 404, reason: 'TASK_NOT_FOUND', message: 'Task not found' },
  notCancelable: { code: -32002, status: 400, reason: 'TASK_NOT_CANCELABLE', message: 'Not cancelable' },
  internal: { code: -32603, status: 500, reason: 'INTERNAL_ERROR', message: 'The model failed' },
  unsupported: { code: -32004, status: 400, reason: 'UNSUPPORTED_OPERATION', message: 'Unsupported' },
} as const satisfies Record<string, HostileError>;

const grpcCodes: Readonly<Record<number, number>> = { [-32001]: 5, [-32002]: 9, [-32004]: 12, [-32603]: 13 };

const ids = { taskId: 'theirs-1', contextId: 'their-context' };

/** Events of the one task that the agent knows. */
export const events = {
  task: (state = 'SUBMITTED'): StreamResponse => ({
    task: { id: ids.taskId, contextId: ids.contextId, status: { state: `TASK_STATE_${state}` as TaskState } },
  }),
  status: (state: string, said?: string, more: object = {}): StreamResponse => ({
    statusUpdate: {
      ...ids,
      status: {
        state: `TASK_STATE_${state}` as TaskState,
        ...(said !== undefined && { message: messageOf(said) }),
        ...more,
      },
    },
  }),
  chunk: (text: string, append = true, lastChunk = false): StreamResponse => ({
    artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text }] }, append, lastChunk },
  }),
};

const messageOf = (text: string): Message => ({
  messageId: `said-${text}`,
  role: 'ROLE_AGENT',
  parts: [{ text }],
  ...ids,
});

/** Starts one; it is gone after the test. */
export async function startHostile(speech: Speech, script: Script = {}): Promise<HostileAgent> {
  const agent = new HostileAgent(speech, script);
  await agent.start();
  afterTest(() => agent.stop());
  return agent;
}

export class HostileAgent {
  script: Script;
  /** The card that is served; by default that of its speech. */
  card: object | undefined;
  cardTag: string | undefined;
  /** Refuses requests for the card and calls, before anything else. */
  gate: ((path: string, headers: IncomingHttpHeaders, res: ServerResponse) => boolean) | undefined;
  /** Every call, in order. */
  readonly calls: (ReceivedCall & { readonly headers: IncomingHttpHeaders })[] = [];
  readonly #changes = new Changes();
  /** Requests for the card: the value of If-None-Match. */
  readonly cardReads: (string | undefined)[] = [];
  #truth: Task | undefined;
  #speech: Speech;
  readonly #counts = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  #http = createServer();
  #http2: http2.Http2Server | undefined;
  #port = 0;
  #rpcPort = 0;

  constructor(speech: Speech, script: Script) {
    this.#speech = speech;
    this.script = script;
  }

  /** The agent's base URL. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Returns the true state of the task. */
  get truth(): Task {
    if (!this.#truth) throw new TypeError('there is no task yet');
    return this.#truth;
  }

  /** Changes the task without sending the event; returns the event. */
  happen(event: StreamResponse): StreamResponse {
    const { task, statusUpdate, artifactUpdate } = structuredClone(event);
    if (task) {
      this.#truth = task;
      return event;
    }
    const truth = this.truth;
    if (statusUpdate) {
      const { message } = truth.status;
      if (message) truth.history = [...(truth.history ?? []), message];
      truth.status = statusUpdate.status;
    }
    if (artifactUpdate) {
      const { artifact, append } = artifactUpdate;
      truth.artifacts ??= [];
      const known = truth.artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
      if (!known) truth.artifacts.push(artifact);
      else if (append) known.parts.push(...artifact.parts);
      else known.parts = artifact.parts;
    }
    return event;
  }

  /** Speaks otherwise from now on, over the same binding. */
  speak(speech: Speech): void {
    this.#speech = speech;
  }

  /** Resolves when an operation has been called so often. */
  async called(operation: string, times = 1): Promise<void> {
    await this.#changes.until(() => this.count(operation) >= times);
  }

  /** Returns the number of calls of an operation. */
  count(operation: string): number {
    return this.#counts.get(operation) ?? 0;
  }

  /** Listens, at the port of before if there was one. */
  async start(): Promise<void> {
    this.#http = createServer((req, res) => this.#serve(req, res).catch(() => res.destroy()));
    this.#http.on('connection', (socket) => this.#sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => this.#http.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
    if (this.#speech !== 'a2a-1.0 grpc') return;
    const rpc = http2.createServer();
    rpc.on('stream', (stream, headers) => void this.#serveGrpc(stream, headers).catch(() => stream.destroy()));
    rpc.on('connection', (socket: Socket) => this.#sockets.add(socket.on('error', () => undefined)));
    rpc.on('sessionError', () => undefined);
    await new Promise<void>((resolve) => rpc.listen(this.#rpcPort, '127.0.0.1', resolve));
    this.#http2 = rpc;
    this.#rpcPort = (rpc.address() as AddressInfo).port;
  }

  /** Is gone, with every connection. */
  async stop(): Promise<void> {
    const servers = [this.#http, this.#http2].flatMap((server) => (server?.listening ? [server] : []));
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await Promise.all(closed);
  }

  #words(): Words | undefined {
    return this.#speech === 'a2a-1.0 grpc' ? undefined : words[this.#speech];
  }

  async #serve(req: import('node:http').IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of req.setEncoding('utf8')) body += piece;
    const { method = 'GET', url: path = '/', headers } = req;
    if (this.gate?.(path, headers, res)) return;
    const words = this.#words();
    if (method === 'GET' && path === (words?.cardPath ?? '/.well-known/agent-card.json')) {
      this.#serveCard(headers['if-none-match'], res);
      return;
    }
    const call = words?.read(method, path, body);
    if (!words || !call) {
      res.writeHead(404).end();
      return;
    }
    const json = { 'content-type': 'application/json' };
    let opened = false;
    const open = (): void => {
      if (!opened) res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      opened = true;
    };
    const write = (text: string): Promise<void> => {
      open();
      return new Promise((resolve) => res.write(text, () => resolve()));
    };
    await this.#treat({
      ...call,
      headers,
      res,
      h2: undefined,
      answer: (value) => void res.writeHead(200, json).end(words.answer(call, value)),
      refuse: (error) => {
        const [status, text] = words.error(call, error);
        res.writeHead(status, json).end(text);
      },
      lack() {
        if (call.id === undefined) res.writeHead(404).end('Not Found');
        else res.writeHead(200, json).end(words.error(call, methodNotFound)[1]);
      },
      open,
      tell: (event) => write(words.frame(call, event)),
      half(event) {
        const frame = words.frame(call, event);
        return write(frame.slice(0, frame.length >> 1));
      },
      end: () => {
        open();
        res.end();
      },
      reset: () => void (req.socket as Socket).resetAndDestroy(),
      closed: new Promise((resolve) => res.once('close', resolve)),
    });
  }

  #serveCard(tag: string | undefined, res: ServerResponse): void {
    this.cardReads.push(tag);
    const served = this.card ?? this.#words()?.card(`${this.url}/rpc`) ?? card10(`127.0.0.1:${this.#rpcPort}`, 'GRPC');
    if (this.cardTag !== undefined && tag === this.cardTag) {
      res.writeHead(304, { etag: this.cardTag }).end();
      return;
    }
    const etag = this.cardTag === undefined ? {} : { etag: this.cardTag };
    res.writeHead(200, { 'content-type': 'application/json', ...etag }).end(JSON.stringify(served));
  }

  async #serveGrpc(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): Promise<void> {
    stream.on('error', () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const call = grpcWords.read(headers[':path'] ?? '', Buffer.concat(chunks));
    const head = { ':status': 200, 'content-type': 'application/grpc' };
    let trailers: http2.OutgoingHttpHeaders = { 'grpc-status': '0' };
    const open = (): void => {
      if (stream.headersSent) return;
      stream.respond(head, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    };
    const write = (bytes: Buffer): Promise<void> => {
      open();
      return new Promise((resolve) => stream.write(bytes, () => resolve()));
    };
    await this.#treat({
      ...call,
      headers,
      res: undefined,
      h2: stream,
      answer(value) {
        void write(grpcWords.frame(call.operation, value));
        stream.end();
      },
      refuse({ code, message }) {
        trailers = { 'grpc-status': String(grpcCodes[code] ?? 2), 'grpc-message': message };
        open();
        stream.end();
      },
      lack() {
        stream.respond({ ...head, 'grpc-status': '12', 'grpc-message': 'unknown method' }, { endStream: true });
      },
      open,
      tell: (event) => write(grpcWords.frame(call.operation, event)),
      half(event) {
        const frame = grpcWords.frame(call.operation, event);
        return write(frame.subarray(0, frame.length >> 1));
      },
      end() {
        open();
        stream.end();
      },
      reset: () => stream.session?.destroy(),
      closed: new Promise((resolve) => stream.once('close', resolve)),
    });
  }

  async #treat(exchange: Exchange): Promise<void> {
    const { operation, request } = exchange;
    // A client that probes for the agent's dialect asks for a task that does not exist.
    if (operation === 'GetTask' && !/^theirs-/.test(request.id)) {
      exchange.refuse(errors.taskNotFound);
      return;
    }
    this.calls.push(exchange);
    const count = this.count(operation);
    this.#counts.set(operation, count + 1);
    this.#changes.happened();
    const scripted = this.script[operation] ?? this.#manners[operation];
    const acts = scripted === undefined ? [] : [scripted].flat();
    const act = acts[Math.min(count, acts.length - 1)];
    if (act) await act(exchange);
    else exchange.lack();
  }

  /** Acts for calls that a test does not specify. */
  readonly #manners: Script = {
    GetTask: (exchange) => (this.#truth ? exchange.answer(this.#truth) : exchange.refuse(errors.taskNotFound)),
    CancelTask: (exchange) => exchange.refuse(errors.notCancelable),
  };
}
