import { setTimeout as sleep } from 'node:timers/promises';
import { shared, steadyNow } from '../../../../core/model/timing.ts';
import type { Logger } from '../../../../core/ports/logger.ts';
import { ToolFailure } from '../failures.ts';
import { type SessionState, sessionAfter } from './lost-session.ts';
import type { McpSession } from './session.ts';

/** Milliseconds of the first pause before reconnecting. */
const firstPause = 500;
/** Milliseconds of the longest pause before reconnecting. */
const longestPause = 30_000;
/**
 * Milliseconds after which a session counts as stable. When a stable session ends, pauses start again with the
 * shortest.
 */
const stableAfter = 30_000;
/**
 * Maximum milliseconds that a call waits for the next connection attempt; if the pause is longer, the call fails at
 * once.
 */
const maxConnectWait = 2_000;

export interface ReconnectingSessionOptions {
  /** Name of the server in log lines. */
  readonly server: string;
  readonly logger: Logger;
  /** Aborts when the server is closed. */
  readonly closed: AbortSignal;
  /** Opens a session. */
  readonly connect: (onLost: (why: ToolFailure) => void) => Promise<McpSession>;
  /** Runs before a new session is used. */
  readonly prepare: (session: McpSession) => Promise<unknown>;
}

/** The only session with a server. Reopens it whenever it is lost, after pauses of increasing length. */
export class ReconnectingSession {
  readonly #options: ReconnectingSessionOptions;
  #session: McpSession | undefined;
  #openedAt = 0;
  /** Length of the last pause before an attempt to connect. */
  #pause = 0;
  /** Time at which that pause ends. */
  #retryAt = 0;
  /** Timer for the end of the pause. */
  #timer: NodeJS.Timeout | undefined;
  #failure: ToolFailure | undefined;

  constructor(options: ReconnectingSessionOptions) {
    this.#options = options;
  }

  get session(): McpSession | undefined {
    return this.#session;
  }

  /** Why there is no session. */
  get failure(): ToolFailure | undefined {
    return this.#failure;
  }

  /** Resolves with the session once it is open. Rejects at once while a long pause precedes the next attempt. */
  async connected(): Promise<McpSession> {
    const wait = this.#retryAt - steadyNow();
    if (this.#failure && wait > maxConnectWait) throw this.#failure;
    if (wait > 0) await sleep(wait);
    return this.#open();
  }

  /** Starts connecting in the background. */
  openSoon(): void {
    this.#open().catch(() => undefined);
  }

  /**
   * Resolves with the state of a session after a failure. A session that is gone is discarded, and the next request
   * opens another one. Rejects with the signal's reason.
   */
  async stateAfter(failure: ToolFailure, current: McpSession, signal: AbortSignal): Promise<SessionState> {
    const state = await sessionAfter(failure, current, signal);
    if (state !== 'open' && this.#session === current) {
      const { server, logger } = this.#options;
      this.#session = undefined;
      logger.info({ server, reason: failure.message }, 'an MCP server has lost its session; opening another one');
      current.retire();
    }
    return state;
  }

  /** Closes the session. The signal `closed` must have been aborted, which ends a pending attempt to connect. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const last = this.#session ?? (await this.#open().catch(() => undefined));
    await last?.close();
  }

  readonly #open = shared(async (): Promise<McpSession> => {
    if (this.#session) return this.#session;
    const { connect, prepare, closed } = this.#options;
    clearTimeout(this.#timer);
    this.#retryAt = 0;
    closed.throwIfAborted();
    let opened: McpSession | undefined;
    const onLost = (why: ToolFailure): void => {
      if (this.#session !== undefined && this.#session === opened) this.#onLost(why);
    };
    try {
      opened = await connect(onLost);
      await prepare(opened);
      if (opened.ending) throw opened.ending;
      this.#session = opened;
      this.#openedAt = steadyNow();
      this.#failure = undefined;
      return opened;
    } catch (thrown) {
      await opened?.close();
      const why = ToolFailure.from(thrown);
      this.#logFailure(why);
      this.#retryLater(why);
      throw why;
    }
  });

  #logFailure({ message: reason, cause: err }: ToolFailure): void {
    const { closed, logger, server } = this.#options;
    if (closed.aborted || reason === this.#failure?.message) return;
    logger.warn({ server, reason, ...(err !== undefined && { err }) }, 'cannot reach an MCP server; trying again');
  }

  /** Schedules the next attempt to connect. */
  #retryLater(why: ToolFailure): void {
    if (this.#options.closed.aborted) return;
    this.#failure = why;
    this.#pause = this.#pause === 0 ? firstPause : Math.min(this.#pause * 2, longestPause);
    this.#retryAt = steadyNow() + this.#pause;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.openSoon(), this.#pause).unref();
  }

  #onLost(why: ToolFailure): void {
    const { server, logger } = this.#options;
    this.#session = undefined;
    if (steadyNow() - this.#openedAt > stableAfter) this.#pause = 0;
    logger.warn({ server, reason: why.message }, 'lost the session with an MCP server; reconnecting');
    this.#retryLater(why);
  }
}
