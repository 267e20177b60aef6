import type { Peers } from '../ports/peers.ts';
import type { Store } from '../ports/store.ts';

/** A kind of access to a store; accesses of one kind have similar costs. */
export type StoreAccess = (typeof accesses)[keyof typeof accesses] | (typeof peerAccesses)[keyof typeof peerAccesses];

/** Runs one access and returns its result. */
export type AccessObserver = <T>(access: StoreAccess, run: () => Promise<T>, args: readonly unknown[]) => Promise<T>;

/** The methods of a store that access the database. */
type Accessing = {
  [K in keyof Store]: Store[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[keyof Store];

/** The kind of access of each method. Opening and closing are not observed. */
const accesses = {
  append: 'append',
  find: 'find',
  lastUse: 'find',
  load: 'load',
  findRecord: 'find',
  loadRecord: 'load',
  logBytes: 'events',
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
  upstreamOf: 'upstream_ids',
  bindUpstreamContext: 'upstream_ids',
  upstreamContextOf: 'upstream_ids',
  upstreamTasksOf: 'upstream_ids',
  ownTasksOf: 'upstream_ids',
  readState: 'agent_state',
  writeState: 'agent_state',
  searchTasks: 'search',
  changedTasks: 'search',
  overviewOf: 'search',
  bytesOf: 'search',
  agentModes: 'agent_modes',
  setAgentMode: 'agent_modes',
  listUndelivered: 'search',
  retryUndelivered: 'push_claim',
  claimOrphans: 'orphans',
  orphanedAgents: 'orphans',
  expire: 'expire',
  figures: 'figures',
  replicas: 'figures',
  backUp: 'figures',
  ping: 'ping',
  secret: 'secret',
} as const satisfies Record<Exclude<Accessing, 'open' | 'close'>, string>;

/** The kind of access of each method. Registering listeners is not observed. */
const peerAccesses = {
  leaseHolderOf: 'peers',
  takenOver: 'peers',
  follow: 'peers',
  unfollow: 'peers',
  lease: 'peers',
  reserve: 'peers',
  forward: 'ask',
} as const satisfies Partial<Record<keyof Peers, string>>;

/** The same store, opened or not, with each access run inside `around`. It costs little. */
export const observeStore = (store: Store, around: AccessObserver): Store => observe(store, accesses, around);

/** The same peers, with each access run inside `around`. */
export const observePeers = (peers: Peers, around: AccessObserver): Peers => observe(peers, peerAccesses, around);

function observe<T extends object>(target: T, table: Readonly<Record<string, StoreAccess>>, around: AccessObserver): T {
  const observed: Record<string, unknown> = {};
  const { constructor: _, ...members } = membersOf(target);
  for (const [name, { value }] of Object.entries(members)) {
    if (typeof value !== 'function') {
      // Properties change with the database's state.
      const get = (): unknown => Reflect.get(target, name);
      Object.defineProperty(observed, name, { get, enumerable: true, configurable: true });
      continue;
    }
    // Looked up at each call: the owner of the target may replace its methods.
    const method: StoreMethod = (...args) =>
      (target as Record<string, StoreMethod>)[name]?.(...args) as Promise<unknown>;
    const access = table[name];
    observed[name] =
      access === undefined ? method : (...args: unknown[]) => around(access, () => method(...args), args);
  }
  return observed as T;
}

type StoreMethod = (...args: unknown[]) => Promise<unknown>;

/** The members of an object, including those of its class. */
const membersOf = (object: object): Record<string, PropertyDescriptor> =>
  object === Object.prototype
    ? {}
    : { ...membersOf(Object.getPrototypeOf(object)), ...Object.getOwnPropertyDescriptors(object) };
