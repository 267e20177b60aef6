import type { Config } from '../../config/types.ts';
import { shared } from '../../core/model/timing.ts';
import { shortenedCaller } from '../../core/telemetry/call-fields.ts';
import { logRateLimited } from '../../core/telemetry/rate-limited-log.ts';
import type { AddedHandlers } from '../handlers.ts';
import type { AdminHost, Erased, ErasedCaller, ErasedCounts, Host, OpeningHost } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ConfigureDeps } from '../part.ts';
import { batchSize, idOf, type Use } from './model.ts';
import { PendingUses } from './pending.ts';
import type { GenerationUses } from './store.ts';
import type { Sunsets } from './sunsets.ts';

/** Counts of calls by caller and generation of A2A, and the announced ends of generations. */
export const generations: Module = { name: 'generations', open: (host) => new GenerationsModule(host) };

/** Milliseconds between two writes of what was counted. */
const flushEvery = 5_000;

class GenerationsModule implements OpenModule<Sunsets> {
  readonly #host: OpeningHost;
  readonly #pending = new PendingUses();
  #uses: GenerationUses | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  async ready(): Promise<void> {
    const { openGenerationUses } = await import('./store.ts');
    this.#uses = await this.#host.store.extend(openGenerationUses);
  }

  async configure({ sunset }: Config, { store }: ConfigureDeps): Promise<Sunsets | undefined> {
    if (Object.keys(sunset).length === 0) return undefined;
    const { Sunsets: SunsetsOf } = await import('./sunsets.ts');
    return new SunsetsOf(sunset, {
      now: () => store.now(),
      note: (key, outcome) => this.#pending.note(key, outcome),
    });
  }

  async handlers(host: AdminHost): Promise<AddedHandlers> {
    const { generationHandlers } = await import('./handlers.ts');
    return {
      handlers: generationHandlers({
        ask: host.ask,
        uses: this.#opened,
        endings: () => host.active.snapshot.parts.of<Sunsets>(this)?.endings ?? new Map(),
        now: () => host.store.now(),
      }),
      answers: { ListGenerations: () => this.#flushAll() },
    };
  }

  async erase({ principal, before, tasks }: ErasedCaller): Promise<Erased> {
    return tasks.length > 0 ? {} : { erased: { generationUses: await this.#opened.erase(principal, before) } };
  }

  /** Stores all counts, which are erased there. */
  async forget(): Promise<ErasedCounts> {
    await this.#flushAll();
    return {};
  }

  start({ metrics }: Host): void {
    metrics.callers.onCall = this.#pending.called;
    metrics.losses.onLost = this.#pending.lost;
    this.#timer = setInterval(() => this.#flushInBackground(), flushEvery).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  closed(): Promise<void> {
    return this.#flushInBackground();
  }

  get #opened(): GenerationUses {
    if (!this.#uses) throw new TypeError('the counts of calls are opened before the gateway is ready');
    return this.#uses;
  }

  /** Stores all that was counted until now. */
  async #flushAll(): Promise<true> {
    // One that is under way has taken what was counted until it began.
    await this.#flush();
    await this.#flush();
    return true;
  }

  async #flushInBackground(): Promise<void> {
    try {
      await this.#flush();
    } catch (err) {
      // An outage of the store is logged where the store notices it.
      this.#host.logger.debug({ err }, 'the calls of generations could not be stored; trying again');
    }
  }

  /** Stores the counts. In an outage, they are kept for the next time; those that the store refuses are left out. */
  readonly #flush = shared(async (): Promise<void> => {
    // In one order at all replicas, so that none waits for another one that waits for it.
    const uses = this.#pending.take().sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    const waiting = new Set(uses);
    const settle = (some: readonly Use[]): void => {
      for (const use of some) waiting.delete(use);
    };
    try {
      if (uses.length === 0) return;
      const store = this.#opened;
      for (let at = 0; at < uses.length; at += batchSize) {
        const refused = await store.add(uses.slice(at, at + batchSize), settle);
        settle(refused.map(({ row }) => row));
        for (const { row, reason } of refused) this.#logRefused(row, reason);
      }
      await store.forget();
    } finally {
      this.#pending.putBack([...waiting]);
    }
  });

  #logRefused({ generation, principal, agent, binding }: Use, err: unknown): void {
    const fields = { generation, principal: shortenedCaller(principal), agent, binding, err };
    logRateLimited(
      this.#host.logger,
      'refused use',
      fields,
      'the store refuses counts of calls by generation; left out',
    );
  }
}
