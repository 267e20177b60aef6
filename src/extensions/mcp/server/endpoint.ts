import { setTimeout as delay } from 'node:timers/promises';
import { logFailure } from '../../../core/middleware/logging.ts';
import { ownDialect } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { Store } from '../../../core/ports/store.ts';
import type { Dialects } from '../../../dialects/kernel/detect.ts';
import { sealedTokens } from '../../../net/credentials/sealed-tokens.ts';
import type { HttpContext } from '../../../transports/http/context.ts';
import type { Exchange } from '../../../transports/http/exchange.ts';
import { ExcessiveRequestError } from '../../../wire/counts.ts';
import { readRpcRequest } from '../../../wire/jsonrpc.ts';
import { answerElsewhere, type CallState, type CallStates, openState } from './asking.ts';
import { createElicitations, readResponse } from './elicitations.ts';
import { callKey, canceledBy, exactIdOf, type McpRequest, readRequest, withExactId } from './mcp-request.ts';
import { type OpenRequest, type OpenRequestOptions, openRequest } from './open-request.ts';
import { challengeOf, type RefusalOptions, sendError } from './refusal.ts';
import { type AgentToolsOptions, offerOf } from './tool-agents.ts';
import { openToolChanges, type ToolChanges, type ToolChangesOptions } from './tool-changes.ts';
import { sendWeb, webRequest } from './web-exchange.ts';

export interface McpEndpointOptions
  extends Pick<AgentToolsOptions, 'agents' | 'invoke' | 'refusalFor'>,
    Pick<RefusalOptions, 'resourceMetadata'>,
    Pick<OpenRequestOptions, 'version' | 'checkOperation' | 'retention'>,
    Pick<ToolChangesOptions, 'ongoing'>,
    Partial<Pick<ToolChangesOptions, 'streams'>> {
  readonly dialects: Dialects;
  readonly http: HttpContext;
  /** `answer`: maximum milliseconds for one response. Read at every request. */
  readonly limits: { readonly answer: number };
  /** Holds the secret that all replicas share. */
  readonly store: Pick<Store, 'secret'>;
}

/** Milliseconds for sending the last responses when the gateway stops. */
const leaving = 500;
/** Milliseconds between two checks whether they have been sent. */
const pause = 10;

/** A request, with the key by which a notification of its client cancels it, if there is one. */
interface PendingRequest {
  readonly request: OpenRequest;
  readonly isCall: boolean;
  readonly key: string | undefined;
  /** Reports changes of tools. */
  readonly stream: ToolChanges | undefined;
}

/**
 * Serves MCP at `/mcp` in both eras, without sessions: the owner of a task finds it by id over any connection and
 * replica. Clients of 2025-11-25 and earlier receive a session id in their first response. It only distinguishes their
 * requests, so that `notifications/cancelled` ends the right wait, and encodes which questions the client supports. No
 * session id is refused as unknown.
 */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #tools: AgentToolsOptions;
  readonly #stopping = new AbortController();
  readonly #open = new Set<PendingRequest>();
  readonly #elicitations = createElicitations();

  constructor(options: McpEndpointOptions) {
    const { dialects, http } = options;
    const dialect = dialects.byName.get(ownDialect);
    if (!dialect) throw new TypeError(`no dialect ${ownDialect}`);
    this.#options = options;
    this.#tools = { ...options, dialect, files: http.files };
  }

  async serve(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    const { http } = this.#options;
    let read: McpRequest = {};
    try {
      if (req.method === 'POST') read = await readRequest(http, exchange);
      else if (req.method !== 'GET') {
        // DELETE is not supported either, since there are no sessions to end.
        res.setHeader('Allow', 'GET, POST');
        throw new A2AError('verbNotAllowed');
      }
      await this.#answer(exchange, read);
    } catch (thrown) {
      this.#refuse(exchange, read, A2AError.from(thrown));
    }
  }

  /** Checks immediately whether the tools have changed. */
  checkCards(): void {
    for (const { stream } of this.#open) stream?.check();
  }

  /** Answers waiting calls with the current state of their tasks, and ends all streams. */
  async close(): Promise<void> {
    this.#stopping.abort();
    const hasCalls = (): boolean => [...this.#open].some(({ isCall }) => isCall);
    for (let left = leaving; left > 0 && hasCalls(); left -= pause) await delay(pause);
    await Promise.all([...this.#open].map(({ request }) => request.close()));
  }

  async #answer(exchange: Exchange, read: McpRequest): Promise<void> {
    const { res, requestId } = exchange;
    await this.#cancel(exchange, read);
    res.setHeader('X-Request-Id', requestId);
    if (await this.#takeResponse(exchange, read.body)) {
      res.writeHead(202).end();
      return;
    }
    const gone = new AbortController();
    const request = await this.#openRequest(exchange, read, gone.signal);
    const pending = this.#pendingOf(request, exchange, read);
    this.#open.add(pending);
    const end = (): void => {
      gone.abort();
      pending.stream?.release();
      this.#open.delete(pending);
      void request.close();
    };
    if (res.destroyed) end();
    else res.on('close', end);
    await sendWeb(res, withExactId(await request.answer(), read.exact), this.#options.http.streams);
  }

  /** Ends the call that a notification cancels. The call gets no response, and its task continues. */
  async #cancel(exchange: Exchange, { method, params }: McpRequest): Promise<void> {
    const canceled = method === 'notifications/cancelled' ? callKey(exchange, canceledBy(params)) : undefined;
    for (const one of this.#open) if (canceled !== undefined && one.key === canceled) await one.request.close();
  }

  /** Handles a response to a question. Returns whether the body is one. */
  async #takeResponse(exchange: Exchange, body: unknown): Promise<boolean> {
    const response = readResponse(body);
    if (!response) return false;
    const states = this.#statesOf(exchange);
    const state = await openState(states, response.state).catch(() => undefined);
    if (!state) return false;
    if (this.#elicitations.take(response) || !response.isOnly || !response.result) return true;
    const agent = offerOf(exchange, this.#tools).agents.find(({ name }) => name === state.agent);
    const { signal } = new AbortController();
    const wait = { signal, stopping: this.#stopping.signal, hops: 0, time: 0, onEvent: () => undefined };
    if (agent) await answerElsewhere(agent, state, response.result, states, wait);
    return true;
  }

  #openRequest(exchange: Exchange, read: McpRequest, gone: AbortSignal): Promise<OpenRequest> {
    const { version, retention, checkOperation, limits, http } = this.#options;
    return openRequest(
      { exchange, read, request: webRequest(exchange.req, gone) },
      {
        version,
        retention,
        checkOperation,
        answerTime: limits.answer,
        tools: this.#tools,
        states: this.#statesOf(exchange),
        elicitations: this.#elicitations,
        stopping: this.#stopping.signal,
        onFailure: (error) => logFailure(http.logger, error, logFields(exchange, read.method)),
      },
    );
  }

  #pendingOf(request: OpenRequest, exchange: Exchange, read: McpRequest): PendingRequest {
    const { http, streams, ongoing } = this.#options;
    const isCall = read.method === 'tools/call';
    const listens = exchange.req.method === 'GET' || read.method === 'subscriptions/listen';
    const watched = { http, tools: this.#tools, streams, ongoing };
    return {
      request,
      isCall,
      key: isCall ? callKey(exchange, read.exact?.id.rawJSON ?? read.id) : undefined,
      stream: listens ? openToolChanges(exchange, request.changed, watched) : undefined,
    };
  }

  #refuse(exchange: Exchange, read: McpRequest, error: A2AError): void {
    const { http, resourceMetadata } = this.#options;
    const { req, res, base } = exchange;
    http.meters.refused('mcp', error, exchange);
    logFailure(http.logger, error, logFields(exchange, undefined));
    const id = error instanceof ExcessiveRequestError ? readRpcRequest(error.envelope).id : exactIdOf(read);
    if (res.headersSent) res.destroy();
    else sendError(exchange, error, id ?? null, challengeOf(error, resourceMetadata(req, base)));
  }

  #statesOf({ principal }: Exchange): CallStates {
    const { store } = this.#options;
    const tokens = async () => sealedTokens<CallState>(await store.secret('mcp'), 'MCP request state');
    return { caller: principal.id, tokens };
  }
}

const logFields = ({ requestId, principal }: Exchange, method: string | undefined): object => ({
  request: requestId,
  binding: 'mcp',
  method,
  principal: principal.id,
});
