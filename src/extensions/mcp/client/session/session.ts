import {
  Client,
  LOG_LEVEL_META_KEY,
  ProtocolErrorCode,
  type RequestOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { hopsMeta, pathMeta } from '../../../../core/model/call.ts';
import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { steadyNow, withTimeout } from '../../../../core/model/timing.ts';
import { traceOf } from '../../../../core/telemetry/trace-context.ts';
import { tasksExtension } from '../../tasks-extension.ts';
import { noValidator } from '../../validator.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolCallContext, ToolTaskRequest } from '../tool-server.ts';
import { currentCall, type PendingCall } from './fetch.ts';
import { MessageReader, type OnProblems } from './messages.ts';
import { PendingRequests } from './pending-requests.ts';
import { failureFrom, readTools } from './responses.ts';
import { serveRequests } from './server-requests.ts';
import { SessionRequest, type SessionRequestOptions } from './session-request.ts';
import { callAsLegacyTask, requestLegacyTask, requestTask } from './tasks.ts';
import { watchTransport } from './watch-transport.ts';

export interface McpSessionOptions {
  /** Milliseconds without a result or progress after which a request fails. */
  readonly timeout: number;
  readonly version: string;
  /** Caller whose credentials open the session. Absent: the gateway's credentials are used. */
  readonly facts?: ToolCallContext | undefined;
  /** Whether the server is known to speak only MCP 2025-11-25 or earlier. */
  readonly legacy?: boolean;
  /**
   * Milliseconds within which a server must identify itself as one of 2026-07-28; otherwise it counts as an older one.
   */
  readonly probeTime?: number;
  /** Maximum milliseconds of a tool's task. */
  readonly taskTimeout: number;
  /** URIs with which `roots/list` is answered. Absent: the request is refused. */
  readonly roots?: readonly string[] | undefined;
  /** Whether the server's sampling requests are answered. */
  readonly sampling?: boolean;
  /** Called when the server reports that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Called when the session ends without having been closed. */
  readonly onLost: (failure: ToolFailure) => void;
  /** Called with the parts of the server's handshake or list of tools that were omitted. */
  readonly onProblems?: OnProblems;
  /** Removes credentials that were sent to the server from its texts. */
  readonly hide?: (text: string) => string;
  /** Reads received messages. Default: a new reader. */
  readonly reader?: MessageReader;
}

/** A transport that records why it has ended. */
export type ToolTransport = Transport & {
  readonly ending?: ToolFailure | undefined;
  terminateSession?(): Promise<void>;
};

/** Maximum milliseconds for terminating a session at the server. */
const terminationTime = 1_000;
/** Minimum time-out in milliseconds for starting a server and listing its tools. */
const minStartTimeout = 30_000;
/** Milliseconds within which a server must respond in a session that it may have lost. */
const checkTimeout = 5_000;
/** Minimum milliseconds that a subscription must have lasted for another one to be opened when it ends. */
const minSubscription = 30_000;
/** Maximum number of pages and of tools in a list of tools. */
const maxPages = 100;
const maxTools = 2_000;

/** Results of servers of 2025-11-25 and earlier are passed on unchecked. */
const anyResult = z.looseObject({});

export interface McpSessionCall extends ToolCall {
  /** Whether the tool can be called only as an MCP task. */
  readonly taskOnly?: boolean;
}

/** Options of a request. Its time-out defaults to the session's. */
type PendingOptions = Omit<SessionRequestOptions, 'timeout'> & { readonly timeout?: number };

/**
 * A session with an MCP server over one transport, using the client of the official SDK: in MCP 2026-07-28 if the
 * server supports it, otherwise with a handshake. Every request ends with its response, at its deadline, or as soon as
 * a response has become impossible.
 */
export class McpSession {
  readonly #transport: ToolTransport;
  readonly #options: McpSessionOptions;
  readonly #client: Client;
  readonly #reader: MessageReader;
  readonly #pending = new PendingRequests();
  /** Caller and deadline of the session's own requests. */
  readonly #own: Pick<SessionRequestOptions, 'facts' | 'timeout'>;
  /** Pseudo-call for messages that belong to no request. */
  readonly #lasting: PendingCall;
  /** Whether the session is open. Its end is reported only if it was open. */
  #isLive = false;
  /** Whether the server speaks MCP 2026-07-28. */
  #isModern = false;
  #ending: ToolFailure | undefined;
  /** Whether to close the session as soon as no request is pending. */
  #isRetired = false;
  #isSubscribed = false;

  constructor(transport: ToolTransport, options: McpSessionOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#reader = options.reader ?? new MessageReader();
    this.#client = createClient(options);
    this.#own = { facts: options.facts, timeout: Math.max(options.timeout, minStartTimeout) };
    this.#lasting = {
      facts: options.facts,
      opens: true,
      bodies: new AbortController().signal,
      fail: () => {},
      asking: 0,
    };
    this.#listen();
  }

  /** Connects to the server. Rejects with the reason given by the transport or the server. */
  async open(opening: AbortSignal): Promise<void> {
    try {
      await this.#request({ signal: opening, opens: true, ...this.#own }, (sending) =>
        this.#client.connect(this.#transport, sending),
      );
      this.#isLive = true;
      this.#isModern = this.#client.getProtocolEra() === 'modern';
    } catch (thrown) {
      await this.#transport.close().catch(() => undefined);
      throw thrown;
    }
  }

  /** Whether the server speaks MCP 2025-11-25 or earlier. */
  get isLegacy(): boolean {
    return !this.#isModern;
  }

  /** Why the session has ended. */
  get ending(): ToolFailure | undefined {
    return this.#ending;
  }

  /**
   * Returns the server's tools and the milliseconds for which they may be cached; undefined if the server does not say.
   */
  async list(signal: AbortSignal): Promise<{ readonly tools: Tool[]; readonly ttl?: unknown }> {
    const { tools: capability } = this.#client.getServerCapabilities() ?? {};
    if (!capability) return { tools: [] };
    if (this.#isModern && capability.listChanged && !this.#isSubscribed) {
      this.#isSubscribed = true;
      this.#subscribe().catch(() => undefined);
    }
    const read = await this.#listAll({ signal, ...this.#own });
    const all = readTools(read);
    const byName = new Map(all.toReversed().map((tool) => [tool.name, tool]));
    const tools = all.filter((tool) => byName.get(tool.name) === tool).slice(0, maxTools);
    return { tools, ttl: read.ttlMs };
  }

  /** Calls a tool and returns the result as the server sent it. */
  async call(toolCall: McpSessionCall): Promise<JsonObject> {
    const { name, arguments: given, signal, onProgress, onAsk, input, taskOnly, ...facts } = toolCall;
    const isModern = this.#isModern;
    const client = this.#client;
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
      return this.#request(limits, (sending) => client.callTool(repeated, { ...sending, allowInputRequired: true }));
    }
    const { taskTimeout } = this.#options;
    return (
      taskOnly
        ? callAsLegacyTask(params, taskTimeout, (method, given) => this.#ask(method, given, limits))
        : this.#ask('tools/call', params, limits)
    ).catch(urlsWanted);
  }

  /** Sends a request about a task that a call has become. */
  task({ signal, onAsk, ...asked }: ToolTaskRequest): Promise<JsonObject> {
    const limits = { signal, facts: asked, takesRaw: true, ...(onAsk && { onAsk }) };
    const request = this.#isModern ? requestTask : requestLegacyTask;
    return request(asked, (method, params) => this.#ask(method, params, limits));
  }

  /**
   * Sends a request that executes nothing. Resolves with its failure; undefined if the server answers in this session.
   */
  async check(signal: AbortSignal): Promise<ToolFailure | undefined> {
    try {
      await this.#ask('tools/list', {}, { signal, facts: this.#options.facts, timeout: checkTimeout });
      return undefined;
    } catch (thrown) {
      signal.throwIfAborted();
      return ToolFailure.from(thrown);
    }
  }

  /** Fails a request that will not be answered. For a request without an id, see `PendingRequests`. */
  failUnanswered(failure: ToolFailure, id: number | undefined, certain?: boolean): void {
    this.#pending.failUnanswered(failure, id, certain);
  }

  /**
   * Closes the session once its last request has been answered: a server that no longer knows the session may still be
   * executing its calls.
   */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.calls.size === 0) void this.close();
  }

  /** Closes the session; pending requests fail. */
  async close(): Promise<void> {
    this.#isLive = false;
    this.#end(new ToolFailure('connection', 'The connection is being closed'));
    const terminate = async (): Promise<void> => this.#transport.terminateSession?.();
    await withTimeout(currentCall.run(this.#lasting, terminate), terminationTime).catch(() => undefined);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  /** Ends the session: no pending request will be answered. */
  #end(failure: ToolFailure): void {
    if (this.#ending) return;
    this.#ending = failure;
    this.#pending.failAll(failure);
    if (this.#isLive) this.#options.onLost(failure);
  }

  /** Listens to the client and the transport, starting before the first message. */
  #listen(): void {
    const client = this.#client;
    const transport = this.#transport;
    client.onclose = () => {
      const onEnd = (): void =>
        this.#end(transport.ending ?? new ToolFailure('connection', 'The connection was closed'));
      // If opening fails, the SDK closes the transport before it reports the reason, which must come first.
      if (this.#isLive) onEnd();
      else setImmediate(onEnd);
    };
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#options.onToolsChanged());
    watchTransport(transport, {
      client,
      pending: this.#pending,
      reader: this.#reader,
      isLive: () => this.#isLive,
      callOf: serveRequests(client, this.#pending.calls, this.#options),
    });
  }

  /** Runs a request of the SDK until it is answered or can no longer be answered. */
  async #request<T>(options: PendingOptions, send: (sending: RequestOptions) => Promise<T>): Promise<T> {
    const { signal, timeout = this.#options.timeout } = options;
    const { hide } = this.#options;
    if (this.#ending) throw this.#ending;
    signal.throwIfAborted();
    const request = new SessionRequest<T>({ ...options, timeout });
    this.#pending.calls.add(request.call);
    try {
      return await request.answer(send);
    } catch (thrown) {
      request.cancel();
      if (signal.aborted) throw signal.reason;
      const ending = this.#ending ?? this.#transport.ending;
      const failure = failureFrom(thrown, { timeout, ending, isLive: this.#isLive });
      throw hide ? failure.hiding(hide) : failure;
    } finally {
      request.end();
      for (const id of this.#pending.remove(request.call)) this.#reader.answered(id);
      if (this.#isRetired && this.#pending.calls.size === 0) void this.close();
    }
  }

  #ask(method: string, params: JsonObject, options: PendingOptions): Promise<JsonObject> {
    return this.#request(options, (sending) => this.#client.request({ method, params }, anyResult, sending));
  }

  /** Subscribes to changes of tools, which servers of 2026-07-28 report only to subscribers. */
  async #subscribe(): Promise<void> {
    const began = steadyNow();
    const { closed } = await currentCall.run(this.#lasting, () => this.#client.listen({ toolsListChanged: true }));
    await closed;
    // Changes may have been missed: the list is read again, which subscribes again.
    this.#isSubscribed = false;
    if (this.#isLive && steadyNow() - began > minSubscription) this.#options.onToolsChanged();
  }

  /** Returns the list of tools; an empty one if the server does not know the method. */
  #listAll(options: PendingOptions): Promise<JsonObject> {
    const listed: Promise<JsonObject> = this.#isModern
      ? this.#request(options, (sending) => this.#client.listTools({}, { ...sending, cacheMode: 'refresh' }))
      : this.#listPages(options);
    return listed.catch((thrown: unknown) => {
      if (ToolFailure.from(thrown).code === String(ProtocolErrorCode.MethodNotFound)) return { tools: [] };
      throw thrown;
    });
  }

  /**
   * Returns all pages of the list, for servers of 2025-11-25 and earlier. If a page cannot be read, the pages before it
   * are kept.
   */
  async #listPages(options: PendingOptions): Promise<JsonObject> {
    const tools: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: unknown;
    for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
      const params = typeof cursor === 'string' ? { cursor } : {};
      const answer = await this.#ask('tools/list', params, options).catch((thrown) => {
        if (page === 0 || options.signal.aborted || this.#ending) throw thrown;
        this.#options.onProblems?.('tools/list', [`page ${page + 1} of the list: ${(thrown as Error).message}`]);
        return {} as JsonObject;
      });
      tools.push(...(Array.isArray(answer.tools) ? answer.tools : []));
      cursor = answer.nextCursor;
      if (typeof cursor !== 'string' || cursor === '' || cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    return { tools };
  }
}

/** Creates the SDK's client. It does not check what the session reads itself. */
function createClient({ version, roots, sampling, legacy = false, probeTime = 5_000 }: McpSessionOptions): Client {
  return new Client(
    { name: 'a2a-gateway', version },
    {
      ...(!legacy && { versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeTime } } }),
      inputRequired: { autoFulfill: false },
      capabilities: {
        elicitation: { form: {}, url: {} },
        extensions: { [tasksExtension]: {} },
        ...(roots && { roots: {} }),
        ...(sampling && { sampling: {} }),
      },
      jsonSchemaValidator: noValidator,
      listMaxPages: maxPages,
    },
  );
}

/** Opens a session. Rejects with the reason given by the transport or the server. */
export async function openMcpSession(
  transport: ToolTransport,
  options: McpSessionOptions,
  opening: AbortSignal,
): Promise<McpSession> {
  const session = new McpSession(transport, options);
  await session.open(opening);
  return session;
}

/**
 * Converts the error with which a server of 2025-11-25 refuses a call until URLs have been visited (-32042) to the
 * result with which a server of 2026-07-28 asks for this. Any other error is thrown.
 */
function urlsWanted(thrown: unknown): JsonObject {
  const { code, details } = ToolFailure.from(thrown);
  const asked = details?.mcp_protocol_error_data;
  const list = isObject(asked) && Array.isArray(asked.elicitations) ? asked.elicitations.filter(isObject) : [];
  if (code !== String(ProtocolErrorCode.UrlElicitationRequired) || list.length === 0) throw thrown;
  const requests = list.map((params, i) => [String(i), { method: 'elicitation/create', params }]);
  return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
}
