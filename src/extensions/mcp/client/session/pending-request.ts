import { AsyncLocalStorage } from 'node:async_hooks';
import { ToolFailure } from '../failures.ts';
import type { ToolCallContext } from '../tool-server.ts';

/** Milliseconds that the body of an answered request may take to end, so that its connection can be reused. */
const bodyEndTime = 1_000;

/**
 * A request to an MCP server that is not answered yet. The SDK waits for the answer without watching the transport;
 * the parts that see that no answer can come call `fail`.
 */
export class PendingRequest {
  readonly facts: ToolCallContext | undefined;
  readonly #failed = Promise.withResolvers<never>();
  /** Rejects when no answer can come any more. */
  readonly failed: Promise<never> = this.#failed.promise;
  readonly #bodies = new AbortController();
  /** Aborts the bodies of answers. */
  readonly signal: AbortSignal = this.#bodies.signal;
  readonly #timeout: number;
  readonly #last: number;
  #timer: NodeJS.Timeout;
  /** The JSON-RPC id of the latest request: opening a session takes several. */
  latestId: number | undefined;
  readonly #unanswered = new Set<number>();
  /** Whether it is answered or was canceled. */
  over = false;
  /** Whether it opens a session: streams that it opens outlive it. */
  connecting = false;

  /**
   * @param timeout milliseconds without a sign of life
   * @param total milliseconds in total
   */
  constructor(facts: ToolCallContext | undefined, timeout: number, total: number) {
    this.facts = facts;
    this.failed.catch(() => undefined);
    this.#timeout = timeout;
    this.#last = Date.now() + total;
    this.#timer = this.#await(timeout);
  }

  /** Records that a request is sent. */
  requestSent(id: number): void {
    this.latestId = id;
    this.#unanswered.add(id);
  }

  /** Records that a request was answered. */
  requestAnswered(id: number): void {
    this.#unanswered.delete(id);
  }

  /** Whether a request was sent and is not answered. */
  awaits(id: number | undefined): boolean {
    return id !== undefined && this.#unanswered.has(id);
  }

  /** Records a sign of life. */
  markAlive(): void {
    if (this.over) return;
    clearTimeout(this.#timer);
    this.#timer = this.#await(Math.min(this.#timeout, this.#last - Date.now()));
  }

  /** Fails the request. Only the first reason counts. */
  fail(failure: Error): void {
    if (!this.over) this.#failed.reject(failure);
  }

  /** Ends the request. */
  end(answered: boolean): void {
    this.over = true;
    clearTimeout(this.#timer);
    if (answered) setTimeout(() => this.#bodies.abort(), bodyEndTime).unref();
    else this.#bodies.abort();
  }

  #await(ms: number): NodeJS.Timeout {
    const late = (): void =>
      this.fail(new ToolFailure('timeout', `The server did not answer within ${this.#timeout} ms`));
    return setTimeout(late, Math.max(ms, 0));
  }
}

/** The current request, for what the SDK calls on its behalf. */
export const currentRequest: AsyncLocalStorage<PendingRequest> = new AsyncLocalStorage();
