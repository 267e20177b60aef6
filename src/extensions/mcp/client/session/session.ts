import {
  Client,
  LOG_LEVEL_META_KEY,
  type Progress,
  ProtocolErrorCode,
  type RequestOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { hopsMeta, pathMeta } from '../../../../core/model/call.ts';
import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { longestTimer, steadyNow, unlessAborted, withTimeout } from '../../../../core/model/timing.ts';
import { traceOf } from '../../../../core/telemetry/trace-context.ts';
import { tasksExtension } from '../../tasks-extension.ts';
import { noValidator } from '../../validator.ts';
import { shortened, ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolCallContext, ToolProgress, ToolTaskRequest } from '../tool-server.ts';
import { startClock } from './clock.ts';
import { currentCall, currentMessage, type PendingCall } from './fetch.ts';
import { type AnswerTaker, keyOf, MessageReader, type OnProblems } from './messages.ts';
import { failureFrom, readTools } from './responses.ts';
import { serveRequests } from './server-requests.ts';
import { callAsLegacyTask, requestLegacyTask, requestTask } from './tasks.ts';

export interface McpSessionOptions {
  /** Milliseconds without a result or progress after which a request fails. */
  readonly timeout: number;
  readonly version: string;
  /** The caller whose credentials open the session. Absent: the gateway's credentials do. */
  readonly facts?: ToolCallContext | undefined;
  /** Whether the server is known to speak MCP of 2025-11-25 or before alone. */
  readonly legacy?: boolean;
  /** Milliseconds in which a server of 2026-07-28 has to say so; one that says nothing is taken for an older one. */
  readonly probeTime?: number;
  /** Milliseconds that a task of a tool may take. */
  readonly taskTimeout: number;
  /** URIs that `roots/list` is answered with. Absent: it is refused. */
  readonly roots?: readonly string[] | undefined;
  /** Whether the server's sampling requests are answered. */
  readonly sampling?: boolean;
  /** Called when the server reports that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Called when the session ends without having been closed. */
  readonly onLost: (failure: ToolFailure) => void;
  /** Called with what of the server's handshake or list of tools was left out. */
  readonly onProblems?: OnProblems;
  /** Removes credentials that were sent to the server from a text of it. */
  readonly hide?: (text: string) => string;
  /** Reads what the transport receives. Default: one that nothing else uses. */
  readonly reader?: MessageReader;
}

/** A transport that knows why it has ended. */
export type ToolTransport = Transport & {
  ending?: ToolFailure | undefined;
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
/** Milliseconds that a server has to answer in a session that it may have lost. */
const checkTimeout = 5_000;
/** Milliseconds that the body of an answered request may take to end, so that its connection can be reused. */
const bodyEndTime = 1_000;
/** Milliseconds that a subscription must have lasted for another one to be opened at its end. */
const minSubscription = 30_000;
/** Limits of a list of tools: pages and tools. */
const maxPages = 100;
const maxTools = 2_000;

/** Results of servers of 2025-11-25 and before are passed on unchecked. */
const anyResult = z.looseObject({});

export interface McpSessionCall extends ToolCall {
  /** The tool can only be called as a task of MCP. */
  readonly taskOnly?: boolean;
}

interface PendingOptions {
  readonly signal: AbortSignal;
  readonly facts?: ToolCallContext | undefined;
  readonly timeout?: number;
  readonly onProgress?: (progress: ToolProgress) => void;
  readonly onAsk?: ToolCall['onAsk'];
  /** Takes the result as the server sent it, unchecked. */
  readonly takesRaw?: boolean;
  readonly opens?: boolean;
}

export type McpSession = Awaited<ReturnType<typeof openMcpSession>>;

/**
 * A server of 2025-11-25 may refuse a call until URLs have been visited (-32042), as one of 2026-07-28 asks by its result: the
 * result for such an error.
 */
function urlsWanted(thrown: unknown): JsonObject {
  const { code, details } = ToolFailure.from(thrown);
  const asked = details?.mcp_protocol_error_data;
  const list = isObject(asked) && Array.isArray(asked.elicitations) ? asked.elicitations.filter(isObject) : [];
  if (code !== String(ProtocolErrorCode.UrlElicitationRequired) || list.length === 0) throw thrown;
  const requests = list.map((params, i) => [String(i), { method: 'elicitation/create', params }]);
  return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
}

const mixedText = 'The server answers as MCP 2026-07-28 does, in a session of an older version';

/**
 * Opens a session with an MCP server over one transport, with the client of the official SDK: in MCP of 2026-07-28 where the
 * server speaks it, else with a handshake. Every request ends with its answer, at its deadline, or as soon as no answer can
 * come. Rejects with the reason of the transport or the server.
 */
export async function openMcpSession(transport: ToolTransport, options: McpSessionOptions, opening: AbortSignal) {
  const { version, roots, legacy = false, probeTime: timeoutMs = 5_000, reader = new MessageReader() } = options;
  const starting = { facts: options.facts, timeout: Math.max(options.timeout, minStartTimeout) };
  const client = new Client(
    { name: 'a2a-gateway', version },
    {
      ...(!legacy && { versionNegotiation: { mode: 'auto', probe: { timeoutMs } } }),
      inputRequired: { autoFulfill: false },
      capabilities: {
        elicitation: { form: {}, url: {} },
        extensions: { [tasksExtension]: {} },
        ...(roots && { roots: {} }),
        ...(options.sampling && { sampling: {} }),
      },
      jsonSchemaValidator: noValidator,
      listMaxPages: maxPages,
    },
  );
  const calls = new Set<PendingCall>();
  /** Requests without an answer, and the newest id of all. */
  const waiting = new Map<unknown, PendingCall | undefined>();
  let newest = -1;
  /** Whether the session is open. Only then its end is reported. */
  let isLive = false;
  let ending: ToolFailure | undefined;
  /** Whether it is closed as soon as no request waits for an answer. */
  let isRetired = false;

  /** Ends the session: no pending request will be answered. */
  const end = (failure: ToolFailure): void => {
    if (ending) return;
    ending = failure;
    for (const call of calls) call.fail(failure);
    if (isLive) options.onLost(failure);
  };

  /**
   * Fails a request that will not be answered. If `id` is unknown, that is the only pending request; if there are several,
   * all of them fail if an answer was certainly lost.
   */
  const failUnanswered = (failure: ToolFailure, id: number | undefined, certain = true): void => {
    if (id !== undefined) waiting.get(id)?.fail(failure);
    else if (certain || calls.size === 1) for (const call of calls) call.fail(failure);
  };

  /** Runs one request of the SDK until it is answered, or cannot be. */
  const request = async <T>(
    { signal, facts, timeout = options.timeout, onProgress, onAsk, takesRaw, opens = false }: PendingOptions,
    send: (sending: RequestOptions) => Promise<T>,
  ): Promise<T> => {
    if (ending) throw ending;
    signal.throwIfAborted();
    const [stop, bodies] = [new AbortController(), new AbortController()];
    const settled = Promise.withResolvers<T>();
    let reports = 0;
    const report = (progress: ToolProgress): void => {
      reports += 1;
      if (reports <= maxProgress) onProgress?.(progress);
    };
    const onTimeout = (): void =>
      settled.reject(new ToolFailure('timeout', `The server did not answer within ${timeout} ms`));
    // The SDK's deadlines go on while the caller is asked.
    const clock = onAsk && startClock(timeout, timeout * maxTimeouts, onTimeout);
    const asks: ToolCall['onAsk'] = async (asked, withdrawn) => {
      call.asking += 1;
      clock?.stop();
      try {
        return (await onAsk?.(asked, withdrawn)) ?? { action: 'cancel' };
      } finally {
        call.asking -= 1;
        clock?.start();
      }
    };
    const call: PendingCall = {
      facts,
      opens,
      bodies: bodies.signal,
      fail: settled.reject,
      asking: 0,
      ...(takesRaw && { onResult: settled.resolve as (result: JsonObject) => void }),
      ...(onAsk && { onAsk: asks, onLog: (message: string) => report({ message }) }),
    };
    calls.add(call);
    const onprogress = (progress: Progress): void => {
      clock?.reset();
      report(progress);
    };
    const times = clock
      ? { timeout: longestTimer }
      : { timeout, maxTotalTimeout: timeout * maxTimeouts, resetTimeoutOnProgress: true };
    try {
      const sending = { signal: stop.signal, ...times, ...(onProgress && { onprogress }) };
      const answer = currentCall.run(call, () => send(sending));
      return await unlessAborted(Promise.race([settled.promise, answer]), signal);
    } catch (thrown) {
      stop.abort('The call was canceled');
      if (signal.aborted) throw signal.reason;
      const failure = failureFrom(thrown, { timeout, ending: ending ?? transport.ending, isLive });
      throw options.hide ? failure.hiding(options.hide) : failure;
    } finally {
      clock?.stop();
      calls.delete(call);
      for (const [id, one] of waiting) {
        if (one !== call) continue;
        waiting.delete(id);
        reader.answered(id);
      }
      if (isRetired && calls.size === 0) void close();
      setTimeout(() => bodies.abort(), bodyEndTime).unref();
    }
  };

  const ask = (method: string, params: JsonObject, pending: PendingOptions): Promise<JsonObject> =>
    request(pending, (sending) => client.request({ method, params }, anyResult, sending));

  /** What the session sends for itself. */
  const lasting: PendingCall = {
    ...starting,
    opens: true,
    bodies: new AbortController().signal,
    fail: () => {},
    asking: 0,
  };

  /** Listens for changed tools, which servers of 2026-07-28 report to subscribers alone. */
  const subscribe = async (): Promise<void> => {
    const began = steadyNow();
    const { closed } = await currentCall.run(lasting, () => client.listen({ toolsListChanged: true }));
    await closed;
    // Changes may have been missed: the list is read again, which subscribes again.
    isSubscribed = false;
    if (isLive && steadyNow() - began > minSubscription) options.onToolsChanged();
  };
  let isSubscribed = false;

  client.onclose = () => {
    const onEnd = (): void => end(transport.ending ?? new ToolFailure('connection', 'The connection was closed'));
    // If opening fails, the SDK closes the transport before it reports the reason, which should come first.
    if (isLive) onEnd();
    else setImmediate(onEnd);
  };
  client.setNotificationHandler('notifications/tools/list_changed', () => options.onToolsChanged());

  const callOf = serveRequests(client, calls, options);

  /** What becomes of the result of a call: a tool has run, and its result is not refused for its form. */
  const takerFor = (call: PendingCall | undefined): AnswerTaker | undefined => {
    const { onResult, fail } = call ?? {};
    if (!fail) return undefined;
    const take = (result: JsonObject): void => {
      const { resultType, ...plain } = result;
      const isOpen = resultType === 'task' || resultType === 'input_required';
      if (isOpen && client.getProtocolEra() === 'legacy') fail(new ToolFailure('invalidResult', mixedText));
      onResult?.(isOpen ? result : plain);
    };
    return { fail, ...(onResult && { take }) };
  };

  // Watches messages in both directions for answers that the SDK would ignore and wait for.
  const send = transport.send.bind(transport);
  transport.send = (message, sending) => {
    const { method } = message as { readonly method?: string };
    if (method === undefined) return currentMessage.run(undefined, () => send(message, sending));
    if (!('id' in message)) return currentMessage.run({ id: undefined, method }, () => send(message, sending));
    const id = keyOf(message.id);
    if (typeof id === 'number') newest = Math.max(newest, id);
    waiting.set(id, currentCall.getStore());
    const sent = { id: message.id, method };
    reader.sent(sent, takerFor(waiting.get(id)));
    const onRequestStreamEnd = (): void => {
      const call = waiting.get(id);
      call?.fail(call.broken ?? new ToolFailure('invalidResponse', 'The server ended its answer without a result'));
    };
    return currentMessage.run(sent, () => send(message, { onRequestStreamEnd, ...sending }));
  };
  transport.onmessage = (message) => {
    if (isLive && client.getProtocolEra() === 'modern' && 'method' in message && 'id' in message) {
      const text = `The server sent the request ${shortened(message.method, 100)}, which MCP 2026-07-28 does not have`;
      return callOf()?.fail(new ToolFailure('invalidResult', text));
    }
    if ('method' in message || !('id' in message)) return;
    const id = keyOf(message.id);
    reader.answered(message.id);
    if (waiting.delete(id) || (typeof id === 'number' && id >= 0 && id <= newest)) return;
    const failure = new ToolFailure('invalidResponse', 'The server answered with an unknown request id');
    const call = currentCall.getStore();
    // Over HTTP the answer belongs to a request; what a program or an event stream says has come with the first one.
    if (call && !call.opens) call.fail(failure);
    else failUnanswered(failure, undefined);
  };
  transport.onerror = (error) => {
    if (error instanceof z.core.$ZodError)
      failUnanswered(new ToolFailure('invalidResponse', 'The server did not answer with JSON-RPC'), undefined, false);
  };

  try {
    await request({ signal: opening, opens: true, ...starting }, (sending) => client.connect(transport, sending));
    isLive = true;
  } catch (thrown) {
    await transport.close().catch(() => undefined);
    throw thrown;
  }
  const isModern = client.getProtocolEra() === 'modern';

  /** All pages of the list as servers of 2025-11-25 and before send them. One that cannot be read costs those before it nothing. */
  const listPages = async (limits: PendingOptions): Promise<JsonObject> => {
    const tools: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: unknown;
    for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
      const answer = await ask('tools/list', typeof cursor === 'string' ? { cursor } : {}, limits).catch((thrown) => {
        if (page === 0 || limits.signal.aborted || ending) throw thrown;
        options.onProblems?.('tools/list', [`page ${page + 1} of the list: ${(thrown as Error).message}`]);
        return {} as JsonObject;
      });
      tools.push(...(Array.isArray(answer.tools) ? answer.tools : []));
      cursor = answer.nextCursor;
      if (typeof cursor !== 'string' || cursor === '' || cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    return { tools };
  };

  /** The list of tools; an empty one of a server that has no such method. */
  const listAll = (limits: PendingOptions): Promise<JsonObject> => {
    const listed: Promise<JsonObject> = isModern
      ? request(limits, (sending) => client.listTools({}, { ...sending, cacheMode: 'refresh' }))
      : listPages(limits);
    return listed.catch((thrown: unknown) => {
      if (ToolFailure.from(thrown).code === String(ProtocolErrorCode.MethodNotFound)) return { tools: [] };
      throw thrown;
    });
  };

  const close = async (): Promise<void> => {
    isLive = false;
    end(new ToolFailure('connection', 'The connection is being closed'));
    const terminate = async (): Promise<void> => transport.terminateSession?.();
    await withTimeout(currentCall.run(lasting, terminate), terminationTime).catch(() => undefined);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };

  return {
    end,
    failUnanswered,
    /** Whether the server speaks MCP of 2025-11-25 or before. */
    isLegacy: !isModern,
    /** Why the session has ended. */
    get ending() {
      return ending;
    },
    /** The server's tools, and the milliseconds for which they may be kept; undefined where it does not say. */
    async list(signal: AbortSignal): Promise<{ readonly tools: Tool[]; readonly ttl?: unknown }> {
      const { tools: capability } = client.getServerCapabilities() ?? {};
      if (!capability) return { tools: [] };
      if (isModern && capability.listChanged && !isSubscribed) {
        isSubscribed = true;
        subscribe().catch(() => undefined);
      }
      const limits = { signal, ...starting };
      const read = await listAll(limits);
      const all = readTools(read);
      const byName = new Map(all.toReversed().map((tool) => [tool.name, tool]));
      const tools = all.filter((tool) => byName.get(tool.name) === tool).slice(0, maxTools);
      return { tools, ttl: read.ttlMs };
    },
    /** The result as the server sent it. */
    async call({
      name,
      arguments: given,
      signal,
      onProgress,
      onAsk,
      input,
      taskOnly,
      ...facts
    }: McpSessionCall): Promise<JsonObject> {
      const _meta = {
        [hopsMeta]: facts.hops,
        ...(facts.path !== undefined && { [pathMeta]: facts.path }),
        ...traceOf(facts),
        ...(isModern && client.getServerCapabilities()?.logging && { [LOG_LEVEL_META_KEY]: 'info' }),
      };
      const params = { name, arguments: given, _meta };
      const limits = { signal, facts, onProgress, takesRaw: true, ...(onAsk && { onAsk }) };
      if (isModern) {
        const repeated = { ...params, ...input };
        return request(limits, (sending) => client.callTool(repeated, { ...sending, allowInputRequired: true }));
      }
      return (
        taskOnly
          ? callAsLegacyTask(params, options.taskTimeout, (method, given) => ask(method, given, limits))
          : ask('tools/call', params, limits)
      ).catch(urlsWanted);
    },
    /** Sends a request about a task that a call has become. */
    task({ signal, onAsk, ...asked }: ToolTaskRequest): Promise<JsonObject> {
      const limits = { signal, facts: asked, takesRaw: true, ...(onAsk && { onAsk }) };
      return (isModern ? requestTask : requestLegacyTask)(asked, (method, params) => ask(method, params, limits));
    },
    /** Asks for what executes nothing. Resolves with the failure; undefined: the server answers in this session. */
    async check(signal: AbortSignal): Promise<ToolFailure | undefined> {
      try {
        await ask('tools/list', {}, { signal, facts: options.facts, timeout: checkTimeout });
        return undefined;
      } catch (thrown) {
        signal.throwIfAborted();
        return ToolFailure.from(thrown);
      }
    },
    /** Closes the session when its last request has been answered: a server that knows it no more may still carry out its calls. */
    retire(): void {
      isRetired = true;
      if (calls.size === 0) void close();
    },
    /** Closes the session: pending requests fail. */
    close,
  };
}
