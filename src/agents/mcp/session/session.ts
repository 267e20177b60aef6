import { setTimeout as sleep } from 'node:timers/promises';
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
import { longestTimer } from '../../../core/model/timing.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolCallContext, ToolProgress } from '../tool-server.ts';
import { currentRequest, PendingRequest } from './pending-request.ts';
import { checkResponse, failureFrom, readTools } from './responses.ts';

/** Settings of a session. */
export interface McpSessionOptions {
  /** Milliseconds without a result or progress after which a request fails. */
  readonly timeout: number;
  readonly version: string;
  /** The caller whose credentials open the session. Absent: the gateway's credentials do. */
  readonly facts?: ToolCallContext | undefined;
  /** Called when the server reports that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Called when the session ends without having been closed. */
  readonly onLost: (failure: ToolFailure) => void;
}

/** A transport that knows why it has ended. */
export type ToolTransport = Transport & {
  readonly ending?: ToolFailure | undefined;
  terminateSession?(): Promise<void>;
};

/** A call with progress may take this many times its timeout. */
const maxTimeouts = 10;
/** Milliseconds that terminating a session at the server may take. */
const terminationTime = 1_000;
/** The shortest timeout for starting a server and listing its tools, in milliseconds. */
const minStartTimeout = 30_000;
/** Limits of a list of tools: pages and tools. */
const maxPages = 100;
const maxTools = 2_000;

/** Results are passed on unchecked. */
const unchecked = {
  getValidator: () => () => ({ valid: true as const, data: undefined as never, errorMessage: undefined }),
};

/** Whether an error is the one that the SDK throws when the connection ends: it looks like an answer of the server. */
const isConnectionClosed = (thrown: unknown): boolean =>
  thrown instanceof McpError &&
  thrown.code === ErrorCode.ConnectionClosed &&
  thrown.message.endsWith('Connection closed');

const startTimeout = ({ timeout }: McpSessionOptions): number => Math.max(timeout, minStartTimeout);

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
 * A session with an MCP server over one transport, with the client of the official SDK. Every request ends with its
 * answer, at its deadline, or as soon as no answer can come.
 */
export class McpSession {
  readonly #client: Client;
  readonly #transport: ToolTransport;
  readonly #options: McpSessionOptions;
  readonly #open = new Set<PendingRequest>();
  #newest = -1;
  /** Whether the session is open. Only then its end is reported. */
  #live = false;
  /** Why the session has ended. */
  ending: ToolFailure | undefined;

  private constructor(transport: ToolTransport, options: McpSessionOptions) {
    const { version } = options;
    this.#transport = transport;
    this.#options = options;
    this.#client = new Client({ name: 'a2a-gateway', version }, { jsonSchemaValidator: unchecked });
    this.#client.onclose = () => {
      const end = (): void => this.end(transport.ending ?? new ToolFailure('connection', 'The connection was closed'));
      // If opening fails, the SDK closes the transport before it reports the reason, which should come first.
      if (this.#live) end();
      else setImmediate(end);
    };
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onToolsChanged());
    this.#watch();
  }

  /** Opens a session. Rejects with the reason of the transport or the server. */
  static async open(transport: ToolTransport, options: McpSessionOptions, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(transport, options);
    try {
      await session.#request({ signal, facts: options.facts, timeout: startTimeout(options) }, (_, pending) => {
        pending.connecting = true;
        return session.#client.connect(transport, { timeout: longestTimer });
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
    const options = { signal, facts: this.#options.facts, timeout: startTimeout(this.#options) };
    const tools: Tool[] = [];
    let cursor: unknown;
    for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
      const params = typeof cursor === 'string' ? { cursor } : {};
      const answer = await this.#ask('tools/list', params, options);
      tools.push(...readTools(answer));
      cursor = answer.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') break;
    }
    const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    return tools.filter((tool) => byName.get(tool.name) === tool).slice(0, maxTools);
  }

  /** The result as the server sent it. */
  call({ name, arguments: given, signal, onProgress, taskOnly, ...facts }: McpSessionCall): Promise<JsonObject> {
    const _meta = { [hopsMeta]: facts.hops, ...traceOf(facts) };
    const params = { name, arguments: given, _meta };
    const options = { signal, facts, onProgress };
    return taskOnly ? this.#callAsTask(params, options) : this.#ask('tools/call', params, options);
  }

  /** Closes the session: pending requests fail. */
  async close(): Promise<void> {
    this.#live = false;
    this.end(new ToolFailure('connection', 'The connection is being closed'));
    const terminated = this.#transport.terminateSession?.().catch(() => undefined);
    if (terminated) await Promise.race([terminated, sleep(terminationTime, undefined, { ref: false })]);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  /** Ends the session: no pending request will be answered. */
  end(failure: ToolFailure): void {
    if (this.ending) return;
    this.ending = failure;
    for (const pending of this.#open) pending.fail(failure);
    if (this.#live) this.#options.onLost(failure);
  }

  /**
   * Fails a request that will not be answered. If `id` is unknown, that is the only pending request; if there are several,
   * all of them fail if an answer was certainly lost.
   */
  failUnanswered(failure: ToolFailure, id: number | undefined, certain = true): void {
    if (id === undefined && !certain && this.#open.size !== 1) return;
    const meant = [...this.#open].filter((pending) => id === undefined || pending.awaits(id));
    for (const pending of meant) pending.fail(failure);
  }

  async #ask(method: string, params: Record<string, unknown>, options: PendingRequestOptions): Promise<JsonObject> {
    if (this.ending) throw this.ending;
    const { onProgress } = options;
    return this.#request(options, (signal, pending) =>
      this.#client.request({ method, params }, ResultSchema, {
        signal,
        timeout: longestTimer,
        ...(onProgress && {
          onprogress: (progress) => {
            pending.markAlive();
            onProgress(progress);
          },
        }),
      }),
    );
  }

  /** Calls a tool as an MCP task (2025-11-25, utilities/tasks): the SDK polls its state until the task ends. */
  async #callAsTask(params: Record<string, unknown>, options: PendingRequestOptions): Promise<JsonObject> {
    if (this.ending) throw this.ending;
    const { tasks } = this.#client.experimental;
    const ttl = this.#options.timeout * maxTimeouts;
    let task: string | undefined;
    const follow = async (signal: AbortSignal, pending: PendingRequest): Promise<JsonObject> => {
      const request = { method: 'tools/call', params } as const;
      const sendOptions = { signal, timeout: longestTimer, task: { ttl } };
      for await (const message of tasks.requestStream(request, ResultSchema, sendOptions)) {
        if (message.type === 'result') return message.result;
        if (message.type === 'error') throw message.error;
        pending.markAlive();
        task = message.task.taskId;
        const { status, statusMessage } = message.task;
        options.onProgress?.({ message: statusMessage ?? `The tool's task is ${status.replaceAll('_', ' ')}` });
      }
      throw new ToolFailure('invalidResponse', "The stream of the tool's task ended before the task did");
    };
    try {
      return await this.#request(options, follow);
    } catch (thrown) {
      const abandoned = options.signal.aborted || (thrown instanceof ToolFailure && thrown.condition === 'timeout');
      if (abandoned && task !== undefined) tasks.cancelTask(task).catch(() => undefined);
      throw thrown;
    }
  }

  /** Runs one request of the SDK until it is answered, or cannot be. */
  async #request<T>(
    options: PendingRequestOptions,
    send: (signal: AbortSignal, pending: PendingRequest) => Promise<T>,
  ): Promise<T> {
    const { signal, facts, timeout = this.#options.timeout } = options;
    signal.throwIfAborted();
    const pending = new PendingRequest(facts, timeout, timeout * maxTimeouts);
    // A separate signal, because the SDK sends a cancellation when it aborts, even after the answer.
    const canceling = new AbortController();
    const abort = (): void => pending.fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    this.#open.add(pending);
    let answered = false;
    try {
      const answer = currentRequest.run(pending, () => send(canceling.signal, pending));
      const settled = answer.finally(() => {
        answered = true;
      });
      settled.catch(() => undefined);
      return await Promise.race([settled, pending.failed]);
    } catch (thrown) {
      throw signal.aborted ? signal.reason : this.#failureFrom(thrown);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#open.delete(pending);
      pending.end(answered);
      if (!answered) canceling.abort('The call was canceled');
    }
  }

  /** Replaces the SDK's error for an ended session by the reason why it ended. */
  #failureFrom(thrown: unknown): ToolFailure {
    const failure = failureFrom(thrown);
    if (!this.#live && isConnectionClosed(thrown)) {
      return this.ending ?? this.#transport.ending ?? new ToolFailure('connection', 'The connection was closed');
    }
    if (failure.condition !== 'internal') return failure;
    if (this.ending) return this.ending;
    return this.#live ? failure : new ToolFailure('connection', `Cannot open a session: ${(thrown as Error).message}`);
  }

  /** Watches messages in both directions for answers that the SDK would ignore and wait for. */
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
    else if (id !== undefined) for (const pending of this.#open) pending.requestAnswered(id);
  }
}
