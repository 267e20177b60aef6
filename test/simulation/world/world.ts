import { createHash } from 'node:crypto';
import { Random } from '../../support/random.ts';
import { currentHost, type Host } from './hosts.ts';
import { EventQueue, type Scheduled } from './queue.ts';

/** Start of every simulation: milliseconds since the epoch. */
export const beginning = Date.UTC(2030, 0, 1);

/** Turns of the real event loop after each event: what Node does by itself, as in HTTP/2, takes a few. */
const turnsPerEvent = 2;

/** Turns after which code that calls `setImmediate` again and again is taken to be polling. */
const mostTurns = 1_000;

/** Characters of the trace that are hashed together. */
const hashedAtOnce = 16_384;

/** Real functions of the process, which virtual ones replace. */
export interface RealFunctions {
  readonly setImmediate: typeof setImmediate;
  /** Number of callbacks of `setImmediate` that have not run. */
  readonly pendingImmediates: () => number;
}

/**
 * Virtual time, chance and the schedule of one simulation. Events happen one after the other, by their time; between two of
 * them all that follows from the first without waiting has happened.
 */
export class World {
  readonly random: Random;
  /** Virtual milliseconds since the epoch. */
  now = beginning;
  readonly #queue = new EventQueue();
  readonly #real: RealFunctions;
  readonly #hash = createHash('sha256');
  readonly #listeners: ((line: string) => void)[] = [];
  /** Lines of the trace that are not in the hash. */
  #unhashed = '';
  #events = 0;

  constructor(seed: number, real: RealFunctions) {
    this.random = new Random(seed);
    this.#real = real;
  }

  /** Number of events so far. */
  get events(): number {
    return this.#events;
  }

  /** Schedules what happens on no host. */
  after(ms: number, fire: () => void): Scheduled {
    return this.#queue.add(this.now + Math.max(0, ms), fire);
  }

  /** Puts off what was scheduled, so that it happens after some time from now. False: it has happened. */
  putOff(scheduled: Scheduled, ms: number): boolean {
    return this.#queue.putOff(scheduled, this.now + Math.max(0, ms));
  }

  cancel(scheduled: Scheduled): void {
    this.#queue.cancel(scheduled);
  }

  /** Schedules what a host gets: never after its death, and not before the end of a pause. */
  deliver(host: Host, ms: number, fire: () => void): Scheduled {
    return this.after(ms, () => host.receive(() => host.run(fire)));
  }

  /** A further stream of chance, which does not change with what others take. */
  fork(): Random {
    return new Random(this.random.between(0, 0xffff_ffff));
  }

  /** Adds a line to the trace. */
  trace(kind: string, detail: string, host = currentHost()): void {
    const line = `${this.now - beginning} ${host?.name ?? '-'} ${kind} ${detail}`;
    this.#unhashed += `${line}\n`;
    if (this.#unhashed.length > hashedAtOnce) this.#hashLines();
    for (const listener of this.#listeners) listener(line);
  }

  /** Calls a listener with each further line of the trace. */
  onTrace(listener: (line: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Digest of the trace so far, in hexadecimal. */
  get digest(): string {
    this.#hashLines();
    return this.#hash.copy().digest('hex');
  }

  #hashLines(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = '';
  }

  /** Ends the trace. Resolves when what goes on without an event has gone on. */
  async end(): Promise<void> {
    this.#listeners.length = 0;
    await this.#settled();
  }

  /** Runs until a condition holds, which is looked at after each event. False: the time was over, or nothing is left to happen. */
  async runUntil(isOver: () => boolean, limitMs: number): Promise<boolean> {
    const until = this.now + limitMs;
    for (;;) {
      await this.#settled();
      if (isOver()) return true;
      const next = this.#queue.peek();
      if (!next || next.at > until) {
        this.now = until;
        return false;
      }
      this.#queue.take();
      this.now = Math.max(this.now, next.at);
      this.#events += 1;
      next.fire();
    }
  }

  /** Runs for some virtual time. */
  async runFor(ms: number): Promise<void> {
    await this.runUntil(() => false, ms);
  }

  /** Resolves with what a promise resolves with, while virtual time passes. Rejects when it takes longer than the limit. */
  async waitFor<T>(promise: Promise<T>, limitMs: number, name: string): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    if (!(await this.runUntil(() => isSettled, limitMs))) throw new Error(`${name} took more than ${limitMs} ms`);
    return promise;
  }

  /** Resolves when nothing goes on without waiting for an event. */
  async #settled(): Promise<void> {
    for (let turn = 0; turn < turnsPerEvent || (this.#real.pendingImmediates() > 0 && turn < mostTurns); turn += 1)
      await new Promise<void>((resolve) => this.#real.setImmediate(resolve));
  }
}
