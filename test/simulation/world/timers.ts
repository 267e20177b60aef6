import { AsyncResource } from 'node:async_hooks';
import { promisify } from 'node:util';
import { currentHost, type Host } from './hosts.ts';
import type { Scheduled } from './queue.ts';
import type { World } from './world.ts';

type Callback = (...values: unknown[]) => void;

/** The longest delay of a timer in Node: a longer one counts as one millisecond. */
const longestDelay = 2_147_483_647;

const delayOf = (ms: unknown): number => {
  const delay = Math.trunc(Number(ms));
  return delay >= 1 && delay <= longestDelay ? delay : 1;
};

/** A timer of the virtual clock, with the methods of Node's. It never keeps a process running. */
export class VirtualTimer extends AsyncResource implements Disposable {
  readonly #world: World;
  readonly #host: Host | undefined;
  readonly #ms: number;
  readonly #repeats: boolean;
  readonly #fire: () => void;
  readonly #isHeld: boolean;
  #scheduled: Scheduled | undefined;

  /** @param isHeld whether the host's count of timers has it: Node holds those of `AbortSignal.timeout` weakly */
  constructor(world: World, ms: unknown, repeats: boolean, fire: () => void, isHeld = true) {
    super('VirtualTimer', { requireManualDestroy: true });
    this.#world = world;
    this.#host = currentHost();
    this.#ms = delayOf(ms);
    this.#isHeld = isHeld;
    this.#repeats = repeats;
    this.#fire = fire;
    this.refresh();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    if (this.#scheduled && this.#world.putOff(this.#scheduled, this.#ms)) return this;
    this.close();
    const host = this.#host;
    const arrive = host ? () => host.receive(this.#due) : this.#due;
    this.#scheduled = this.#world.after(this.#ms, arrive);
    if (host && this.#isHeld) host.timers += 1;
    return this;
  }

  readonly #due = (): void => {
    if (this.#repeats) this.refresh();
    else this.#leave();
    this.runInAsyncScope(this.#fire);
  };

  close(): this {
    if (this.#scheduled) this.#world.cancel(this.#scheduled);
    this.#leave();
    return this;
  }

  #leave(): void {
    if (this.#scheduled && this.#host && this.#isHeld) this.#host.timers -= 1;
    this.#scheduled = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

interface TimerOptions {
  readonly signal?: AbortSignal;
}

/** The error of a wait that its signal ended, as Node's has it. */
const abortError = (cause: unknown): Error =>
  Object.assign(new Error('The operation was aborted', { cause }), { name: 'AbortError', code: 'ABORT_ERR' });

/** The functions of `node:timers` and `node:timers/promises`, on the clock of a world. */
export function virtualTimers(world: () => World) {
  const timer =
    (repeats: boolean) =>
    (fire: Callback, ms?: unknown, ...values: unknown[]) =>
      new VirtualTimer(world(), ms, repeats, () => fire(...values));
  const clear = (given: unknown): void => {
    if (given instanceof VirtualTimer) given.close();
  };
  const start = timer(false);
  const sleep = <T>(ms?: number, value?: T, { signal }: TimerOptions = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal.reason));
        return;
      }
      const leave = (): void => {
        waiting.close();
        reject(abortError(signal?.reason));
      };
      const waiting = start(() => {
        signal?.removeEventListener('abort', leave);
        resolve(value);
      }, ms);
      signal?.addEventListener('abort', leave, { once: true });
    });
  async function* ticks<T>(ms?: number, value?: T, options?: TimerOptions): AsyncGenerator<T | undefined> {
    for (;;) yield sleep(ms, value, options);
  }
  return {
    setTimeout: Object.assign(start, { [promisify.custom]: sleep }),
    setInterval: timer(true),
    clearTimeout: clear,
    clearInterval: clear,
    promises: { setTimeout: sleep, setInterval: ticks },
  };
}
