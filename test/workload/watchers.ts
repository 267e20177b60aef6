import { A2AError } from '../../src/client/index.ts';
import type { LoggedEvent } from '../../src/core/model/call.ts';
import { isTerminal, stateOf } from '../../src/core/model/lifecycle.ts';
import { type Callee, type Clients, isPassing } from './clients.ts';
import type { Ledger, Watched } from './ledger.ts';

/** Milliseconds without an event after which a subscriber goes elsewhere; and that a connection may take to begin. */
const stall = { patient: 20_000, hasty: 5_000, beginning: 6_000 } as const;

export interface WatchOptions {
  /** Begin with the task as it is, not with its first event. */
  readonly leading?: boolean;
  /** Go elsewhere soon when nothing happens, and not only after a long while. */
  readonly hasty?: boolean;
  /** Gateway of all connections. Default: any, another one each time. */
  readonly gateway?: number;
  /** A stream that is open already: of the message that opened the task. */
  readonly opened?: Open;
}

/** A stream, and what ends it. */
export interface Open {
  readonly events: AsyncIterator<LoggedEvent>;
  readonly control: AbortController;
}

/** Subscribers that go to another gateway whenever a stream breaks, and take it up where it broke. */
export class Watchers {
  readonly #clients: Clients;
  readonly #ledger: Ledger;
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(clients: Clients, ledger: Ledger) {
    this.#clients = clients;
    this.#ledger = ledger;
  }

  /** Follows a task to its end, in the background. Returns what is seen of it. */
  watch(callee: Callee, taskId: string, options: WatchOptions = {}): Readonly<Watched> {
    const watched: Watched = { ...callee, taskId, seen: [], leading: false, ended: false, resumed: 0 };
    this.#ledger.watched.push(watched);
    const running = this.#follow(watched, options)
      .catch((thrown: unknown) => {
        watched.failure = String(thrown);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return watched;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Resolves when all have seen the end of their tasks, or after `timeout` milliseconds, when it gives up the others. */
  async end(timeout: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, timeout);
    while (this.#running.size > 0) {
      const all = Promise.all(this.#running).then(() => false);
      if ((await Promise.race([all, late.promise.then(() => true)])) === true) break;
    }
    clearTimeout(timer);
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #follow(watched: Watched, { leading = false, hasty = false, gateway, opened }: WatchOptions): Promise<void> {
    const timeout = hasty ? stall.hasty : stall.patient;
    const anywhere = (): number => gateway ?? this.#clients.any();
    let current = opened;
    let whole = !leading;
    while (!watched.ended && !this.#stop.signal.aborted) {
      try {
        const open =
          current ?? (await this.#open(watched, anywhere(), watched.seen.at(-1)?.seq ?? (whole ? 0 : undefined)));
        await this.#read(watched, open, timeout);
        // A stream that ends before the task does has more to tell elsewhere.
        if (!watched.ended) await this.#clients.waitAfter(new A2AError('unavailable', 'the stream has ended'));
      } catch (thrown) {
        const error = A2AError.from(thrown);
        if (isPassing(error)) await this.#clients.waitAfter(error);
        else if (error.kind === 'unsupportedOperation' && !whole && watched.seen.length === 0) whole = true;
        else throw error;
      }
      current = undefined;
      watched.resumed += watched.ended ? 0 : 1;
    }
  }

  async #open(watched: Watched, gateway: number, after: number | undefined): Promise<Open> {
    const control = new AbortController();
    const { signal } = control;
    const client = await this.#clients.at(gateway, watched, AbortSignal.timeout(stall.beginning));
    const options = { signal, ...(after !== undefined && { after }) };
    const events = client.events('SubscribeToTask', { id: watched.taskId }, options);
    return { events: events[Symbol.asyncIterator](), control };
  }

  async #read(watched: Watched, { events, control }: Open, timeout: number): Promise<void> {
    const since = Date.now();
    const late = (): void => control.abort(new DOMException('nothing came', 'TimeoutError'));
    this.#stop.signal.addEventListener('abort', late, { once: true });
    try {
      for (let wait: number = stall.beginning; ; wait = timeout) {
        const timer = setTimeout(late, wait);
        const { done, value } = await events.next().finally(() => clearTimeout(timer));
        if (done) return;
        take(watched, value, since);
      }
    } finally {
      this.#stop.signal.removeEventListener('abort', late);
      late();
      await events.return?.();
    }
  }
}

function take(watched: Watched, { seq, event }: LoggedEvent, since: number): void {
  const { seen } = watched;
  if (seen.length === 0 && event.task && seq > 1) watched.leading = true;
  seen.push({ seq, event, at: Date.now(), since });
  const state = stateOf(event);
  watched.ended = state !== undefined && isTerminal(state);
}
