import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { originSet, pageDoubt } from '../../auth/anonymous.ts';
import type { OngoingStreams } from '../../auth/ending.ts';
import { Reservation } from '../../core/limits/reservation.ts';
import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import { defaultSemantics } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { HttpContext } from '../../transports/http/context.ts';
import type { Exchange, ExchangeHandler, RefusalHandler, RefusedExchange } from '../../transports/http/exchange.ts';
import { contextOf, errorHeaders, newNotes, send } from '../../transports/http/headers.ts';
import { RequestFacts } from '../../transports/http/request-facts.ts';
import { type RpcId, readRpcRequest, rpcError } from '../../wire/jsonrpc.ts';
import { packageVersion } from '../compose/version.ts';
import { CardWatch } from './card-watch.ts';
import { type AgentToolsOptions, agentsOf, dialectOf, scopeOf } from './tool-agents.ts';

/** Below an agent's base, and at the root: where agents are tools of MCP. */
const mcpPath = '/mcp';

/** What MCP is served with. */
export interface McpEndpointOptions extends Omit<AgentToolsOptions, 'files' | 'budget'> {
  readonly ground: HttpContext;
  /** Read for every request. */
  readonly limits: {
    /** Milliseconds that one answer may take. */
    readonly answer: number;
  };
  /** Where streams that wait for news of the tools have their places. Absent: any number. */
  readonly streams?: StreamLimit | undefined;
  /** Told of those streams, each of which ends when its caller is not let in any more. */
  readonly ongoing: OngoingStreams;
  /** Origins of web pages that are served. */
  readonly origins: () => readonly string[];
  /** Where callers without credentials learn how to get some for a path: a URL. Undefined: nowhere. */
  readonly resourceMetadata: (req: IncomingMessage, path: string) => string | undefined;
}

/** Agents as tools, over MCP's streamable HTTP. */
export interface McpEndpoint {
  readonly handle: ExchangeHandler;
  readonly refuse: RefusalHandler;
  /** Looks now whether there are other tools than before. */
  look(): void;
  /** Answers whoever waits with what there is, and ends every stream. */
  close(): Promise<void>;
}

/** Milliseconds that calls wait by themselves: a little less than the official client does. */
const usualWait = 50_000;
/** Milliseconds that answers have to leave when the gateway stops, and between two looks whether they have left. */
const [leaving, pause] = [500, 10];

/**
 * Serves MCP (2025-11-25 and before) at `/mcp`. It keeps no sessions: a task is found by its id by whoever owns it, over
 * whatever connection and gateway. The session id that clients get with their first answer only tells their requests
 * apart, so that `notifications/cancelled` ends the wait that it means; none is ever refused as unknown.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { ground, agents, streams, ongoing } = options;
  const version = packageVersion();
  const stopping = new AbortController();
  const watch = new CardWatch();
  const open = new Set<Transport>();
  /** Calls that are waited for, by whose they are and their ids. */
  const waiting = new Map<string, Transport>();
  let calls = 0;

  /** A page of a foreign origin is refused as such (MCP 2025-11-25, transports), not asked for credentials. */
  function isOfPage({ req }: RefusedExchange, { kind }: A2AError): boolean {
    const trusted = originSet(options.origins());
    const shown = req.headers.authorization !== undefined || req.headers['x-api-key'] !== undefined;
    if (kind !== 'unauthenticated' || shown || trusted.has('*')) return false;
    return pageDoubt(new RequestFacts(req), trusted) !== undefined;
  }

  const isOurs = ({ path, pinned }: RefusedExchange): boolean => path === mcpPath && !pinned;

  /** A transport and a server for one request: what is kept between two of them is in the store. */
  async function transportFor(
    exchange: Exchange,
    asked: Asked,
  ): Promise<{ transport: ServerTransport; changed: () => void }> {
    // Large, and needed by nobody else.
    const [{ StreamableHTTPServerTransport }, { createMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('../../mcp/server.ts'),
    ]);
    const toolAgents = { ...options, files: ground.files, budget: ground.budget };
    const { answer } = options.limits;
    const server = createMcpServer({
      version,
      offer: () => ({ scope: scopeOf(exchange, agents), agents: agentsOf(exchange, toolAgents) }),
      patience: { usual: Math.min(usualWait, answer), most: answer },
      stopping: stopping.signal,
      onFailure: (error) => logFailure(ground.logger, error, placeOf(exchange, asked.method)),
    });
    const begins = asked.method === 'initialize';
    const transport = new StreamableHTTPServerTransport({
      ...(begins && { sessionIdGenerator: newId }),
      // Only calls have something to tell before their answer.
      enableJsonResponse: asked.method !== 'tools/call',
    });
    // Their optional properties are written in two ways.
    await server.connect(transport as Transport);
    return { transport, changed: () => void server.sendToolListChanged().catch(() => undefined) };
  }

  async function serve(exchange: Exchange): Promise<void> {
    const { req, res, requestId } = exchange;
    let asked: Asked = {};
    try {
      if (req.method === 'POST') asked = await readAsked(ground, exchange);
      const canceled = canceledCall(exchange, asked);
      if (canceled !== undefined) {
        const transport = waiting.get(canceled);
        // There is no answer to a call that was canceled; the task goes on.
        await transport?.close();
      }
      res.setHeader('X-Request-Id', requestId);
      const { transport, changed } = await transportFor(exchange, asked);
      const key = asked.method === 'tools/call' ? callKey(exchange, asked.id) : undefined;
      const release = req.method === 'GET' ? listen(exchange, changed) : () => {};
      const isCall = asked.method === 'tools/call';
      open.add(transport as Transport);
      if (isCall) calls += 1;
      if (key !== undefined) waiting.set(key, transport as Transport);
      const end = (): void => {
        release();
        open.delete(transport as Transport);
        if (isCall) calls -= 1;
        if (key !== undefined && waiting.get(key) === transport) waiting.delete(key);
        void transport.close();
      };
      if (res.destroyed) end();
      else res.on('close', end);
      await transport.handleRequest(req, res, asked.body);
    } catch (thrown) {
      answerError(ground, exchange, A2AError.from(thrown), asked.id);
    }
  }

  /** A stream that tells of changed tools has a place among those of its caller. */
  function listen(exchange: Exchange, changed: () => void): () => void {
    const place = streams?.take(
      contextOf(exchange, {
        binding: 'mcp',
        dialect: dialectOf(options),
        implied: defaultSemantics,
        streaming: true,
        notes: newNotes(),
        budget: ground.budget,
      }),
    );
    const toolAgents = { ...options, files: undefined, budget: ground.budget };
    const forget = watch.add({
      cards: () => agentsOf(exchange, toolAgents).map(({ card }) => card),
      onChange: changed,
    });
    const meter = ground.meters.streams.mcp;
    meter.open += 1;
    meter.begun += 1;
    const { principal, agent, base, res } = exchange;
    // Without an agent in its path it is about all that the caller may call.
    const about = base === '' ? '' : agent;
    const left = ongoing.add({ principal, agent: about, operation: undefined, end: () => void res.end() });
    return () => {
      meter.open -= 1;
      left();
      forget();
      place?.release();
    };
  }

  return {
    handle: (exchange) => isOurs(exchange) && serve(exchange),
    refuse: (refused, error) => {
      if (!isOurs(refused)) return false;
      const { req, base } = refused;
      const metadata = options.resourceMetadata(req, base + mcpPath);
      const told = isOfPage(refused, error) ? new A2AError('permissionDenied', error.message) : error;
      ground.meters.refused('mcp', told.kind, refused);
      return refuse(refused, told, metadata);
    },
    look: () => watch.check(),
    async close() {
      stopping.abort();
      for (let left = leaving; left > 0 && calls > 0; left -= pause) await delay(pause);
      await Promise.all([...open].map((transport) => transport.close()));
    },
  };
}

type ServerTransport = InstanceType<
  typeof import('@modelcontextprotocol/sdk/server/streamableHttp.js')['StreamableHTTPServerTransport']
>;

/** What the log says of where something failed. */
const placeOf = ({ requestId, principal }: Exchange, method: string | undefined): object => ({
  request: requestId,
  binding: 'mcp',
  method,
  principal: principal.id,
});

/** What a request asks for, as far as it is known. */
interface Asked {
  readonly body?: unknown;
  readonly id?: RpcId | undefined;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Answers of clients have no method. */
const isAnswer = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !('method' in body) && ('result' in body || 'error' in body);

/**
 * Batches are refused: one version of MCP (2025-03-26) had them, and a batch of calls would count as one request.
 *
 * @throws A2AError for a body that is no JSON-RPC
 */
async function readAsked({ bodies, budget }: HttpContext, { req, res, principal }: Exchange): Promise<Asked> {
  const body = await bodies.readJson(req, Reservation.for(res, budget, principal));
  if (isAnswer(body)) return { body };
  const request = readRpcRequest(body);
  if (request.error) throw request.error;
  return { body, id: request.id, method: request.method, params: request.params };
}

/** What a call is known by that its client may want to cancel. Without a session id nobody could tell whose it is. */
function callKey({ principal, req }: Exchange, id: unknown): string | undefined {
  const session = req.headers['mcp-session-id'];
  if (typeof session !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return JSON.stringify([principal.id, session, id]);
}

const canceledCall = (exchange: Exchange, { method, params }: Asked): string | undefined =>
  method === 'notifications/cancelled' ? callKey(exchange, params?.requestId) : undefined;

function answerError(ground: HttpContext, exchange: Exchange, error: A2AError, id: RpcId | undefined): void {
  const { res, requestId } = exchange;
  ground.meters.refused('mcp', error.kind, exchange);
  logFailure(ground.logger, error, placeOf(exchange, undefined));
  if (res.headersSent) res.destroy();
  else sendError(res, requestId, error, id ?? null);
}

function sendError(res: ServerResponse, requestId: string, error: A2AError, id: RpcId, challenge?: string): void {
  const { jsonrpc: code, http } = error.row;
  const headers = ['X-Request-Id', requestId, ...errorHeaders(error, challenge ?? error.challenge)];
  send(res, http, headers, 'application/json', rpcError(id, { code, message: error.message, data: error.details() }));
}

/** MCP's clients look in the challenge for where to get tokens (RFC 9728 section 5.1). */
function withMetadata(challenge: string, url: string | undefined): string {
  if (url === undefined) return challenge;
  return challenge.replace(/^Bearer realm="[^"]*"/, (scheme) => `${scheme}, resource_metadata="${url}"`);
}

async function refuse(
  { res, requestId }: RefusedExchange,
  error: A2AError,
  metadata: string | undefined,
): Promise<void> {
  const challenge = withMetadata(error.challenge ?? 'Bearer realm="a2a-gateway"', metadata);
  sendError(res, requestId, error, null, challenge);
}
