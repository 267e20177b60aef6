import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { Authenticate } from '../../../src/core/limits/admission.ts';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Call, Invoke, LoggedEvent, Reply } from '../../../src/core/model/call.ts';
import type { AgentDirectory } from '../../../src/core/ports/agent-directory.ts';
import type { Dialects } from '../../../src/dialects/kernel/detect.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createHttpContext, type HttpContext, type HttpContextOptions } from '../../../src/transports/http/context.ts';
import { createCors } from '../../../src/transports/http/cors.ts';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from '../../../src/transports/http/dispatcher.ts';
import { createJsonRpcServer } from '../../../src/transports/jsonrpc/server.ts';
import { createRestServer } from '../../../src/transports/rest/server.ts';
import { silent } from '../../support/core.ts';
import { listenOn } from '../../support/peer.ts';

export const agentNamed = (name: string): Agent => ({
  card: {
    name,
    description: `the agent ${name}`,
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  },
  // Never executed: calls end in the test's own invoke.
  execute: () => {
    throw new Error('not executed');
  },
});

export const directoryOf = (names: readonly string[], over: Partial<AgentDirectory> = {}): AgentDirectory => {
  const agents = new Map(names.map((name) => [name, agentNamed(name)]));
  return { defaultName: names[0], names, get: (name) => agents.get(name), forHost: () => undefined, ...over };
};

export interface Serving {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly dispatch: Dispatcher;
  readonly http: HttpContext;
  readonly dialects: Dialects;
  /** Every call that arrived. */
  readonly calls: Call[];
  close(): Promise<void>;
}

export interface ServingOptions extends Partial<Omit<DispatcherOptions, 'cors' | 'http'>> {
  readonly invoke?: Invoke;
  readonly limits?: Partial<HttpContextOptions>;
  readonly origins?: readonly string[];
}

export const echo: Invoke = async () => ({
  value: { message: { messageId: 'a1', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } },
});

const admitAll: Authenticate = () => ({ id: 'tester', anonymous: true });

/** The dispatcher with its JSON-RPC and HTTP+JSON bindings on a port of loopback, before an invoke of the test's own. */
export async function serve(options: ServingOptions = {}): Promise<Serving> {
  const { invoke = echo, limits, origins = [], ...over } = options;
  const http = createHttpContext({ logger: silent, ...limits });
  const dialects = over.dialects ?? createDialects();
  const calls: Call[] = [];
  const recorded: Invoke = (call) => {
    calls.push(call);
    return invoke(call);
  };
  const jsonrpc = createJsonRpcServer({ dialects, invoke: recorded, http, card: () => ({ name: 'an agent' }) });
  const rest = createRestServer({ dialects, invoke: recorded, http });
  const dispatch = createDispatcher({
    agents: directoryOf(['demo', 'weather']),
    dialects,
    http,
    authenticate: admitAll,
    bindings: [jsonrpc, rest],
    cors: () => createCors(origins),
    card: ({ agent, dialects: readers, origin, base, pinned }) => ({
      agent,
      readers: readers.map(({ name }) => name),
      url: `${origin}${base}${pinned ? `/as/${pinned.name}` : ''}`,
    }),
    ...over,
  });
  const server = createServer((req, res) => {
    if (!dispatch(req, res)) dispatch.notFound(req, res);
  });
  const { origin: url, port, close } = await listenOn(server);
  return {
    url,
    port,
    server,
    dispatch,
    http,
    dialects,
    calls,
    close,
  };
}

/** The one of the test under way; it is closed after the test. */
export let serving: Serving;

export async function start(options: ServingOptions = {}): Promise<Serving> {
  serving = await serve(options);
  return serving;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly json: any;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** A SendMessage of v1. */
export const sendRequest = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };

export const rpc = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

/** Writes bytes to a port and gives back all that comes until the other side closes. */
export function raw(port: number, text: string | Buffer, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

export const logged = (seq: number, event: StreamResponse): LoggedEvent => ({
  seq,
  at: 0,
  generation: 0,
  event,
  json: JSON.stringify(event),
});

export const chunk = (seq: number, text = `chunk ${seq}`): LoggedEvent =>
  logged(seq, {
    artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId: 'a', parts: [{ text }] }, append: true },
  });

/** A stream that the test feeds. */
export class Source implements AsyncIterableIterator<LoggedEvent> {
  readonly #waiting: ((result: IteratorResult<LoggedEvent>) => void)[] = [];
  readonly #ready: LoggedEvent[] = [];
  #ended = false;
  /** Resolves when the reader ended the iteration. */
  readonly returned: Promise<void>;
  #returned = (): void => {};
  /** The number of times that an event was asked for. */
  pulled = 0;

  constructor() {
    this.returned = new Promise((resolve) => {
      this.#returned = resolve;
    });
  }

  push(...events: LoggedEvent[]): void {
    for (const event of events) {
      const waiting = this.#waiting.shift();
      if (waiting) waiting({ done: false, value: event });
      else this.#ready.push(event);
    }
  }

  end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<LoggedEvent>> {
    this.pulled += 1;
    const value = this.#ready.shift();
    if (value) return Promise.resolve({ done: false, value });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<LoggedEvent>> {
    this.#returned();
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

export const streaming =
  (events: () => AsyncIterable<LoggedEvent>): Invoke =>
  async (): Promise<Reply> => ({ events: events() });
