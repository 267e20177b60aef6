import type { Peers } from '../ports/peers.ts';
import type { Store } from '../ports/store.ts';

/** The kinds of access to a store; accesses of one kind have similar costs. */
export type StoreAccess =
  | 'append'
  | 'find'
  | 'load'
  | 'events'
  | 'list'
  | 'positions'
  | 'dialect'
  | 'push_config'
  | 'push_claim'
  | 'push_report'
  | 'idempotency'
  | 'upstream_ids'
  | 'orphans'
  | 'expire'
  | 'figures'
  | 'peers'
  | 'ask'
  | 'ping'
  | 'secret';

/** Runs one access and returns its result. */
export type AccessObserver = <T>(access: StoreAccess, run: () => Promise<T>, args: readonly unknown[]) => Promise<T>;

/** The methods of a store that access the database. */
type Accessing = {
  [K in keyof Store]: Store[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[keyof Store];

/** The kind of access of each method. Opening and closing are not observed. */
const accesses: Readonly<Record<Exclude<Accessing, 'open' | 'close'>, StoreAccess>> = {
  append: 'append',
  find: 'find',
  lastUse: 'find',
  load: 'load',
  events: 'events',
  latestTurn: 'events',
  positions: 'positions',
  list: 'list',
  setDialect: 'dialect',
  putPushConfig: 'push_config',
  webhookExcess: 'push_config',
  getPushConfig: 'push_config',
  listPushConfigs: 'push_config',
  listOwnersPushConfigs: 'push_config',
  deletePushConfig: 'push_config',
  claimDeliveries: 'push_claim',
  releaseDeliveries: 'push_claim',
  reportDelivery: 'push_report',
  findCall: 'idempotency',
  claimCall: 'idempotency',
  answerCall: 'idempotency',
  releaseCall: 'idempotency',
  pin: 'idempotency',
  retract: 'idempotency',
  bindUpstream: 'upstream_ids',
  upstreamOf: 'upstream_ids',
  bindUpstreamContext: 'upstream_ids',
  upstreamContextOf: 'upstream_ids',
  upstreamTasksOf: 'upstream_ids',
  ownTasksOf: 'upstream_ids',
  claimOrphans: 'orphans',
  orphanedAgents: 'orphans',
  expire: 'expire',
  figures: 'figures',
  ping: 'ping',
  secret: 'secret',
};

/**
 * The same store, with each access run inside `around`. It costs little.
 *
 * @param store opened or not
 */
export const observeStore = (store: Store, around: AccessObserver): Store => observe(store, accesses, around);

/** The same peers, with each access run inside `around`. */
export const observePeers = (peers: Peers, around: AccessObserver): Peers => observe(peers, peerAccesses, around);

/** The kind of access of each method. Registering listeners is not observed. */
const peerAccesses: Readonly<Partial<Record<keyof Peers, StoreAccess>>> = {
  leaseHolderOf: 'peers',
  takenOver: 'peers',
  follow: 'peers',
  unfollow: 'peers',
  lease: 'peers',
  reserve: 'peers',
  forward: 'ask',
};

function observe<T extends object>(
  subject: T,
  table: Readonly<Record<string, StoreAccess>>,
  around: AccessObserver,
): T {
  const observed: Record<string, unknown> = {};
  for (const name of membersOf(subject)) {
    const access = table[name];
    if (typeof descriptorOf(subject, name)?.value !== 'function') {
      // Properties change with the database's state.
      Object.defineProperty(observed, name, {
        get: () => Reflect.get(subject, name),
        enumerable: true,
        configurable: true,
      });
      continue;
    }
    // Looked up at each call: the owner of the subject may replace its methods.
    const method: StoreMethod = (...args) =>
      (subject as Record<string, StoreMethod>)[name]?.(...args) as Promise<unknown>;
    if (access === undefined) {
      observed[name] = method;
    } else {
      observed[name] = (...args: unknown[]) => around(access, () => method(...args), args);
    }
  }
  return observed as T;
}

type StoreMethod = (...args: unknown[]) => Promise<unknown>;

/** The names of all members, including those of its class. */
function membersOf(object: object): Set<string> {
  const names = new Set<string>();
  for (let from = object; from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) if (name !== 'constructor') names.add(name);
  }
  return names;
}

function descriptorOf(object: object, name: string): PropertyDescriptor | undefined {
  for (let from = object; from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    const descriptor = Object.getOwnPropertyDescriptor(from, name);
    if (descriptor) return descriptor;
  }
  return undefined;
}
