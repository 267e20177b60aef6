import { AsyncLocalStorage } from 'node:async_hooks';
import { ToolFailure } from '../failures.ts';
import type { ToolCallContext } from '../tool-server.ts';

/** Milliseconds that an answered request's body may still take to end, so that its connection can be used again. */
const lingering = 1_000;

/**
 * One request to an MCP server while it is under way. The SDK waits for an answer without looking at what carries it;
 * whoever sees that none can come says so here.
 */
export class PendingRequest {
  readonly facts: ToolCallContext | undefined;
  /** Rejects when no answer can come any more. */
  readonly failed: Promise<never>;
  readonly #fail: (failure: Error) => void;
  readonly #bodies = new AbortController();
  readonly #timeout: number;
  readonly #last: number;
  #timer: NodeJS.Timeout;
  /** The SDK's number of the request that was sent last: opening a session, say, takes several. */
  latestId: number | undefined;
  readonly #unanswered = new Set<number>();
  /** Nobody waits any more. */
  over = false;
  /** It opens a session: streams that are opened within it outlive it. */
  connecting = false;

  /**
   * @param timeout milliseconds without a sign of life
   * @param total milliseconds for everything, whatever the signs of life
   */
  constructor(facts: ToolCallContext | undefined, timeout: number, total: number) {
    this.facts = facts;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#timeout = timeout;
    this.#last = Date.now() + total;
    this.#timer = this.#await(timeout);
  }

  /** Aborts the bodies that the answer would have come in. */
  get signal(): AbortSignal {
    return this.#bodies.signal;
  }

  /** A request is being sent. */
  requestSent(id: number): void {
    this.latestId = id;
    this.#unanswered.add(id);
  }

  /** A request was answered. */
  requestAnswered(id: number): void {
    this.#unanswered.delete(id);
  }

  /** Whether a request was sent and not answered. */
  awaits(id: number | undefined): boolean {
    return id !== undefined && this.#unanswered.has(id);
  }

  /** There was a sign of life. */
  markAlive(): void {
    if (this.over) return;
    clearTimeout(this.#timer);
    this.#timer = this.#await(Math.min(this.#timeout, this.#last - Date.now()));
  }

  /** No answer can come. Only the first reason counts. */
  fail(failure: Error): void {
    if (!this.over) this.#fail(failure);
  }

  /** Nobody waits any more. */
  end(answered: boolean): void {
    this.over = true;
    clearTimeout(this.#timer);
    if (answered) setTimeout(() => this.#bodies.abort(), lingering).unref();
    else this.#bodies.abort();
  }

  #await(ms: number): NodeJS.Timeout {
    const late = (): void =>
      this.fail(new ToolFailure('timeout', `The server did not answer within ${this.#timeout} ms`));
    return setTimeout(late, Math.max(ms, 0));
  }
}

/** The request that is being sent, for what the SDK calls on its behalf. */
export const currentRequest: AsyncLocalStorage<PendingRequest> = new AsyncLocalStorage();
