import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../core/model/json.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolCallContext, ToolPredicate, ToolServer, ToolServerHealth } from '../tool-server.ts';
import type { SessionOpener } from './connect.ts';
import type { McpSession } from './session.ts';

/** Settings of the sessions with a server. */
export interface SessionServerOptions {
  readonly name: string;
  readonly connect: SessionOpener;
  /** Milliseconds without a result or progress after which a request fails. */
  readonly timeout: number;
  readonly version: string;
  /** The caller whose credentials open the sessions. Absent: the gateway's credentials do. */
  readonly facts?: ToolCallContext | undefined;
  readonly logger: Logger;
  /** Called when the last session is closed. */
  readonly onClose?: () => void;
}

/** Milliseconds before the list of tools may be refreshed again, and after which it is refreshed when it is used. */
const [minListAge, maxListAge] = [1_000, 300_000];
/** Milliseconds before reconnecting: the first pause and the longest. */
const [firstPause, longestPause] = [500, 30_000];
/** Milliseconds after which a session counts as stable: when it ends, pauses begin again with the shortest. */
const stableAfter = 30_000;
/** Milliseconds that a call waits for the next attempt to connect; if the pause is longer it fails at once. */
const maxConnectWait = 2_000;

/** Whether the server declares that a tool may be called again when the outcome of a call is unknown. */
const isRepeatable = ({ annotations }: Tool): boolean =>
  annotations?.readOnlyHint === true || annotations?.idempotentHint === true;

/**
 * An MCP server with one session at a time. The session is opened when the gateway starts, and again whenever it is
 * lost, after growing pauses.
 */
export class SessionServer implements ToolServer {
  readonly #options: SessionServerOptions;
  readonly #closing = new AbortController();
  #session: McpSession | undefined;
  #connecting: Promise<McpSession> | undefined;
  #openedAt = 0;
  #pause = 0;
  #retry: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  #failure: ToolFailure | undefined;
  #tools: readonly Tool[] | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<readonly Tool[]> | undefined;
  #stale = false;

  constructor(options: SessionServerOptions) {
    this.#options = options;
  }

  get tools(): readonly Tool[] {
    if (this.#session && this.#tools && this.#isListOld) this.#refresh().catch(() => undefined);
    return this.#tools ?? [];
  }

  get health(): ToolServerHealth {
    if (this.#failure) return { state: 'unreachable', reason: this.#failure.message };
    return { state: this.#session ? 'ok' : 'connecting' };
  }

  open(): void {
    this.#connect().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort(new ToolFailure('connection', 'The gateway is stopping'));
    clearTimeout(this.#retry?.timer);
    const session = this.#session ?? (await this.#connecting?.catch(() => undefined));
    await session?.close();
    this.#options.onClose?.();
  }

  async list(signal: AbortSignal, _: ToolCallContext, wanted?: ToolPredicate): Promise<readonly Tool[]> {
    const known = this.#tools;
    if (known === undefined) {
      await untilAborted(this.#connected(), signal);
      return this.#tools ?? [];
    }
    if (!wanted || wanted(known) || Date.now() - this.#listedAt < minListAge) return known;
    return untilAborted(this.#refresh(), signal);
  }

  async call(call: ToolCall): Promise<JsonObject> {
    const session = await untilAborted(this.#connected(), call.signal);
    const taskOnly = this.#toolOf(call)?.taskOnly === true;
    try {
      return await session.call({ ...call, taskOnly });
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure) || !this.#mayRepeat(thrown, call)) throw thrown;
      if (thrown.condition === 'sessionLost') this.#drop(session);
      return (await untilAborted(this.#connected(), call.signal)).call({ ...call, taskOnly });
    }
  }

  get #isListOld(): boolean {
    const age = Date.now() - this.#listedAt;
    return age > minListAge && (this.#stale || age > maxListAge);
  }

  /** Whether a failed call may be repeated once. */
  #mayRepeat({ condition, details }: ToolFailure, call: ToolCall): boolean {
    // A server that does not know the session has not carried out the call.
    if (condition === 'sessionLost') return true;
    const tool = this.#toolOf(call);
    return condition === 'connection' && details === undefined && tool !== undefined && isRepeatable(tool);
  }

  #toolOf({ name }: ToolCall): Tool | undefined {
    return this.#tools?.find((known) => known.name === name);
  }

  /** The session, once it is open. Rejects at once while the pause before the next attempt is long. */
  async #connected(): Promise<McpSession> {
    const wait = (this.#retry?.at ?? 0) - Date.now();
    if (!this.#session && !this.#connecting && wait > 0) {
      if (this.#failure && wait > maxConnectWait) throw this.#failure;
      await sleep(wait);
    }
    return this.#connect();
  }

  async #connect(): Promise<McpSession> {
    if (this.#session) return this.#session;
    this.#connecting ??= this.#establish().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #establish(): Promise<McpSession> {
    clearTimeout(this.#retry?.timer);
    this.#retry = undefined;
    const { connect, timeout, version, facts } = this.#options;
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const onToolsChanged = (): void => this.#onToolsChanged();
    const onLost = (failure: ToolFailure): void => this.#lost(failure);
    let opened: McpSession | undefined;
    try {
      opened = await connect({ timeout, version, facts, onToolsChanged, onLost }, signal);
      await this.#read(opened);
      if (opened.ending) throw opened.ending;
      this.#session = opened;
      this.#openedAt = Date.now();
      this.#failure = undefined;
      return opened;
    } catch (thrown) {
      await opened?.close();
      const failure = ToolFailure.from(thrown);
      this.#logUnreachable(failure);
      this.#retryLater(failure);
      throw failure;
    }
  }

  async #read(session: McpSession): Promise<readonly Tool[]> {
    this.#stale = false;
    this.#listedAt = Date.now();
    const tools = await session.list(this.#closing.signal);
    // An unchanged list stays the same array, so that everything derived from it stays valid.
    if (JSON.stringify(tools) !== JSON.stringify(this.#tools)) this.#tools = tools;
    return this.#tools ?? tools;
  }

  #refresh(): Promise<readonly Tool[]> {
    this.#listing ??= this.#connected()
      .then((session) => this.#read(session))
      .finally(() => {
        this.#listing = undefined;
      });
    return this.#listing;
  }

  /** Handles `tools/list_changed`, at a limited rate. */
  #onToolsChanged(): void {
    if (this.#stale) return;
    this.#stale = true;
    const wait = Math.max(0, this.#listedAt + minListAge - Date.now());
    setTimeout(() => {
      if (this.#session && this.#stale) this.#refresh().catch(() => undefined);
    }, wait).unref();
  }

  #drop(session: McpSession): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    void session.close();
  }

  #lost(failure: ToolFailure): void {
    const { logger, name } = this.#options;
    if (this.#session === undefined) return;
    this.#session = undefined;
    if (Date.now() - this.#openedAt > stableAfter) this.#pause = 0;
    logger.warn({ server: name, reason: failure.message }, 'lost the session with an MCP server; reconnecting');
    this.#retryLater(failure);
  }

  /** Logs a failure to connect, once for each reason. */
  #logUnreachable(failure: ToolFailure): void {
    const { logger, name: server } = this.#options;
    const { message: reason, cause: err } = failure;
    if (this.#closing.signal.aborted || reason === this.#failure?.message) return;
    logger.warn({ server, reason, ...(err !== undefined && { err }) }, 'cannot reach an MCP server; trying again');
  }

  /** Schedules the next attempt to connect. */
  #retryLater(failure: ToolFailure): void {
    if (this.#closing.signal.aborted) return;
    this.#failure = failure;
    const pause = this.#pause === 0 ? firstPause : Math.min(this.#pause * 2, longestPause);
    this.#pause = pause;
    clearTimeout(this.#retry?.timer);
    this.#retry = { at: Date.now() + pause, timer: setTimeout(() => this.open(), pause).unref() };
  }
}

/** The result of a promise. Rejects when the signal aborts before. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
