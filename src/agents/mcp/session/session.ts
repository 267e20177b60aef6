import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type JSONRPCMessage,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { hopsMeta } from '../../../core/model/call.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolCallContext, ToolProgress } from '../tool-server.ts';
import { currentRequest, PendingRequest } from './pending-request.ts';
import { checkResponse, failureFrom, readTools } from './responses.ts';

/** What a session is opened with. */
export interface McpSessionOptions {
  /** Milliseconds without a result or a sign of progress after which a request is given up. */
  readonly timeout: number;
  readonly version: string;
  /** Of the caller whose credentials open the session, where they are not the gateway's. */
  readonly facts?: ToolCallContext | undefined;
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
/** Milliseconds that a server may take to start, and to list its tools, where its calls may not take as long. */
const starting = 30_000;
/** Pages of a list of tools, and tools, that are read. */
const mostPages = 100;
const mostTools = 2_000;

/** Results are passed on as they are, so the SDK has no schema to check them by. */
const unchecked = {
  getValidator: () => () => ({ valid: true as const, data: undefined as never, errorMessage: undefined }),
};

/** What the SDK throws when the connection ends: as if it were an error that the server has answered with. */
const isClosing = (thrown: unknown): boolean =>
  thrown instanceof McpError &&
  thrown.code === ErrorCode.ConnectionClosed &&
  thrown.message.endsWith('Connection closed');

const patient = ({ timeout }: McpSessionOptions): number => Math.max(timeout, starting);

/** A call over a session. */
export interface McpSessionCall extends ToolCall {
  /** The tool can only be called as a task of MCP. */
  readonly taskOnly?: boolean;
}

interface PendingRequestOptions {
  readonly signal: AbortSignal;
  readonly facts?: ToolCallContext | undefined;
  readonly timeout?: number;
  readonly onProgress?: (progress: ToolProgress) => void;
}

/**
 * A session with an MCP server, by the official SDK's client over one transport. Every request ends: with its answer,
 * with its deadline, or as soon as it is clear that no answer can come.
 */
export class McpSession {
  readonly #client: Client;
  readonly #transport: ToolTransport;
  readonly #options: McpSessionOptions;
  readonly #open = new Set<PendingRequest>();
  #newest = -1;
  /** It was opened, and not closed from here: its end is news. */
  #live = false;
  /** Why it is over, once it is. */
  ending: ToolFailure | undefined;

  private constructor(transport: ToolTransport, options: McpSessionOptions) {
    const { version } = options;
    this.#transport = transport;
    this.#options = options;
    this.#client = new Client({ name: 'a2a-gateway', version }, { jsonSchemaValidator: unchecked });
    this.#client.onclose = () => {
      const end = (): void => this.end(transport.ending ?? new ToolFailure('connection', 'The connection was closed'));
      // When it cannot open a session the SDK closes before it says why: the reason is to come first.
      if (this.#live) end();
      else setImmediate(end);
    };
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onToolsChanged());
    this.#watch();
  }

  /** Opens a session. Rejects with what the transport or the server refused it for. */
  static async open(transport: ToolTransport, options: McpSessionOptions, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(transport, options);
    try {
      await session.#exchange({ signal, facts: options.facts, timeout: patient(options) }, (_, exchange) => {
        exchange.connecting = true;
        return session.#client.connect(transport, { timeout: never });
      });
      session.#live = true;
      return session;
    } catch (thrown) {
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
      const answer = await this.#ask('tools/list', params, {
        signal,
        facts: this.#options.facts,
        timeout: patient(this.#options),
      });
      tools.push(...readTools(answer));
      cursor = answer.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') break;
    }
    const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    return tools.filter((tool) => byName.get(tool.name) === tool).slice(0, mostTools);
  }

  /** The result as the server sent it. */
  call({ name, arguments: given, signal, onProgress, taskOnly, ...facts }: McpSessionCall): Promise<JsonObject> {
    const _meta = { [hopsMeta]: facts.hops, ...traceOf(facts) };
    const params = { name, arguments: given, _meta };
    if (taskOnly) return this.#callAsTask(params, { signal, facts, onProgress });
    return this.#ask('tools/call', params, { signal, facts, onProgress });
  }

  /** Ends the session: what is under way fails. */
  async close(): Promise<void> {
    this.#live = false;
    this.end(new ToolFailure('connection', 'The connection is being closed'));
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
  end(failure: ToolFailure): void {
    if (this.ending) return;
    this.ending = failure;
    for (const exchange of this.#open) exchange.fail(failure);
    if (this.#live) this.#options.onLost(failure);
  }

  /**
   * A request will not be answered. Where it is not known which, the only one that is under way is meant, or, if it is
   * certain that one has been lost, all of them.
   */
  failUnanswered(failure: ToolFailure, id: number | undefined, certain = true): void {
    if (id === undefined && !certain && this.#open.size !== 1) return;
    const meant = [...this.#open].filter((exchange) => id === undefined || exchange.awaits(id));
    for (const exchange of meant) exchange.fail(failure);
  }

  async #ask(method: string, params: Record<string, unknown>, asking: PendingRequestOptions): Promise<JsonObject> {
    if (this.ending) throw this.ending;
    const { onProgress } = asking;
    return this.#exchange(asking, (signal, exchange) =>
      this.#client.request({ method, params }, ResultSchema, {
        signal,
        timeout: never,
        ...(onProgress && {
          onprogress: (progress) => {
            exchange.markAlive();
            onProgress(progress);
          },
        }),
      }),
    );
  }

  /** Calls a tool as a task of MCP (2025-11-25, utilities/tasks): the SDK asks for its state until it is over. */
  async #callAsTask(params: Record<string, unknown>, asking: PendingRequestOptions): Promise<JsonObject> {
    if (this.ending) throw this.ending;
    const { tasks } = this.#client.experimental;
    const ttl = this.#options.timeout * longest;
    let task: string | undefined;
    const follow = async (signal: AbortSignal, exchange: PendingRequest): Promise<JsonObject> => {
      const request = { method: 'tools/call', params } as const;
      for await (const message of tasks.requestStream(request, ResultSchema, {
        signal,
        timeout: never,
        task: { ttl },
      })) {
        if (message.type === 'result') return message.result;
        if (message.type === 'error') throw message.error;
        exchange.markAlive();
        task = message.task.taskId;
        const { status, statusMessage } = message.task;
        asking.onProgress?.({ message: statusMessage ?? `The tool's task is ${status.replaceAll('_', ' ')}` });
      }
      throw new ToolFailure('invalidResponse', "The tool's task came to no end");
    };
    try {
      return await this.#exchange(asking, follow);
    } catch (thrown) {
      const abandoned = asking.signal.aborted || (thrown instanceof ToolFailure && thrown.condition === 'timeout');
      if (abandoned && task !== undefined) tasks.cancelTask(task).catch(() => undefined);
      throw thrown;
    }
  }

  /** Runs one request of the SDK's until it is answered, or cannot be. */
  async #exchange<T>(
    asking: PendingRequestOptions,
    send: (signal: AbortSignal, exchange: PendingRequest) => Promise<T>,
  ): Promise<T> {
    const { signal, facts, timeout = this.#options.timeout } = asking;
    signal.throwIfAborted();
    const exchange = new PendingRequest(facts, timeout, timeout * longest);
    // Of its own, because the SDK would report a cancellation whenever it aborts, answered or not.
    const canceling = new AbortController();
    const abort = (): void => exchange.fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    this.#open.add(exchange);
    let answered = false;
    try {
      const answer = currentRequest.run(exchange, () => send(canceling.signal, exchange));
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

  /** What the SDK says of a session that is over says less than the reason why it is. */
  #explain(thrown: unknown): ToolFailure {
    const failure = failureFrom(thrown);
    if (!this.#live && isClosing(thrown)) {
      return this.ending ?? this.#transport.ending ?? new ToolFailure('connection', 'The connection was closed');
    }
    if (failure.condition !== 'internal') return failure;
    if (this.ending) return this.ending;
    return this.#live
      ? failure
      : new ToolFailure('connection', `No session could be opened: ${(thrown as Error).message}`);
  }

  /** Looks at what goes out and comes in, for what the SDK would wait for in vain. */
  #watch(): void {
    const transport = this.#transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('id' in message && 'method' in message && typeof message.id === 'number') {
        this.#newest = Math.max(this.#newest, message.id);
        currentRequest.getStore()?.requestSent(message.id);
      }
      return send(message, options);
    };
    transport.onmessage = (message: JSONRPCMessage) => this.#inspect(message);
  }

  #inspect(message: JSONRPCMessage): void {
    const answer = checkResponse(message, this.#newest);
    if (answer === undefined) return;
    const { id, failure } = answer;
    if (failure) this.failUnanswered(failure, id);
    else if (id !== undefined) for (const exchange of this.#open) exchange.requestAnswered(id);
  }
}
