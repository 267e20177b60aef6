import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProtocolEra } from '@modelcontextprotocol/server';
import type { OpenStreams } from '../../../auth/stream-expiry.ts';
import type { CheckOperation } from '../../../core/limits/admission.ts';
import { Reservation } from '../../../core/limits/memory-budget.ts';
import type { StreamLimit } from '../../../core/limits/stream-limit.ts';
import { logFailure } from '../../../core/middleware/logging.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { defaultSemantics, ownDialect } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { newId } from '../../../core/model/ids.ts';
import { isObject } from '../../../core/model/json.ts';
import { steadyNow } from '../../../core/model/timing.ts';
import type { Store } from '../../../core/ports/store.ts';
import type { Dialects } from '../../../dialects/kernel/detect.ts';
import { sealedTokens } from '../../../net/credentials/sealed-tokens.ts';
import { newNotes } from '../../../transports/http/call-head.ts';
import type { HttpContext } from '../../../transports/http/context.ts';
import type { EventStreams } from '../../../transports/http/event-stream.ts';
import type { Exchange } from '../../../transports/http/exchange.ts';
import { contextOf } from '../../../transports/http/headers.ts';
import { ExcessiveRequestError } from '../../../wire/counts.ts';
import { exactNumber } from '../../../wire/exact-numbers.ts';
import { type RawNumber, type RpcId, readRpcRequest } from '../../../wire/jsonrpc.ts';
import { sseComment } from '../../../wire/sse.ts';
import { answerElsewhere, type CallState, type CallStates, openState } from './asking.ts';
import { createElicitations, elicitationMark, markedElicitation, readResponse } from './elicitations.ts';
import { challengeOf, type RefusalOptions, sendError } from './refusal.ts';
import type { McpServerOptions, Offer } from './server.ts';
import type { TaskRetention } from './tasks.ts';
import { type AgentToolsOptions, offerOf } from './tool-agents.ts';

export interface McpEndpointOptions
  extends Pick<AgentToolsOptions, 'agents' | 'invoke' | 'refusalFor'>,
    Pick<RefusalOptions, 'resourceMetadata'> {
  readonly version: string;
  readonly dialects: Dialects;
  readonly http: HttpContext;
  readonly checkOperation: CheckOperation;
  /** Read for every request: milliseconds that one answer may take. */
  readonly limits: { readonly answer: number };
  readonly retention: TaskRetention;
  /** Bounds the streams that report changed tools. Absent: any number. */
  readonly streams?: StreamLimit | undefined;
  /** Has the secret that all replicas share. */
  readonly store: Pick<Store, 'secret'>;
  /** Registers those streams, which end when their callers lose access. */
  readonly ongoing: OpenStreams;
}

export type McpEndpoint = ReturnType<typeof createMcpEndpoint>;

/** Milliseconds that a call waits by default: a little less than the official client's time-out. */
const defaultWait = 50_000;
/** Milliseconds to send the last answers when the gateway stops, and between two checks. */
const [leaving, pause] = [500, 10];

/** A request that is being served, in one of the two eras of MCP. */
interface OpenRequest {
  answer(): Promise<Response>;
  /** Reports changed tools to its client. */
  changed(): void;
  close(): Promise<void>;
}

/** A request and what cancels it: its client's notification, where it has a key. */
interface PendingRequest {
  readonly request: OpenRequest;
  readonly isCall: boolean;
  readonly key: string | undefined;
  /** Reports changed tools. */
  readonly stream: { check(): void } | undefined;
}

/**
 * Serves MCP at `/mcp` in both eras, without sessions: the owner of a task finds it by its id over any connection and
 * replica. Clients of 2025-11-25 and before get a session id in their first answer, which only tells their requests apart, so
 * that `notifications/cancelled` ends the right wait, and says what its client can be asked. No session id is refused as unknown.
 */
export function createMcpEndpoint(options: McpEndpointOptions) {
  const { http, agents, streams, ongoing, version } = options;
  const dialect = options.dialects.byName.get(ownDialect);
  if (!dialect) throw new TypeError(`no dialect ${ownDialect}`);
  const toolOptions = { ...options, dialect, files: http.files, budget: http.budget };
  const stopping = new AbortController();
  const open = new Set<PendingRequest>();
  const elicitations = createElicitations();
  const tokens = async () => sealedTokens<CallState>(await options.store.secret('mcp'), 'MCP request state');
  const statesOf = ({ principal }: Exchange): CallStates => ({ caller: principal.id, tokens });

  /** A server for one request: all state between requests is in the store. */
  async function connect(
    exchange: Exchange,
    { id, method, params, body }: McpRequest,
    request: Request,
  ): Promise<OpenRequest> {
    // Large, and loaded for MCP alone.
    const [sdk, { createMcpServer, listenFault, operationFor, waits }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./server.ts'),
    ]);
    const { principal, requestId, base, agent, req } = exchange;
    const takesStream = acceptsStream(req);
    // Refused by HTTP status: clients get a token with more scopes, and try again.
    const operation = operationFor(method, params?.name);
    if (operation !== undefined) options.checkOperation(principal, operation, requestId);
    const { answer } = options.limits;
    const states = statesOf(exchange);
    let offered: Offer | undefined;
    const offer = (): Offer => {
      offered ??= offerOf(exchange, toolOptions);
      return offered;
    };
    const newServer = (
      { era }: { readonly era: ProtocolEra },
      before2026?: Pick<McpServerOptions['asking'], 'declared' | 'elicit'>,
    ) =>
      createMcpServer({
        version,
        era,
        retention: options.retention,
        asking: { states, ...before2026 },
        title: base === '' ? undefined : agents.get(agent)?.card.name,
        reportsProgress: takesStream,
        offer,
        waitLimits: { default: Math.min(defaultWait, answer), most: answer },
        stopping: stopping.signal,
        onFailure: (error) => logFailure(http.logger, error, logFields(exchange, method)),
      });
    const parsed = { parsedBody: body };
    if (!(await sdk.isLegacyRequest(request, body))) {
      // The head of a call's answer, and signs of life after it, keep proxies from giving up before the result is there.
      const responseMode = takesStream && waits(offer, method, params?.name) ? 'sse' : 'auto';
      const handler = sdk.createMcpHandler((made) => newServer(made), {
        legacy: 'reject',
        responseMode,
        keepAliveMs: 0,
      });
      const fault = method === 'subscriptions/listen' ? listenFault(params) : undefined;
      const { code, message, data } = fault ?? {};
      const refusal = fault && { jsonrpc: '2.0', id, error: { code, message, data } };
      return {
        answer: async () => (refusal ? Response.json(refusal, { status: 400 }) : handler.fetch(request, parsed)),
        changed: () => handler.notify.toolsChanged(),
        close: handler.close,
      };
    }
    const server = newServer(
      { era: 'legacy' },
      {
        // A question to the client would need a stream.
        ...(takesStream && { declared: markedElicitation(req.headers['mcp-session-id']) }),
        elicit: (asked, signal) => {
          const during = AbortSignal.any([signal, AbortSignal.timeout(answer)]);
          return elicitations.ask(asked, (message) => transport.send(message, { relatedRequestId: id ?? 0 }), during);
        },
      },
    );
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      ...(method === 'initialize' && { sessionIdGenerator: () => newId() + elicitationMark(params?.capabilities) }),
      // Only calls report progress before their answer.
      enableJsonResponse: !takesStream || method !== 'tools/call',
      keepAliveMs: 0,
    });
    await server.connect(transport);
    return {
      answer: () => transport.handleRequest(request, parsed),
      changed: () => void server.server.sendToolListChanged().catch(() => undefined),
      close: () => transport.close(),
    };
  }

  /** Takes a response to a question. Returns whether it is one. */
  async function takeResponse(exchange: Exchange, body: unknown): Promise<boolean> {
    const response = readResponse(body);
    if (!response) return false;
    const states = statesOf(exchange);
    const state = await openState(states, response.state).catch(() => undefined);
    if (!state) return false;
    if (elicitations.take(response) || !response.isOnly || !response.result) return true;
    const agent = offerOf(exchange, toolOptions).agents.find(({ name }) => name === state.agent);
    const { signal } = new AbortController();
    const wait = { signal, stopping: stopping.signal, hops: 0, time: 0, onEvent: () => undefined };
    if (agent) await answerElsewhere(agent, state, response.result, states, wait);
    return true;
  }

  async function serve(exchange: Exchange): Promise<void> {
    const { req, res, requestId } = exchange;
    let read: McpRequest = {};
    const gone = new AbortController();
    try {
      if (req.method === 'POST') read = await readRequest(http, exchange);
      else if (req.method !== 'GET') {
        // Nor DELETE: there is no session that would end.
        res.setHeader('Allow', 'GET, POST');
        throw new A2AError('verbNotAllowed');
      }
      const { id, method, params } = read;
      const canceled = method === 'notifications/cancelled' ? callKey(exchange, canceledBy(params)) : undefined;
      // A canceled call gets no answer. Its task continues.
      for (const one of open) if (canceled !== undefined && one.key === canceled) await one.request.close();
      res.setHeader('X-Request-Id', requestId);
      if (await takeResponse(exchange, read.body)) {
        res.writeHead(202).end();
        return;
      }
      const request = await connect(exchange, read, webRequest(req, gone.signal));
      const isCall = method === 'tools/call';
      const listens = req.method === 'GET' || method === 'subscriptions/listen';
      const stream = listens ? listen(exchange, request.changed) : undefined;
      const key = isCall ? callKey(exchange, read.exact?.id.rawJSON ?? id) : undefined;
      const pending = { request, isCall, key, stream };
      open.add(pending);
      const end = (): void => {
        gone.abort();
        stream?.release();
        open.delete(pending);
        void request.close();
      };
      if (res.destroyed) end();
      else res.on('close', end);
      await sendWeb(res, withExactId(await request.answer(), read.exact), http.streams);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      http.meters.refused('mcp', error, exchange);
      logFailure(http.logger, error, logFields(exchange, undefined));
      const id = error instanceof ExcessiveRequestError ? readRpcRequest(error.envelope).id : exactIdOf(read);
      if (res.headersSent) res.destroy();
      else sendError(exchange, error, id ?? null, challengeOf(error, options.resourceMetadata(req, exchange.base)));
    }
  }

  /** Opens a stream that reports changed tools, counted among the caller's streams. */
  function listen(exchange: Exchange, changed: () => void) {
    const slot = streams?.take(
      contextOf(exchange, {
        binding: 'mcp',
        dialect: toolOptions.dialect,
        semantics: defaultSemantics,
        streaming: true,
        notes: newNotes(),
        budget: http.budget,
      }),
    );
    const watch = watchCards(() => offerOf(exchange, toolOptions).agents.map(({ card }) => card), changed);
    const meter = http.meters.streams.mcp;
    meter.open += 1;
    meter.begun += 1;
    const { principal, base, res } = exchange;
    // Without an agent in its path the stream is about all agents that the caller may call.
    const agent = base === '' ? '' : exchange.agent;
    const unregister = ongoing.add({ principal, agent, operation: undefined, end: () => void res.end() });
    const release = (): void => {
      meter.open -= 1;
      unregister();
      watch.stop();
      slot?.release();
    };
    return { check: watch.check, release };
  }

  return {
    serve,
    /** Checks now whether the tools have changed. */
    checkCards(): void {
      for (const { stream } of open) stream?.check();
    },
    /** Answers waiting calls with the tasks in their current state, and ends every stream. */
    async close(): Promise<void> {
      stopping.abort();
      const hasCalls = (): boolean => [...open].some(({ isCall }) => isCall);
      for (let left = leaving; left > 0 && hasCalls(); left -= pause) await delay(pause);
      await Promise.all([...open].map(({ request }) => request.close()));
    },
  };
}

const eventStream = 'text/event-stream';

/** The media ranges of `Accept` with a weight above zero, in lower case. */
function acceptedRanges({ headers: { accept = '' } }: IncomingMessage): string[] {
  return accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return type === '' || isRefused ? [] : [type];
  });
}

/**
 * Whether the answer to a request may be an event stream. Clients that do not name that media type, such as those with `*\/*`, get
 * one JSON object: it is what programs without an SDK read.
 */
const acceptsStream = (req: IncomingMessage): boolean => acceptedRanges(req).includes(eventStream);

/**
 * The `Accept` that the SDK gets, which refuses all but the one of the specification. An answer to POST is chosen by
 * `acceptsStream`. GET opens an event stream for clients that take any media type, and not for browsers.
 */
function acceptForSdk(req: IncomingMessage): string {
  if (req.method === 'POST') return `application/json, ${eventStream}`;
  const ranges = acceptedRanges(req);
  const takesAny = !req.headers.accept?.trim() || ranges.includes('*/*') || ranges.includes('text/*');
  return ranges.includes(eventStream) || (takesAny && !ranges.includes('text/html')) ? eventStream : 'text/html';
}

/** A request as the SDK takes it. Its body has been read. */
function webRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = req;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !name.startsWith(':') && name !== 'accept' ? [[name, value] as [string, string]] : [],
  );
  given.push(['accept', acceptForSdk(req)]);
  return new Request(new URL(url, 'http://gateway'), { method, headers: given, signal });
}

/** Sends an answer of the SDK, which writes no comments of its own: in its comments a blank line follows. */
async function sendWeb(
  res: ServerResponse,
  { status, headers, body }: Response,
  { keepAlive, watchdog }: Pick<EventStreams, 'keepAlive' | 'watchdog'>,
): Promise<void> {
  res.writeHead(status, Object.fromEntries(headers));
  if (headers.get('content-type') !== eventStream) {
    res.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    return;
  }
  res.flushHeaders();
  let wroteAt = steadyNow();
  const unwatch = watchdog.watch((now) => {
    if (res.destroyed || res.writableEnded) unwatch();
    else if (now - wroteAt >= keepAlive && !res.writableNeedDrain) {
      wroteAt = now;
      res.write(sseComment);
    }
  });
  Readable.fromWeb(body as ReadableStream)
    .once('error', () => res.destroy())
    .on('data', () => {
      wroteAt = steadyNow();
    })
    .pipe(res);
}

const logFields = ({ requestId, principal }: Exchange, method: string | undefined): object => ({
  request: requestId,
  binding: 'mcp',
  method,
  principal: principal.id,
});

/** A JSON-RPC request, as far as it has been read. */
interface McpRequest {
  readonly body?: unknown;
  readonly id?: Exclude<RpcId, RawNumber> | undefined;
  /** An id that a double cannot hold. `id` and the body have a text in its place, because the SDK takes safe integers only. */
  readonly exact?: { readonly id: RawNumber; readonly standIn: string };
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Refuses batches, which only MCP 2025-03-26 had: a batch of calls would count as one request.
 *
 * @throws A2AError for a body that is not JSON-RPC
 */
async function readRequest({ bodies, budget }: HttpContext, { req, res, principal }: Exchange): Promise<McpRequest> {
  const body = await bodies.readJson(req, Reservation.for(res, budget, principal), true);
  // Clients answer requests of the server with messages without a method.
  if (isObject(body) && !('method' in body) && ('result' in body || 'error' in body)) return { body };
  const request = readRpcRequest(body);
  if (request.error) throw request.error;
  const { id, method, params } = request;
  if (typeof id !== 'object' || id === null) return { id, method, params, body };
  const standIn = newId();
  return { id: standIn, method, params, body: { ...(body as object), id: standIn }, exact: { id, standIn } };
}

const exactIdOf = ({ id = null, exact }: McpRequest): RpcId => exact?.id ?? id;

/** The id of the request that a notification cancels. */
const canceledBy = (params: McpRequest['params'] = {}): unknown => exactNumber(params, 'requestId') ?? params.requestId;

/** An answer with the request's own id. Each chunk of an event stream is a whole event. */
function withExactId(answer: Response, exact: McpRequest['exact']): Response {
  if (!exact || !answer.body) return answer;
  const { id, standIn } = exact;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const replaced = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      controller.enqueue(encoder.encode(text.replaceAll(JSON.stringify(standIn), id.rawJSON)));
    },
  });
  return new Response(answer.body.pipeThrough(replaced), answer);
}

/** Identifies a call that its client may cancel. Undefined without a session id, which tells the clients apart. */
function callKey({ principal, req }: Exchange, id: unknown): string | undefined {
  const session = req.headers['mcp-session-id'];
  if (typeof session !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return JSON.stringify([principal.id, session, id]);
}

/** Milliseconds between two looks at the cards of a stream that reports changed tools. */
const watchPace = 1_000;

function watchCards(read: () => readonly AgentDescription[], onChange: () => void) {
  let former = read();
  const check = (): void => {
    const now = read();
    if (now.length === former.length && now.every((card, index) => card === former[index])) return;
    former = now;
    onChange();
  };
  const timer = setInterval(check, watchPace).unref();
  return { check, stop: () => clearInterval(timer) };
}
