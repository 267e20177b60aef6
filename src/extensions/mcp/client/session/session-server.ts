import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { shared, unlessAborted } from '../../../../core/model/timing.ts';
import type { Logger } from '../../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import type {
  Tool,
  ToolCall,
  ToolCallContext,
  ToolPredicate,
  ToolServer,
  ToolServerHealth,
  ToolTaskRequest,
} from '../tool-server.ts';
import type { SessionOpener } from './connect.ts';
import { ListedTools } from './listed-tools.ts';
import { suspicionOf } from './lost-session.ts';
import { ReconnectingSession } from './reconnecting-session.ts';
import { ServerProblems } from './server-problems.ts';
import type { McpSession, McpSessionOptions } from './session.ts';

export interface SessionServerOptions
  extends Pick<McpSessionOptions, 'timeout' | 'taskTimeout' | 'version' | 'facts' | 'roots' | 'sampling'> {
  readonly name: string;
  readonly connect: SessionOpener;
  readonly logger: Logger;
  /** Called when the last session has been closed. */
  readonly onClose?: () => void;
}

/** An MCP server with one session at a time, which is opened when the gateway starts. */
export class SessionServer implements ToolServer {
  readonly #options: SessionServerOptions;
  readonly #closing = new AbortController();
  readonly #problems: ServerProblems;
  readonly #listed = new ListedTools();
  readonly #connection: ReconnectingSession;

  constructor(options: SessionServerOptions) {
    const { name: server, logger } = options;
    this.#options = options;
    this.#problems = new ServerProblems(server, logger);
    this.#connection = new ReconnectingSession({
      server,
      logger,
      closed: this.#closing.signal,
      connect: (onLost) => this.#connect(onLost),
      prepare: (session) => this.#read(session),
    });
  }

  get tools(): readonly Tool[] {
    if (this.#connection.session && this.#listed.isOld) this.#refresh().catch(() => undefined);
    return this.#listed.tools ?? [];
  }

  get health(): ToolServerHealth {
    const { failure, session } = this.#connection;
    if (failure) return { state: 'unreachable', reason: failure.message };
    const problems = this.#problems.all;
    return { state: session ? 'ok' : 'connecting', ...(problems.length > 0 && { problems }) };
  }

  open(): void {
    this.#connection.openSoon();
  }

  async close(): Promise<void> {
    this.#closing.abort(new ToolFailure('connection', 'The gateway is stopping'));
    await this.#connection.close();
    this.#options.onClose?.();
  }

  async list(signal: AbortSignal, _: ToolCallContext, wanted?: ToolPredicate): Promise<readonly Tool[]> {
    const { tools } = this.#listed;
    if (tools === undefined) {
      await unlessAborted(this.#connection.connected(), signal);
      return this.#listed.tools ?? [];
    }
    if (!wanted || wanted(tools) || this.#listed.isNew) return tools;
    return unlessAborted(this.#refresh(), signal);
  }

  async call(call: ToolCall): Promise<JsonObject> {
    const current = await this.#connectedFor(call);
    const taskOnly = this.#toolOf(call)?.taskOnly === true;
    // Any message from the server during a call shows that the call has begun. Such a call is not repeated.
    let isBegun = false;
    const onAsk: ToolCall['onAsk'] = (asked, withdrawn) => {
      isBegun = true;
      return call.onAsk?.(asked, withdrawn) ?? Promise.resolve({ action: 'cancel' });
    };
    const onProgress: ToolCall['onProgress'] = (progress) => {
      isBegun = true;
      call.onProgress(progress);
    };
    try {
      return await current.call({ ...call, onAsk, onProgress, taskOnly });
    } catch (thrown) {
      await this.#requireRepeatable(thrown, call, current, () => isBegun);
      return (await this.#connectedFor(call)).call({ ...call, taskOnly });
    }
  }

  async task(request: ToolTaskRequest): Promise<JsonObject> {
    const { signal } = request;
    const current = await this.#connectedFor(request);
    try {
      return await current.task(request);
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure)) throw thrown;
      if ((await this.#connection.stateAfter(thrown, current, signal)) === 'open') throw thrown;
      // All task requests may be repeated in another session.
      return (await this.#connectedFor(request)).task(request);
    }
  }

  /** Returns if the call may be repeated. Otherwise throws its failure: the call may have run, or would fail again. */
  async #requireRepeatable(
    thrown: unknown,
    call: ToolCall,
    session: McpSession,
    isBegun: () => boolean,
  ): Promise<void> {
    if (!(thrown instanceof ToolFailure)) throw thrown;
    if (this.#mayRepeat(thrown, call) && !isBegun()) return;
    // Later calls find out whether a failing server still knows the session; this call does not wait for that.
    const isFailing = suspicionOf(thrown) === 'failing';
    const after = this.#connection.stateAfter(thrown, session, isFailing ? this.#closing.signal : call.signal);
    if (isFailing) after.catch(() => undefined);
    const state = isFailing ? 'gone' : await after;
    if (state === 'open') throw withoutSession(thrown);
    if (state !== 'lost' || isBegun()) throw thrown;
  }

  /** Whether an interrupted call may be repeated according to its tool's annotations. */
  #mayRepeat({ condition, details }: ToolFailure, call: ToolCall): boolean {
    const { annotations } = this.#toolOf(call) ?? {};
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    return condition === 'connection' && details === undefined && isRepeatable;
  }

  #connect(onLost: (why: ToolFailure) => void): Promise<McpSession> {
    const { connect, timeout, taskTimeout, version, facts, roots, sampling = false } = this.#options;
    this.#problems.clear();
    return connect(
      {
        timeout,
        taskTimeout,
        version,
        facts,
        roots,
        sampling,
        onToolsChanged: () => this.#onToolsChanged(),
        onProblems: (method, found) => this.#problems.add(method, found),
        onLost,
      },
      this.#closing.signal,
    );
  }

  #connectedFor({ signal }: Pick<ToolCall, 'signal'>): Promise<McpSession> {
    return unlessAborted(this.#connection.connected(), signal);
  }

  #toolOf({ name: wanted }: ToolCall): Tool | undefined {
    return this.#listed.tools?.find(({ name }) => name === wanted);
  }

  #read(session: McpSession): Promise<readonly Tool[]> {
    this.#problems.remove('tools/list');
    return this.#listed.read(session, this.#closing.signal);
  }

  /** Reads the list again. Concurrent callers share one read. */
  readonly #refresh = shared(async (): Promise<readonly Tool[]> => {
    const connection = this.#connection;
    const current = await connection.connected();
    return this.#read(current).catch(async (thrown: unknown) => {
      if (!(thrown instanceof ToolFailure)) throw thrown;
      if ((await connection.stateAfter(thrown, current, this.#closing.signal)) === 'open') throw thrown;
      return this.#read(await connection.connected());
    });
  });

  /** Handles `tools/list_changed`, at a limited rate. */
  #onToolsChanged(): void {
    const wait = this.#listed.changed();
    if (wait === undefined) return;
    setTimeout(() => {
      if (this.#connection.session && this.#listed.isStale) this.#refresh().catch(() => undefined);
    }, wait).unref();
  }
}

/**
 * Converts the failure of a request that was refused in an open session: the refusal concerns the request, not the
 * session.
 */
function withoutSession(failure: ToolFailure): ToolFailure {
  const { condition, message, details = {}, answersRequest } = failure;
  if (condition !== 'sessionLost') return failure;
  const said = details.mcp_protocol_error;
  if (!answersRequest || !isObject(said)) return new ToolFailure('connection', message, { details });
  const { code, message: words, data } = said;
  return new ToolFailure('protocolError', typeof words === 'string' ? words : message, {
    ...(typeof code === 'number' && { code: String(code) }),
    ...(data !== undefined && { details: { mcp_protocol_error_data: data } }),
  });
}
