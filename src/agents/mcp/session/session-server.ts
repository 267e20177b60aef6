import type { JsonObject } from '../../../core/model/json.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import type { Tool, ToolCall, ToolCallContext, ToolPredicate, ToolServer, ToolServerHealth } from '../tool-server.ts';
import type { SessionOpener } from './connect.ts';
import type { McpSession } from './session.ts';

/** What sessions with a server are held with. */
export interface SessionServerOptions {
  readonly name: string;
  readonly connect: SessionOpener;
  /** Milliseconds without a result or a sign of progress after which a request is given up. */
  readonly timeout: number;
  readonly version: string;
  /** Of the caller whose credentials open the sessions, where they are not the gateway's. */
  readonly facts?: ToolCallContext | undefined;
  readonly logger: Logger;
  /** Milliseconds after which the list of tools is read again when it is used. Default 300,000. */
  readonly listAge?: number;
  /** Milliseconds before a lost server is tried again: at first, and at most. Default 500 and 30,000. */
  readonly pauses?: readonly [first: number, most: number];
  /** Called when the last session is closed. */
  readonly onClose?: () => void;
}

/** Milliseconds within which the list is not read again, whatever anybody says. */
const rest = 1_000;
/** Milliseconds that a session lasts whose end is no sign of a server that cannot stay up. */
const steady = 30_000;
/** Milliseconds that a call waits for the next attempt to connect; with a longer pause it fails at once. */
const patience = 2_000;

/** What may be repeated when it is not known whether it was done: the server says so of its tools. */
const repeatable = ({ annotations }: Tool): boolean =>
  annotations?.readOnlyHint === true || annotations?.idempotentHint === true;

/**
 * An MCP server that sessions are held with, one at a time. The session is opened when the gateway starts, and again
 * whenever it is lost: at once at first, then after growing pauses.
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
    if (this.#session && this.#tools && this.#old) this.#refresh().catch(() => undefined);
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
    if (known === undefined)
      return within(
        this.#connected().then(() => this.#tools ?? []),
        signal,
      );
    if (!wanted || wanted(known) || Date.now() - this.#listedAt < rest) return known;
    return within(this.#refresh(), signal).catch((thrown) => {
      signal.throwIfAborted();
      throw thrown;
    });
  }

  async call(call: ToolCall): Promise<JsonObject> {
    const session = await within(this.#connected(), call.signal);
    const taskOnly = this.#toolOf(call)?.taskOnly === true;
    try {
      return await session.call({ ...call, taskOnly });
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure) || !this.#again(thrown, call)) throw thrown;
      if (thrown.condition === 'sessionLost') this.#drop(session);
      return (await within(this.#connected(), call.signal)).call({ ...call, taskOnly });
    }
  }

  get #old(): boolean {
    const age = Date.now() - this.#listedAt;
    return age > rest && (this.#stale || age > (this.#options.listAge ?? 300_000));
  }

  /** Whether a call that failed so may be sent once more. */
  #again({ condition, details }: ToolFailure, call: ToolCall): boolean {
    // Nothing was done by a server that does not know who asks.
    if (condition === 'sessionLost') return true;
    const tool = this.#toolOf(call);
    return condition === 'connection' && details === undefined && tool !== undefined && repeatable(tool);
  }

  #toolOf({ name }: ToolCall): Tool | undefined {
    return this.#tools?.find((known) => known.name === name);
  }

  /** The session, as soon as there is one. Rejects with why there is none when that will take long. */
  #connected(): Promise<McpSession> {
    if (this.#session) return Promise.resolve(this.#session);
    const wait = (this.#retry?.at ?? 0) - Date.now();
    if (!this.#connecting && this.#failure && wait > patience) return Promise.reject(this.#failure);
    if (!this.#connecting && wait > 0) {
      return new Promise<void>((resolve) => setTimeout(resolve, wait)).then(() => this.#connect());
    }
    return this.#connect();
  }

  #connect(): Promise<McpSession> {
    if (this.#session) return Promise.resolve(this.#session);
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
    let opened: McpSession | undefined;
    try {
      opened = await connect(
        {
          timeout,
          version,
          facts,
          onToolsChanged: () => this.#changed(),
          onLost: (failure) => this.#lost(failure),
        },
        signal,
      );
      await this.#read(opened);
      if (opened.ending) throw opened.ending;
      this.#session = opened;
      this.#openedAt = Date.now();
      this.#failure = undefined;
      return opened;
    } catch (thrown) {
      await opened?.close();
      const failure = ToolFailure.from(thrown);
      this.#unreachable(failure);
      this.#postpone(failure);
      throw failure;
    }
  }

  async #read(session: McpSession): Promise<readonly Tool[]> {
    this.#stale = false;
    this.#listedAt = Date.now();
    const tools = await session.list(this.#closing.signal);
    // The same list again leaves everything as it is that was made of it.
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

  /** The server says that its tools have changed. It may say so as often as it likes. */
  #changed(): void {
    if (this.#stale) return;
    this.#stale = true;
    const wait = Math.max(0, this.#listedAt + rest - Date.now());
    const timer = setTimeout(() => {
      if (this.#session && this.#stale) this.#refresh().catch(() => undefined);
    }, wait);
    timer.unref();
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
    if (Date.now() - this.#openedAt > steady) this.#pause = 0;
    logger.warn({ server: name, reason: failure.message }, 'lost a tool server');
    this.#postpone(failure);
  }

  /** Said once for each reason: it is tried again and again. */
  #unreachable(failure: ToolFailure): void {
    const { logger, name } = this.#options;
    const { message: reason, cause } = failure;
    if (this.#closing.signal.aborted || reason === this.#failure?.message) return;
    logger.warn({ server: name, reason, ...(cause !== undefined && { err: cause }) }, 'cannot reach a tool server');
  }

  /** Tries again later: the sooner, the longer it went well. */
  #postpone(failure: ToolFailure): void {
    if (this.#closing.signal.aborted) return;
    const [first, most] = this.#options.pauses ?? [500, 30_000];
    this.#failure = failure;
    const pause = this.#pause === 0 ? first : Math.min(this.#pause * 2, most);
    this.#pause = pause;
    clearTimeout(this.#retry?.timer);
    const timer = setTimeout(() => this.open(), pause);
    timer.unref();
    this.#retry = { at: Date.now() + pause, timer };
  }
}

/** What a promise comes to, unless the signal aborts before. */
async function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
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
