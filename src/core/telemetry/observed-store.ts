import type { Peers } from '../ports/peers.ts';
import type { Store } from '../ports/store.ts';

/** A kind of access to a store; accesses of one kind have similar costs. */
export type StoreAccess = (typeof accesses)[keyof typeof accesses] | (typeof peerAccesses)[keyof typeof peerAccesses];

/** Runs one access of a kind and returns its result. */
export type AccessObserver = <T>(run: () => Promise<T>, args: readonly unknown[]) => Promise<T>;

/** The methods of a store that access the database. */
type Accessing = {
  [K in keyof Store]: Store[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[keyof Store];

/** The kind of access of each method. Opening and closing are not observed, nor what extensions do. */
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
  turnRequest: 'events',
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
  countWaiting: 'search',
  overviewOf: 'search',
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
} as const satisfies Record<Exclude<Accessing, 'open' | 'close' | 'extend'>, string>;

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

/** The same store, opened or not, with each access observed. It costs little. @param observerOf called for each method */
export const observeStore = (store: Store, observerOf: (access: StoreAccess) => AccessObserver): Store =>
  observe(store, accesses, observerOf);

/** The same peers, with each access observed. */
export const observePeers = (peers: Peers, observerOf: (access: StoreAccess) => AccessObserver): Peers =>
  observe(peers, peerAccesses, observerOf);

/** All that is not observed is inherited: properties change with the database's state. */
function observe<T extends object>(
  target: T,
  table: Readonly<Record<string, StoreAccess>>,
  observerOf: (access: StoreAccess) => AccessObserver,
): T {
  const observed = Object.create(target);
  const methods = target as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
  for (const [name, access] of Object.entries(table)) {
    const observer = observerOf(access);
    // Looked up at each call: the owner of the target may replace its methods.
    observed[name] = (...args: unknown[]) => observer(() => methods[name]?.(...args) as Promise<unknown>, args);
  }
  return observed;
}
