import { setTimeout as sleep } from 'node:timers/promises';
import { defaultStore } from '../../config/sections/store.ts';
import type { Config } from '../../config/types.ts';
import { ownerOf } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { Service } from '../../core/operations/service.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Deliverer } from '../../push/deliverer.ts';
import { joinStores, type NamedStore } from '../../stores/joined.ts';
import { atConfigPath } from '../reload/config-error-path.ts';

/** What works on the tasks of one store, once it is open. */
export interface StoreWork {
  readonly service: Service;
  readonly push: Deliverer;
  readonly stopMaintenance: () => void;
}

/** Says which store an agent or a tenant has. */
type Places = Pick<Config, 'agents' | 'tenants'>;

/** The name of the store of an owner's tasks. Undefined: the first one. */
const placeOf = ({ agents, tenants }: Places, { agent, tenant }: Pick<TaskOwner, 'agent' | 'tenant'>) =>
  (Object.hasOwn(tenants, tenant) ? tenants[tenant] : agents.get(agent))?.store;

/** The latest tasks of an agent that are looked at in each store. */
const lookedAt = 20;

/** Milliseconds that a start waits for stores that are away, and between two attempts to open one. */
const patience = 5_000;

/** A store of `stores`, and the work on its tasks. */
class Shard implements NamedStore {
  readonly name: string;
  readonly store: Store;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #start: (() => StoreWork) | undefined;
  #isOpen = false;
  /** Undefined while the store was never open. */
  work: StoreWork | undefined;

  constructor(name: string, store: Store, logger: Logger) {
    this.name = name;
    this.store = store;
    this.#logger = logger;
  }

  /** Resolves when the store is open, which is tried again and again, or the shard is closed. */
  async open(): Promise<void> {
    const { signal } = this.#stopping;
    for (let hasFailed = false; !signal.aborted; hasFailed = true) {
      try {
        await this.store.open();
        this.#isOpen = true;
        if (hasFailed) this.#logger.info({ store: this.name }, 'the store is open');
        if (signal.aborted) await this.store.close();
        else this.work = this.#start?.();
        return;
      } catch (err) {
        if (!hasFailed) {
          const message = 'the store cannot be opened, and its agents do not work; trying again';
          this.#logger.error({ store: this.name, err }, message);
        }
        await sleep(patience, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Starts the work once the store is open. */
  run(start: () => StoreWork): void {
    this.#start = start;
    if (this.#isOpen) this.work = start();
  }

  stop(): void {
    this.#stopping.abort();
    this.work?.stopMaintenance();
  }
}

/**
 * The stores of a gateway that has several. Each has a service, deliveries and maintenance of its own, so that agents do not
 * notice when another store is away. The first store also has what is the gateway's own: modes of agents, sessions, secrets,
 * shared limits and registrations.
 */
export class Shards {
  readonly #main: Store;
  readonly #shards: readonly Shard[];
  readonly #logger: Logger;
  readonly #config: () => Places;
  readonly #locate: (key: string) => Promise<Store>;
  /** All of them as one. */
  readonly store: Store;

  /** @param config the active one: which store an agent has may change while the gateway runs */
  constructor(
    main: Store,
    named: readonly NamedStore[],
    { logger, config }: { readonly logger: Logger; readonly config: () => Places },
  ) {
    this.#main = main;
    this.#shards = named.map(({ name, store }) => new Shard(name, store, logger));
    this.#logger = logger;
    this.#config = config;
    const { store, locate } = joinStores(main, this.#shards, (owner) => this.of(owner));
    this.store = store;
    this.#locate = locate;
  }

  /** Opens the stores. Resolves before those are open that stay away for a while. */
  async open(): Promise<void> {
    await Promise.race([
      Promise.all(this.#shards.map((shard) => shard.open())),
      sleep(patience, undefined, { ref: false }),
    ]);
  }

  /** Closes what is open, and tries no more, where the gateway does not start. Never rejects. */
  async abandon(): Promise<void> {
    this.stopMaintenance();
    await Promise.allSettled(this.#shards.map(({ store }) => store.close()));
  }

  /** The store of an agent's tasks. Throws `unavailable` where a restart is needed to serve it. */
  of(owner: Pick<TaskOwner, 'agent' | 'tenant'>): Store {
    return this.#shardOf(owner)?.store ?? this.#main;
  }

  /** Starts the work on each store once it is open. */
  run(start: (store: Store) => StoreWork): void {
    for (const shard of this.#shards) shard.run(() => start(shard.store));
    void this.#warnOfLeft();
  }

  /** Warns of tasks in a store that is not that of their agent: callers do not find them. Looks at the latest tasks alone. */
  async #warnOfLeft(): Promise<void> {
    for (const { name, store } of this.#all()) {
      for (const agent of this.#config().agents.keys()) {
        const found = await store.searchTasks({ agent }, lookedAt, '').catch(() => undefined);
        const left = found?.tasks.find((task) => this.#nameOf(task) !== (name === defaultStore ? undefined : name));
        if (!left) continue;
        const message =
          'a store has tasks of an agent, or of a tenant, that has another store, where its callers do not find them; bring them there with a2a-gateway store move';
        this.#logger.warn({ store: name, agent, ...(left.tenant !== '' && { tenant: left.tenant }) }, message);
      }
    }
  }

  /**
   * Rejects with A2AError `internal` where a configuration would give an agent or a tenant another store than the one that has
   * its tasks: its callers would not find them.
   */
  async requireSamePlaces(next: Places): Promise<void> {
    const now = this.#config();
    for (const [name, { store }] of next.agents) {
      const former = now.agents.get(name);
      if (!former || former.store === store) continue;
      const isOfAgent = ({ tenant }: TaskOwner): boolean => !Object.hasOwn(next.tenants, tenant);
      await atConfigPath(['agents', name, 'store'], () => this.#requireEmpty(former.store, { agent: name }, isOfAgent));
    }
    for (const tenant of new Set([...Object.keys(next.tenants), ...Object.keys(now.tenants)])) {
      if (now.tenants[tenant]?.store === next.tenants[tenant]?.store) continue;
      const moves = (owner: TaskOwner): boolean => placeOf(now, owner) !== placeOf(next, owner);
      for (const { name } of this.#all())
        await atConfigPath(['tenants', tenant, 'store'], () => this.#requireEmpty(name, { tenant }, moves));
    }
  }

  /** Rejects where a store has tasks of an agent or a tenant. */
  async #requireEmpty(
    name: string = defaultStore,
    owner: Partial<TaskOwner>,
    concerns: (owner: TaskOwner) => boolean,
  ): Promise<void> {
    const found = this.#all().find((one) => one.name === name);
    for (let token = ''; found; ) {
      const { tasks, nextPageToken } = await found.store.searchTasks(owner, lookedAt, token);
      const task = tasks.find(concerns);
      if (task) {
        const whose = owner.agent === undefined ? `the tenant ${owner.tenant}` : `the agent ${owner.agent}`;
        const option = owner.agent === undefined ? `--tenant ${owner.tenant}` : owner.agent;
        throw new A2AError(
          'internal',
          `the store ${name} has tasks of ${whose}, such as ${task.id}, which its callers would not find; move them first, with a2a-gateway store move ${option} --to NAME`,
        );
      }
      if (nextPageToken === '') return;
      token = nextPageToken;
    }
  }

  /** Whether each store answers, by its name: 'ok', or the reason why it does not. */
  async health(ping: (store: Store) => Promise<void>): Promise<Readonly<Record<string, string>>> {
    const each = this.#all().map(
      async ({ name, store }): Promise<[string, string]> => [
        name,
        await ping(store).then(
          () => 'ok',
          (thrown: unknown) => A2AError.from(thrown).message,
        ),
      ],
    );
    return Object.fromEntries(await Promise.all(each));
  }

  /** The services as one: each call goes to that of its store. @param main the service over the first store */
  serve(main: Service): Service {
    const serviceAt = (shard: Shard | undefined): Service => {
      if (!shard) return main;
      if (shard.work) return shard.work.service;
      throw new A2AError('unavailable', `The store ${shard.name} is unavailable`, { retryAfter: 5 });
    };
    const serviceOf = (owner: TaskOwner): Service => serviceAt(this.#shardOf(owner));
    const serviceWith = async (key: string): Promise<Service> => {
      const found = await this.#locate(key);
      return serviceAt(this.#shards.find(({ store }) => store === found));
    };
    const all = (): Service[] => [main, ...this.#shards.flatMap(({ work }) => work?.service ?? [])];
    const total = (count: (service: Service) => number): number => all().reduce((sum, one) => sum + count(one), 0);
    return {
      ...main,
      invoke: async (call) => serviceOf(ownerOf(call)).invoke(call),
      dialectOf: async (owner, taskId) => serviceOf(owner).dialectOf(owner, taskId),
      follow: async (task, context) => (await serviceWith(task.key)).follow(task, context),
      failWaiting: async (task) => (await serviceWith(task.key)).failWaiting(task),
      endOwnStopped: () => total((service) => service.endOwnStopped()),
      async endStopped(stop) {
        const counts = await Promise.allSettled(all().map((service) => service.endStopped(stop)));
        return counts.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0);
      },
      get live() {
        return total(({ live }) => live);
      },
      liveTasksOf: (agent) => total((service) => service.liveTasksOf(agent)),
      async close(signal) {
        await Promise.all(all().map((service) => service.close(signal)));
      },
    };
  }

  /** The deliveries as one. @param main those of the first store */
  deliver(main: Deliverer): Deliverer {
    const others = (): Deliverer[] => this.#shards.flatMap(({ work }) => work?.push ?? []);
    return {
      stats() {
        const total = { ...main.stats() };
        for (const one of others()) {
          for (const [name, count] of Object.entries(one.stats())) total[name as keyof typeof total] += count;
        }
        return total;
      },
      async close(graceMs) {
        await Promise.all([main, ...others()].map((one) => one.close(graceMs)));
      },
    };
  }

  stopMaintenance(): void {
    for (const shard of this.#shards) shard.stop();
  }

  #all(): readonly NamedStore[] {
    return [{ name: defaultStore, store: this.#main }, ...this.#shards];
  }

  #nameOf(owner: Pick<TaskOwner, 'agent' | 'tenant'>): string | undefined {
    return placeOf(this.#config(), owner);
  }

  #shardOf(owner: Pick<TaskOwner, 'agent' | 'tenant'>): Shard | undefined {
    const name = this.#nameOf(owner);
    if (name === undefined) return undefined;
    const shard = this.#shards.find((one) => one.name === name);
    if (shard) return shard;
    throw new A2AError('unavailable', `The store ${name} takes a restart of the gateway`);
  }
}
