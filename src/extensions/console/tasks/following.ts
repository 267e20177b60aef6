import { batch, signal } from '@preact/signals';
import { awake } from '../gateway/awake.ts';
import type { GatewayError } from '../gateway/error.ts';
import { whileVisible } from '../gateway/hooks.ts';
import { type LiveState, live, type OpenStream } from '../gateway/live.ts';
import { openStreams } from '../shell/facts.ts';

interface FollowingOptions<E, P> {
  readonly open: OpenStream<E, P>;
  /**
   * Returns the position of an event after the last one; undefined for one that was received before, which is left out.
   */
  readonly next: (event: E, last: P | undefined) => P | undefined;
  /** Whether the gateway never ends this stream on purpose. */
  readonly endless?: boolean;
  readonly onEvents: (events: readonly E[]) => void;
}

/** Milliseconds in which events are collected before they are passed on; more if drawing takes long. Six drawings a second are live. */
const frame = 160;

/** Share of the time that is spent on drawing new events. */
const share = 0.1;

/** A stream that is followed while the tab is visible, from its last position. */
export class Following<E, P> {
  readonly state = signal<LiveState>('connecting');
  /** The gateway's refusal. */
  readonly refusal = signal<GatewayError | undefined>(undefined);
  readonly #options: FollowingOptions<E, P>;
  #last: P | undefined;
  #arrived: E[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Milliseconds until events are passed on. */
  #pause = frame;

  constructor(options: FollowingOptions<E, P>) {
    this.#options = options;
  }

  /**
   * Follows the stream until the signal aborts. @param from position after which it begins; absent: the last position
   */
  start(closed: AbortSignal, from: P | undefined = this.#last): void {
    this.#last = from;
    closed.addEventListener('abort', () => this.#stopTimer());
    whileVisible((visible) => this.#follow(visible), closed);
  }

  /** Passes on the collected events. */
  #flush(): void {
    this.#stopTimer();
    const arrived = this.#arrived.splice(0);
    if (arrived.length === 0) return;
    const began = performance.now();
    this.#options.onEvents(arrived);
    // The components have been drawn when this runs.
    setTimeout(() => {
      this.#pause = Math.max(frame, (performance.now() - began) / share);
    });
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #follow(closed: AbortSignal): Promise<void> {
    const { open, next, endless = false } = this.#options;
    const events = live<E, P>(open, {
      ...(this.#last !== undefined && { from: this.#last }),
      signal: closed,
      endless,
      pause: awake,
      next: (event, _id, last) => {
        const position = next(event, last);
        this.#last = position ?? this.#last;
        return position;
      },
      onState: (state, error) =>
        batch(() => {
          openStreams.value += Number(state === 'open') - Number(this.state.peek() === 'open');
          this.state.value = state;
          this.refusal.value = state === 'refused' ? error : undefined;
        }),
    });
    for await (const event of events) {
      this.#arrived.push(event);
      this.#timer ??= setTimeout(() => this.#flush(), this.#pause);
    }
  }
}
