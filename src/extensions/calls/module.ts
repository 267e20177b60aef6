import { type CallsConfig, resolveCalls } from '../../config/sections/calls.ts';
import type { Config } from '../../config/types.ts';
import type { AskReplicas } from '../../core/cluster/ask-replicas.ts';
import type { ActivitySubject, AddedHandlers, KeptActivity } from '../handlers.ts';
import type { AdminHost, Erased, ErasedCaller, ErasedCounts, Host, OpeningHost } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ConfiguredPart } from '../part.ts';
import type { Keeping } from './list.ts';
import type { NumbersAnswer } from './numbers.ts';
import type { CallStore } from './store/store.ts';
import type { CallWriter } from './writer.ts';

/** Calls as operators see them: the latest of each replica, and failed and slow ones and the numbers of minutes in the store. */
export const calls: Module = { name: 'calls', open: (host) => new CallsModule(host) };

/** Milliseconds from which on a call is slow, if the configuration does not say. */
const slowByDefault = 10_000;

class CallsModule implements OpenModule {
  readonly #host: OpeningHost;
  #settings: CallsConfig | undefined;
  /** Undefined until the admin service is created. */
  #ask: AskReplicas | undefined;
  /** Undefined if the configuration keeps no calls. */
  #kept: CallStore | undefined;
  #writer: CallWriter | undefined;
  /** Until the gateway serves, no message of an error is stored. */
  #hidesWords = (): boolean => true;

  constructor(host: OpeningHost) {
    this.#host = host;
  }

  async ready(): Promise<void> {
    const { store, config, metrics } = this.#host;
    metrics.log.dateBy(store.now);
    this.#settings = resolveCalls(config().calls);
    const { openCallStore, openFormerCalls } = await import('./store/store.ts');
    if (!this.#settings) return (await store.extend(openFormerCalls)).clear();
    const [kept, { CallWriter: Writer }] = await Promise.all([store.extend(openCallStore), import('./writer.ts')]);
    this.#kept = kept;
    // If one process has the database, all others have ended.
    if (!store.peers.shared) {
      const former = await kept.instances();
      await kept.noteEnds(new Map(former.map(({ instance }) => [instance, store.now()])), Number.MAX_SAFE_INTEGER);
    }
    const { agents, logger } = this.#host;
    this.#writer = new Writer({
      kept,
      store,
      metrics,
      logger,
      slow: this.#settings.slow,
      isAgent: (name) => agents.get(name) !== undefined,
      hidesWords: () => this.#hidesWords(),
    });
    await this.#writer.begin();
  }

  async configure(_: Config): Promise<ConfiguredPart> {
    return { expire: (limit) => this.#expire(limit) };
  }

  async #expire(limit: number): Promise<boolean> {
    if (!this.#kept || !this.#settings) return false;
    const { keep, most } = this.#settings;
    const isOld = Number.isFinite(keep) && (await this.#kept.expire(this.#host.store.now() - keep, limit));
    return (await this.#kept.calls.trim(most, limit)) || isOld;
  }

  async handlers(host: AdminHost): Promise<AddedHandlers> {
    const [{ callAnswers, callHandlers, CallWatch }, { CallList }, { numberHandlers }] = await Promise.all([
      import('./handlers.ts'),
      import('./list.ts'),
      import('./numbers.ts'),
    ]);
    const { ask, hidesWords, metrics, streams, store } = host;
    this.#ask = ask;
    const { slow = slowByDefault } = this.#settings ?? {};
    const keeping = this.#keeping();
    const watch = new CallWatch(ask, store);
    const list = new CallList({ ask, keeping, slow, hidesWords });
    const flush = async (): Promise<void> => this.#writer?.flush();
    return {
      handlers: { ...callHandlers({ list, watch, streams }), ...numberHandlers({ ask, keeping }) },
      answers: {
        ...callAnswers({ log: metrics.log, slow, hidesWords, flush }),
        ListNumbers: async (): Promise<NumbersAnswer> => {
          await flush();
          return { instance: metrics.log.instance, areStored: keeping !== undefined };
        },
      },
      close: () => watch.close(),
    };
  }

  #keeping(): Keeping | undefined {
    if (!this.#kept || !this.#settings) return undefined;
    return { kept: this.#kept, keep: this.#settings.keep, now: () => this.#host.store.now() };
  }

  async activity(since: number, by: ActivitySubject): Promise<KeptActivity | undefined> {
    const [ask, keeping] = [this.#ask, this.#keeping()];
    return ask && keeping && (await import('./activity.ts')).activityOf({ ask, keeping }, since, by);
  }

  async lastEnd(): Promise<number | undefined> {
    const keeping = this.#keeping();
    return keeping && (await import('./activity.ts')).lastEndOf(keeping);
  }

  async erase({ principal, before, tasks }: ErasedCaller, limit: number): Promise<Erased> {
    if (tasks.length > 0 || !this.#kept) return {};
    const { calls: keptCalls, numbers: callNumbers } = await this.#kept.erase(principal, before, limit);
    return { erased: { keptCalls, callNumbers }, more: Math.max(keptCalls, callNumbers) >= limit };
  }

  async forget({ principal }: Omit<ErasedCaller, 'tasks'>): Promise<ErasedCounts> {
    await this.#writer?.forget(principal);
    return {};
  }

  start({ hidesWords }: Host): void {
    this.#hidesWords = hidesWords;
    this.#writer?.start();
  }

  close(): void {
    this.#writer?.stop();
  }

  async closed(): Promise<void> {
    await this.#writer?.end();
  }
}
