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
import { hopsMeta } from '../../../../core/model/call.ts';
import type { JsonObject } from '../../../../core/model/json.ts';
import { longestTimer } from '../../../../core/model/timing.ts';
import { traceOf } from '../../../../core/telemetry/trace-context.ts';
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
/** Reports of progress of one call that are passed on. Further ones are signs of life only. */
const maxProgress = 1_000;
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

export type McpSession = Awaited<ReturnType<typeof openMcpSession>>;

/**
 * Opens a session with an MCP server over one transport, with the client of the official SDK. Every request ends with its
 * answer, at its deadline, or as soon as no answer can come. Rejects with the reason of the transport or the server.
 */
export async function openMcpSession(transport: ToolTransport, options: McpSessionOptions, opening: AbortSignal) {
  const { version } = options;
  const starting = { facts: options.facts, timeout: Math.max(options.timeout, minStartTimeout) };
  const client = new Client({ name: 'a2a-gateway', version }, { jsonSchemaValidator: unchecked });
  const requests = new Set<PendingRequest>();
  let newest = -1;
  /** Whether the session is open. Only then its end is reported. */
  let isLive = false;
  let ending: ToolFailure | undefined;

  /** Ends the session: no pending request will be answered. */
  const end = (failure: ToolFailure): void => {
    if (ending) return;
    ending = failure;
    for (const pending of requests) pending.fail(failure);
    if (isLive) options.onLost(failure);
  };

  /**
   * Fails a request that will not be answered. If `id` is unknown, that is the only pending request; if there are several,
   * all of them fail if an answer was certainly lost.
   */
  const failUnanswered = (failure: ToolFailure, id: number | undefined, certain = true): void => {
    if (id === undefined && !certain && requests.size !== 1) return;
    for (const pending of requests) if (id === undefined || pending.awaits(id)) pending.fail(failure);
  };

  /** Replaces the SDK's error for an ended session by the reason why it ended. */
  const reasonOf = (thrown: unknown): ToolFailure => {
    const failure = failureFrom(thrown);
    if (!isLive && isConnectionClosed(thrown)) {
      return ending ?? transport.ending ?? new ToolFailure('connection', 'The connection was closed');
    }
    if (failure.condition !== 'internal') return failure;
    if (ending) return ending;
    return isLive ? failure : new ToolFailure('connection', `Cannot open a session: ${(thrown as Error).message}`);
  };

  /** Runs one request of the SDK until it is answered, or cannot be. */
  const request = async <T>(
    { signal, facts, timeout = options.timeout }: PendingRequestOptions,
    send: (signal: AbortSignal, pending: PendingRequest) => Promise<T>,
  ): Promise<T> => {
    if (ending) throw ending;
    signal.throwIfAborted();
    const pending = new PendingRequest(facts, timeout, timeout * maxTimeouts);
    // A separate signal, because the SDK sends a cancellation when it aborts, even after the answer.
    const canceling = new AbortController();
    const abort = (): void => pending.fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    requests.add(pending);
    let answered = false;
    try {
      const answer = currentRequest.run(pending, () => send(canceling.signal, pending));
      const settled = answer.finally(() => {
        answered = true;
      });
      settled.catch(() => undefined);
      return await Promise.race([settled, pending.failed]);
    } catch (thrown) {
      throw signal.aborted ? signal.reason : reasonOf(thrown);
    } finally {
      signal.removeEventListener('abort', abort);
      requests.delete(pending);
      pending.end(answered);
      if (!answered) canceling.abort('The call was canceled');
    }
  };

  const ask = (
    method: string,
    params: Record<string, unknown>,
    { onProgress, ...limits }: PendingRequestOptions,
  ): Promise<JsonObject> =>
    request(limits, (signal, pending) => {
      let reports = 0;
      const onprogress = (progress: ToolProgress): void => {
        pending.markAlive();
        reports += 1;
        if (reports <= maxProgress) onProgress?.(progress);
      };
      const sendOptions = { signal, timeout: longestTimer, ...(onProgress && { onprogress }) };
      return client.request({ method, params }, ResultSchema, sendOptions);
    });

  /** Calls a tool as an MCP task (2025-11-25, utilities/tasks): the SDK polls its state until the task ends. */
  const callAsTask = async (
    params: Record<string, unknown>,
    { onProgress, ...limits }: PendingRequestOptions,
  ): Promise<JsonObject> => {
    const { tasks } = client.experimental;
    let id: string | undefined;
    const follow = async (signal: AbortSignal, pending: PendingRequest): Promise<JsonObject> => {
      const task = { ttl: options.timeout * maxTimeouts };
      const sent = { method: 'tools/call', params } as const;
      for await (const message of tasks.requestStream(sent, ResultSchema, { signal, timeout: longestTimer, task })) {
        if (message.type === 'result') return message.result;
        if (message.type === 'error') throw message.error;
        pending.markAlive();
        const { taskId, status, statusMessage } = message.task;
        id = taskId;
        onProgress?.({ message: statusMessage ?? `The tool's task is ${status.replaceAll('_', ' ')}` });
      }
      throw new ToolFailure('invalidResponse', "The stream of the tool's task ended before the task did");
    };
    try {
      return await request(limits, follow);
    } catch (thrown) {
      const isAbandoned = limits.signal.aborted || (thrown instanceof ToolFailure && thrown.condition === 'timeout');
      if (isAbandoned && id !== undefined) tasks.cancelTask(id).catch(() => undefined);
      throw thrown;
    }
  };

  client.onclose = () => {
    const onEnd = (): void => end(transport.ending ?? new ToolFailure('connection', 'The connection was closed'));
    // If opening fails, the SDK closes the transport before it reports the reason, which should come first.
    if (isLive) onEnd();
    else setImmediate(onEnd);
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onToolsChanged());

  // Watches messages in both directions for answers that the SDK would ignore and wait for.
  const send = transport.send.bind(transport);
  transport.send = (message, sendOptions) => {
    if ('id' in message && 'method' in message && typeof message.id === 'number') {
      newest = Math.max(newest, message.id);
      currentRequest.getStore()?.requestSent(message.id);
    }
    return send(message, sendOptions);
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    const { id, failure } = checkResponse(message, newest) ?? {};
    if (failure) failUnanswered(failure, id);
    else if (id !== undefined) for (const pending of requests) pending.requestAnswered(id);
  };

  try {
    await request({ signal: opening, ...starting }, (_, pending) => {
      pending.connecting = true;
      return client.connect(transport, { timeout: longestTimer });
    });
    isLive = true;
  } catch (thrown) {
    await transport.close().catch(() => undefined);
    throw thrown;
  }

  return {
    end,
    failUnanswered,
    /** Why the session has ended. */
    get ending() {
      return ending;
    },
    /** The server's tools, page by page. */
    async list(signal: AbortSignal): Promise<Tool[]> {
      if (!client.getServerCapabilities()?.tools) return [];
      const tools: Tool[] = [];
      let cursor: unknown;
      for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
        const params = typeof cursor === 'string' ? { cursor } : {};
        const answer = await ask('tools/list', params, { signal, ...starting });
        tools.push(...readTools(answer));
        cursor = answer.nextCursor;
        if (typeof cursor !== 'string' || cursor === '') break;
      }
      const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
      return tools.filter((tool) => byName.get(tool.name) === tool).slice(0, maxTools);
    },
    /** The result as the server sent it. */
    call({ name, arguments: given, signal, onProgress, taskOnly, ...facts }: McpSessionCall): Promise<JsonObject> {
      const params = { name, arguments: given, _meta: { [hopsMeta]: facts.hops, ...traceOf(facts) } };
      const requestOptions = { signal, facts, onProgress };
      return taskOnly ? callAsTask(params, requestOptions) : ask('tools/call', params, requestOptions);
    },
    /** Closes the session: pending requests fail. */
    async close(): Promise<void> {
      isLive = false;
      end(new ToolFailure('connection', 'The connection is being closed'));
      const terminated = transport.terminateSession?.().catch(() => undefined);
      if (terminated) await Promise.race([terminated, sleep(terminationTime, undefined, { ref: false })]);
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
    },
  };
}
