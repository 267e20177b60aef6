import type { Peers } from '../ports/peers.ts';
import type { Store } from '../ports/store.ts';

/** A kind of access to a store; accesses of one kind have similar costs. */
export type StoreAccess = keyof typeof accesses | keyof typeof peerAccesses;

/** Runs one access of a kind and returns its result. */
export type AccessObserver = <T>(run: () => Promise<T>, args: readonly unknown[]) => Promise<T>;

/** The methods of a store that access the database, without `open`, `close` and the methods for extensions. */
type Accessing = Exclude<
  { [K in keyof Store]: Store[K] extends (...args: never[]) => Promise<unknown> ? K : never }[keyof Store],
  'open' | 'close' | 'extend'
>;

/** The methods of each kind of access. */
const accesses = {
  append: ['append'],
  find: ['find', 'lastUse', 'findRecord'],
  load: ['load', 'loadRecord'],
  events: ['logBytes', 'events', 'latestTurn', 'turnRequest'],
  positions: ['positions'],
  list: ['list'],
  dialect: ['setDialect'],
  push_config: [
    ...(['putPushConfig', 'webhookExcess', 'getPushConfig', 'listPushConfigs', 'listOwnersPushConfigs'] as const),
    'deletePushConfig',
  ],
  push_claim: ['claimDeliveries', 'releaseDeliveries', 'retryUndelivered'],
  push_report: ['reportDelivery'],
  idempotency: ['findCall', 'claimCall', 'answerCall', 'releaseCall', 'pin', 'retract'],
  upstream_ids: ['upstreamOf', 'bindUpstreamContext', 'upstreamContextOf', 'upstreamTasksOf', 'ownTasksOf'],
  agent_state: ['readState', 'writeState'],
  search: ['searchTasks', 'changedTasks', 'countWaiting', 'overviewOf', 'listUndelivered', 'countDead'],
  agent_modes: ['agentModes', 'setAgentMode'],
  orphans: ['claimOrphans', 'orphanedAgents'],
  expire: ['expire'],
  figures: ['figures', 'replicas', 'backUp'],
  ping: ['ping'],
  secret: ['secret'],
} as const satisfies Readonly<Record<string, readonly Accessing[]>>;

/** Registering listeners is not observed. */
const peerAccesses = {
  peers: ['leaseHolderOf', 'takenOver', 'follow', 'unfollow', 'lease', 'reserve'],
  ask: ['forward'],
} as const satisfies Readonly<Record<string, readonly (keyof Peers)[]>>;

/** A store in which every access has a kind; a new method without a kind is a compile error. */
type Observable = [Exclude<Accessing, (typeof accesses)[keyof typeof accesses][number]>] extends [never]
  ? Store
  : never;

/** Returns a store, opened or not, with each access observed at little cost. @param observerOf called for each kind */
export const observeStore = (store: Observable, observerOf: (access: StoreAccess) => AccessObserver): Store =>
  observe(store, accesses, observerOf);

/** Returns peers with each access observed. */
export const observePeers = (peers: Peers, observerOf: (access: StoreAccess) => AccessObserver): Peers =>
  observe(peers, peerAccesses, observerOf);

/** Wraps the methods to observe. All other members are the target's own: properties change with the database's state. */
function observe<T extends object>(
  target: T,
  table: Readonly<Record<string, readonly string[]>>,
  observerOf: (access: StoreAccess) => AccessObserver,
): T {
  const observed = Object.create(target, membersOf(target));
  const methods = target as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
  for (const [access, names] of Object.entries(table)) {
    const observer = observerOf(access as StoreAccess);
    for (const name of names) {
      // The method is looked up at each call: the owner of the target may replace it.
      observed[name] = (...args: unknown[]) => observer(() => methods[name]?.(...args) as Promise<unknown>, args);
    }
  }
  return observed;
}

/** The members that a target has from its class, bound to it: they use private members, which no other object has. */
function membersOf(target: object): PropertyDescriptorMap {
  const prototype = Object.getPrototypeOf(target);
  if (prototype === Object.prototype) return {};
  const members: PropertyDescriptorMap = {};
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value === 'function') members[name] = { value: value.bind(target), configurable: true, writable: true };
    else if (get) members[name] = { get: get.bind(target), configurable: true };
  }
  return members;
}
