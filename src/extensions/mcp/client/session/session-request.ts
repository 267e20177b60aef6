import type { Progress, RequestOptions } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../../core/model/json.ts';
import { longestTimer, steadyNow, unlessAborted } from '../../../../core/model/timing.ts';
import { ToolFailure } from '../failures.ts';
import type { ToolCall, ToolCallContext, ToolProgress } from '../tool-server.ts';
import { currentCall, type PendingCall } from './fetch.ts';

export interface SessionRequestOptions {
  readonly signal: AbortSignal;
  readonly facts?: ToolCallContext | undefined;
  /** Milliseconds without a result or progress after which the request fails. */
  readonly timeout: number;
  readonly onProgress?: (progress: ToolProgress) => void;
  readonly onAsk?: ToolCall['onAsk'];
  /** Whether the result is returned as the server sent it, unchecked. */
  readonly takesRaw?: boolean;
  readonly opens?: boolean;
}

/** A call with progress may take this many times its time-out in total. */
const maxTimeouts = 10;
/** Maximum number of progress reports of one call that are passed on. Later ones only reset the time-out. */
const maxProgress = 1_000;
/** Milliseconds that the body of an answered request may take to end, so that its connection can be reused. */
const bodyEndTime = 1_000;

/** A request of the SDK, from sending until it is answered or can no longer be answered. */
export class SessionRequest<T> {
  /** The request as the transport sees it. */
  readonly call: PendingCall;
  readonly #options: SessionRequestOptions;
  readonly #stop = new AbortController();
  readonly #bodies = new AbortController();
  readonly #settled = Promise.withResolvers<T>();
  /** Deadlines of a call that may ask; the SDK's deadlines would continue while the caller is asked. */
  readonly #clock: CallClock | undefined;
  #reports = 0;

  constructor(options: SessionRequestOptions) {
    const { facts, opens = false, timeout, takesRaw, onAsk } = options;
    const { reject, resolve } = this.#settled;
    this.#options = options;
    const onTimeout = (): void => reject(new ToolFailure('timeout', `The server did not answer within ${timeout} ms`));
    this.#clock = onAsk && new CallClock(timeout, timeout * maxTimeouts, onTimeout);
    this.call = {
      facts,
      opens,
      bodies: this.#bodies.signal,
      fail: reject,
      asking: 0,
      ...(takesRaw && { onResult: resolve as (result: JsonObject) => void }),
      ...(onAsk && {
        onAsk: (asked, withdrawn) => this.#ask(onAsk, asked, withdrawn),
        onLog: (message: string) => this.#report({ message }),
      }),
    };
  }

  /** Sends the request. Rejects with the SDK's error, or the reason why there will be no response. */
  answer(send: (sending: RequestOptions) => Promise<T>): Promise<T> {
    const { timeout, signal, onProgress } = this.#options;
    const times = this.#clock
      ? { timeout: longestTimer }
      : { timeout, maxTotalTimeout: timeout * maxTimeouts, resetTimeoutOnProgress: true };
    const onprogress = (progress: Progress): void => {
      this.#clock?.reset();
      this.#report(progress);
    };
    const sending = { signal: this.#stop.signal, ...times, ...(onProgress && { onprogress }) };
    const answer = currentCall.run(this.call, () => send(sending));
    return unlessAborted(Promise.race([this.#settled.promise, answer]), signal);
  }

  /** Cancels the request at the server. */
  cancel(): void {
    this.#stop.abort('The call was canceled');
  }

  /** Stops the deadlines, and soon afterwards aborts response bodies that are still open. */
  end(): void {
    this.#clock?.pause();
    setTimeout(() => this.#bodies.abort(), bodyEndTime).unref();
  }

  #report(progress: ToolProgress): void {
    this.#reports += 1;
    if (this.#reports <= maxProgress) this.#options.onProgress?.(progress);
  }

  /** Asks the caller. The deadlines are paused meanwhile. */
  async #ask(
    onAsk: NonNullable<ToolCall['onAsk']>,
    ...[asked, withdrawn]: Parameters<NonNullable<ToolCall['onAsk']>>
  ): Promise<JsonObject> {
    this.call.asking += 1;
    this.#clock?.pause();
    try {
      return await onAsk(asked, withdrawn);
    } finally {
      this.call.asking -= 1;
      this.#clock?.resume();
    }
  }
}

/** Deadlines of a call: one without progress, and one in total. They do not run while the clock is paused. */
class CallClock {
  readonly #timeout: number;
  readonly #onTimeout: () => void;
  /** Milliseconds that remain until the total deadline. */
  #left: number;
  #since = 0;
  /** Number of pauses that have not ended. */
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeout: number, total: number, onTimeout: () => void) {
    this.#timeout = timeout;
    this.#left = total;
    this.#onTimeout = onTimeout;
    this.#run();
  }

  /** Restarts the time without progress. */
  reset(): void {
    if (this.#pauses > 0) return;
    this.#halt();
    this.#run();
  }

  pause(): void {
    if (this.#pauses === 0) this.#halt();
    this.#pauses += 1;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  #run(): void {
    this.#since = steadyNow();
    this.#timer = setTimeout(this.#onTimeout, Math.min(this.#timeout, this.#left));
  }

  #halt(): void {
    clearTimeout(this.#timer);
    this.#left -= steadyNow() - this.#since;
  }
}
