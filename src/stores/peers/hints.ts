import { performance } from 'node:perf_hooks';
import type { Logger } from '../../core/ports.ts';
import type { Line } from '../database.ts';
import { channelOf, type Notice, noticeOf, payloadsOf, type Written } from './notices.ts';

/** Milliseconds between two statements that tell the others what was written. Who has been silent tells it at once. */
const pause = 5;
/** Milliseconds that nothing is told after a statement that failed, as all do while somebody holds up what is notified. */
const afterFailure = 1_000;
/** Tasks that wait to be told; of more, only that there are some is told. */
const maxWaiting = 20_000;
/** Milliseconds until a line that was lost is opened anew: at first, and at most. */
const retry = { first: 50, most: 5_000 } as const;
/** Milliseconds between two looks whether the line is alive: who only listens does not notice that it broke. */
const proofEvery = 10_000;

export interface HintsOptions {
  readonly open: (onEnd: () => void) => Promise<Line>;
  /** Names the channels. */
  readonly secret: string;
  readonly instance: string;
  /** Whether nobody would hear. */
  readonly isAlone: () => boolean;
  /** Told what others say: never what this gateway said itself. */
  readonly heard: (notice: Notice) => void;
  /** Told after the line was lost: whatever was said meanwhile was not heard. */
  readonly deaf: () => void;
  readonly logger: Logger | undefined;
}

/**
 * Tells other gateways what was written, and hears what they tell: over one connection, by LISTEN and NOTIFY. Nothing
 * waits for it, and nothing fails when it does: whoever is not told finds out by looking.
 */
export class Hints {
  readonly #options: HintsOptions;
  readonly #everybody: string;
  #line: Line | undefined;
  /** What is not told yet. */
  #waiting = new Map<string, Written>();
  /** Whether the others have to look for themselves. */
  #missed = false;
  #direct = new Map<string, Notice>();
  #telling = false;
  #told = 0;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #proof: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: HintsOptions) {
    this.#options = options;
    this.#everybody = channelOf(options.secret);
  }

  /** Begins to listen. Resolves when it does, or could not for now. */
  async open(): Promise<void> {
    this.#proof = setInterval(() => this.#prove(), proofEvery);
    this.#proof.unref();
    await this.#connect();
  }

  /** Tells the others that a task was written, some time after this. */
  written(key: string, seq: number, pushed: boolean): void {
    if (this.#options.isAlone()) return;
    if (this.#waiting.size >= maxWaiting || !this.#line) this.lost();
    else {
      const before = this.#waiting.get(key);
      this.#waiting.set(key, { seq, pushed: pushed || before?.pushed === true });
      this.#tell();
    }
  }

  /** Tells the others that they were not told everything. */
  lost(): void {
    this.#missed = true;
    this.#waiting.clear();
    this.#tell();
  }

  /** Tells one gateway something. */
  direct(instance: string, what: { readonly asked?: true; readonly answered?: true }): void {
    if (this.#closed) return;
    const notice = { from: this.#options.instance, ...this.#direct.get(instance), ...what };
    this.#direct.set(instance, notice);
    this.#tell();
  }

  /** Tells nothing and hears nothing any more, after a last word where this gateway has taken its leave. */
  async close(left: boolean): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#proof);
    const line = this.#line;
    this.#line = undefined;
    const { instance, isAlone, logger } = this.#options;
    if (left && !isAlone()) {
      const word = JSON.stringify({ from: instance, left: true } satisfies Notice);
      await line?.run(notify, [[this.#everybody], [word]]).catch((err: unknown) => {
        logger?.debug({ err }, 'a hint could not be sent');
      });
    }
    await line?.close();
  }

  /** One statement at a time, and a pause between two, in which more comes together. */
  #tell(): void {
    if (this.#telling || this.#closed) return;
    this.#telling = true;
    const wait = this.#told + pause - performance.now();
    if (wait > 0) setTimeout(() => this.#send(), wait);
    else setImmediate(() => this.#send());
  }

  async #send(): Promise<void> {
    const line = this.#line;
    const channels: string[] = [];
    const payloads: string[] = [];
    const { instance, secret, isAlone } = this.#options;
    if (line && !isAlone()) {
      const all = payloadsOf(instance, this.#waiting);
      if (this.#missed) all.push(JSON.stringify({ from: instance, lost: true } satisfies Notice));
      for (const payload of all) {
        channels.push(this.#everybody);
        payloads.push(payload);
      }
      for (const [to, notice] of this.#direct) {
        channels.push(channelOf(secret, to));
        payloads.push(JSON.stringify(notice));
      }
      this.#waiting = new Map();
      this.#direct = new Map();
      this.#missed = false;
    }
    let rest = 0;
    try {
      if (channels.length > 0) await line?.run(notify, [channels, payloads]);
    } catch (err) {
      this.#missed = true;
      rest = afterFailure;
      this.#options.logger?.debug({ err }, 'a hint could not be sent');
    }
    this.#told = performance.now() + rest;
    this.#telling = false;
    // What cannot be told for want of a line is told when there is one.
    const more = this.#waiting.size > 0 || this.#direct.size > 0 || this.#missed;
    if (this.#line && more && !isAlone()) this.#tell();
  }

  async #connect(): Promise<void> {
    const { open, instance, secret, heard, deaf, logger } = this.#options;
    // Who speaks on a channel hears itself, too.
    const own = JSON.stringify({ from: instance }).slice(0, -1);
    const again = this.#attempts > 0;
    let line: Line | undefined;
    let over = false;
    try {
      line = await open(() => {
        over = true;
        if (this.#line === line) this.#broke();
      });
      line.onNotice((_, payload) => {
        const notice = payload.startsWith(own) ? undefined : noticeOf(payload);
        if (notice) heard(notice);
      });
      await line.run(`listen ${this.#everybody}; listen ${channelOf(secret, instance)}`);
    } catch (err) {
      await line?.close();
      this.#retry(err);
      return;
    }
    if (this.#closed || over) {
      await line.close();
      if (!this.#closed) this.#retry(undefined);
      return;
    }
    this.#line = line;
    this.#attempts = 0;
    if (again) logger?.info({}, 'hints of other gateways arrive again');
    if (again) deaf();
    // Who has just come, or could not speak for a while, is noticed so.
    this.lost();
  }

  #broke(): void {
    this.#line = undefined;
    this.#retry(undefined);
  }

  #retry(err: unknown): void {
    if (this.#closed) return;
    if (this.#attempts === 0) {
      this.#options.logger?.warn({ err }, 'hints of other gateways do not arrive, which makes this one slower');
    }
    const longest = Math.min(retry.most, retry.first * 2 ** Math.min(this.#attempts, 10));
    this.#attempts += 1;
    this.#timer = setTimeout(() => void this.#connect(), longest * (0.5 + Math.random() / 2));
    this.#timer.unref();
  }

  #prove(): void {
    // A line that does not answer says so by its end.
    this.#line?.run('select 1').catch(() => undefined);
  }
}

const notify = 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) as n(c, p)';
