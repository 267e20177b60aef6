import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ZodError } from 'zod';
import { Exchange, exchanges } from './exchange.ts';
import { ToolFailure } from './failures.ts';
import { readTools } from './tool-list.ts';
import { type CallFacts, isObject, type JsonObject, type Progress, type Tool, type ToolCall } from './tool-server.ts';

/** The key of `_meta` that a call's hops go under, where there are no headers. */
export const hopsKey = 'a2a-gateway/hops';

/** What a session is opened with. */
export interface SessionOptions {
  /** Milliseconds without a result or a sign of progress after which a request is given up. */
  readonly timeout: number;
  readonly version: string;
  /** Told when the server says that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Told when the session is over and was not closed from here. */
  readonly onLost: (failure: ToolFailure) => void;
}

/** A transport that knows more of its end than that it came. */
export type ToolTransport = Transport & {
  readonly ending?: ToolFailure | undefined;
  terminateSession?(): Promise<void>;
};

/** As many times its timeout may a call take that shows progress. */
const longest = 10;
/** Timeouts are kept here, so the SDK's never comes. Milliseconds. */
const never = 2 ** 31 - 1;
/** Milliseconds that saying goodbye may take. */
const farewell = 1_000;
/** Pages of a list of tools, and tools, that are read. */
const mostPages = 100;
const mostTools = 2_000;

/** Results are passed on as they are, so the SDK has no schema to check them by. */
const unchecked = {
  getValidator: () => () => ({ valid: true as const, data: undefined as never, errorMessage: undefined }),
};

interface Asking {
  readonly signal: AbortSignal;
  readonly facts?: CallFacts;
  readonly timeout?: number;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * A session with an MCP server, by the official SDK's client over one transport. Every request ends: with its answer,
 * with its deadline, or as soon as it is clear that no answer can come.
 */
export class Session {
  readonly #client: Client;
  readonly #transport: ToolTransport;
  readonly #options: SessionOptions;
  readonly #open = new Set<Exchange>();
  #newest = -1;
  #closing = false;
  /** Why it is over, once it is. */
  ending: ToolFailure | undefined;

  private constructor(transport: ToolTransport, options: SessionOptions) {
    const { version } = options;
    this.#transport = transport;
    this.#options = options;
    this.#client = new Client({ name: 'a2a-gateway', version }, { jsonSchemaValidator: unchecked });
    this.#client.onclose = () =>
      this.lost(transport.ending ?? new ToolFailure('connection', 'The connection was closed'));
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onToolsChanged());
    this.#watch();
  }

  /** Opens a session. Rejects with what the transport or the server refused it for. */
  static async open(transport: ToolTransport, options: SessionOptions, signal: AbortSignal): Promise<Session> {
    const session = new Session(transport, options);
    try {
      await session.#exchange({ signal }, (_, exchange) => {
        exchange.connecting = true;
        return session.#client.connect(transport, { timeout: never });
      });
      return session;
    } catch (thrown) {
      session.#closing = true;
      await transport.close().catch(() => undefined);
      throw thrown;
    }
  }

  /** The server's tools, page by page. */
  async list(signal: AbortSignal): Promise<Tool[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: Tool[] = [];
    let cursor: unknown;
    for (let page = 0; page < mostPages && tools.length < mostTools; page += 1) {
      const params = typeof cursor === 'string' ? { cursor } : {};
      const answer = await this.#ask('tools/list', params, { signal });
      tools.push(...readTools(answer));
      cursor = answer.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') break;
    }
    const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    return tools.filter((tool) => byName.get(tool.name) === tool).slice(0, mostTools);
  }

  /** The result as the server sent it. */
  call({ name, arguments: given, signal, onProgress, ...facts }: ToolCall): Promise<JsonObject> {
    const _meta = { [hopsKey]: facts.hops, ...(facts.traceparent !== undefined && { traceparent: facts.traceparent }) };
    return this.#ask('tools/call', { name, arguments: given, _meta }, { signal, facts, onProgress });
  }

  /** Ends the session: what is under way fails. */
  async close(): Promise<void> {
    this.#closing = true;
    this.lost(new ToolFailure('connection', 'The connection is being closed'));
    const bye = this.#transport.terminateSession?.().catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, farewell);
    });
    await Promise.race([bye, late]);
    clearTimeout(timer);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  /** The session is over: nothing that is under way will be answered. */
  lost(failure: ToolFailure): void {
    if (this.ending) return;
    this.ending = failure;
    for (const exchange of this.#open) exchange.fail(failure);
    if (!this.#closing) this.#options.onLost(failure);
  }

  /** A request will not be answered; where it is not known which, all that are under way may be meant. */
  unanswered(failure: ToolFailure, id: number | undefined): void {
    const meant = [...this.#open].filter((exchange) => id === undefined || exchange.id === id);
    for (const exchange of meant) exchange.fail(failure);
  }

  async #ask(method: string, params: Record<string, unknown>, asking: Asking): Promise<JsonObject> {
    if (this.ending) throw this.ending;
    const { onProgress } = asking;
    return this.#exchange(asking, (signal, exchange) =>
      this.#client.request({ method, params }, ResultSchema, {
        signal,
        timeout: never,
        ...(onProgress && {
          onprogress: (progress) => {
            exchange.alive();
            onProgress(progress);
          },
        }),
      }),
    );
  }

  /** Runs one request of the SDK's until it is answered, or cannot be. */
  async #exchange<T>(asking: Asking, send: (signal: AbortSignal, exchange: Exchange) => Promise<T>): Promise<T> {
    const { signal, facts, timeout = this.#options.timeout } = asking;
    signal.throwIfAborted();
    const exchange = new Exchange(facts, timeout, timeout * longest);
    // Of its own, because the SDK would report a cancellation whenever it aborts, answered or not.
    const canceling = new AbortController();
    const abort = (): void => exchange.fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    this.#open.add(exchange);
    let answered = false;
    try {
      const answer = exchanges.run(exchange, () => send(canceling.signal, exchange));
      const settled = answer.finally(() => {
        answered = true;
      });
      settled.catch(() => undefined);
      return await Promise.race([settled, exchange.failed]);
    } catch (thrown) {
      throw signal.aborted ? signal.reason : this.#explain(thrown);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#open.delete(exchange);
      exchange.end(answered);
      if (!answered) canceling.abort('The call was given up');
    }
  }

  /** Looks at what goes out and comes in, for what the SDK would wait for in vain. */
  #watch(): void {
    const transport = this.#transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('id' in message && 'method' in message && typeof message.id === 'number') {
        this.#newest = Math.max(this.#newest, message.id);
        const exchange = exchanges.getStore();
        if (exchange) exchange.id = message.id;
      }
      return send(message, options);
    };
    transport.onmessage = (message: JSONRPCMessage) => this.#inspect(message);
  }

  #inspect(message: unknown): void {
    if (!isObject(message) || 'method' in message || !('id' in message)) return;
    const { id } = message;
    const asked = typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= this.#newest;
    if (!asked) {
      const said = new ToolFailure('invalidResponse', 'The server answered with an id that it was not asked with');
      this.unanswered(said, undefined);
    } else if (
      isJSONRPCErrorResponse(message as JSONRPCMessage) ||
      isJSONRPCResultResponse(message as JSONRPCMessage)
    ) {
      return;
    } else if ('result' in message && !isObject(message.result)) {
      this.unanswered(new ToolFailure('invalidResult', 'The result is not an object'), id);
    } else {
      this.unanswered(
        new ToolFailure('invalidResponse', 'The server answered with something that is not JSON-RPC'),
        id,
      );
    }
  }

  #explain(thrown: unknown): ToolFailure {
    if (thrown instanceof McpError) return protocolFailure(thrown);
    if (thrown instanceof StreamableHTTPError) return httpFailure(thrown);
    if (thrown instanceof ZodError) return new ToolFailure('invalidResult', 'The result does not fit MCP');
    if (thrown instanceof SyntaxError) return new ToolFailure('invalidResponse', 'The server answered with no JSON');
    return ToolFailure.from(thrown);
  }
}

/** What the SDK puts before an error's message. */
const prefix = /^MCP error -?\d+: /;

function protocolFailure({ code, message, data }: McpError): ToolFailure {
  return new ToolFailure('protocolError', message.replace(prefix, ''), {
    code: String(code),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}

/** Statuses with which a server says that it does not know the session (the spec says 404, many say 400). */
const sessionless: ReadonlySet<number> = new Set([400, 404]);
const unwelcome: ReadonlySet<number> = new Set([401, 403]);

function httpFailure(error: StreamableHTTPError): ToolFailure {
  const status = error.code ?? -1;
  if (status < 0) return new ToolFailure('invalidResponse', error.message);
  const details = { http_status: status };
  if (unwelcome.has(status)) {
    return new ToolFailure('refused', `The server does not let the gateway in (HTTP ${status})`, { details });
  }
  const condition = sessionless.has(status) ? 'sessionLost' : 'connection';
  return new ToolFailure(condition, `The server answered with the HTTP status ${status}`, { details });
}
