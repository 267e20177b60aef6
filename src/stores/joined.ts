import { A2AError } from '../core/model/errors.ts';
import type { TaskOwner } from '../core/model/ids.ts';
import { unlessAborted } from '../core/model/timing.ts';
import type { TaskOverview, TaskSearchPage, UndeliveredPage } from '../core/ports/admin-store.ts';
import type { Store, StoreConnections, StoreFigures } from '../core/ports/store.ts';

/** Milliseconds that a list over all stores waits for one of them. */
const patience = 5_000;

/** Methods that are about one task or caller, by what their first argument is. */
const routes = {
  owner: [
    ...(['find', 'lastUse', 'findRecord', 'list', 'listOwnersPushConfigs', 'findCall'] as const),
    ...(['bindUpstreamContext', 'upstreamContextOf', 'upstreamTasksOf', 'ownTasksOf'] as const),
  ],
  call: ['claimCall', 'answerCall', 'releaseCall'],
  key: [
    ...(['load', 'loadRecord', 'logBytes', 'events', 'latestTurn', 'turnRequest', 'setDialect', 'overviewOf'] as const),
    ...(['putPushConfig', 'getPushConfig', 'listPushConfigs', 'deletePushConfig'] as const),
  ],
} as const satisfies Readonly<Record<string, readonly (keyof Store)[]>>;

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A store of several, with its name. */
export interface NamedStore {
  readonly name: string;
  readonly store: Store;
}

export interface JoinedStores {
  /** All of them. */
  readonly store: Store;
  /** The store with a task, by its key. Where none has it: the first. Rejects where one is away that may have it. */
  readonly locate: (key: string) => Promise<Store>;
}

/**
 * Several stores as one, for what reads and changes tasks of all of them: operators, and those that know a task by its key
 * alone. Lists leave out a store that is away. What belongs to no task, such as secrets and leases, is in the first store.
 * Tasks are not appended to through it.
 *
 * @param of the store of an owner's tasks
 */
export function joinStores(main: Store, named: readonly NamedStore[], of: (owner: TaskOwner) => Store): JoinedStores {
  const all: readonly NamedStore[] = [{ name: '', store: main }, ...named];

  const locate = async (key: string): Promise<Store> => {
    const owner = ownerIn(key);
    if (owner) return of(owner);
    const looking = all.map(async ({ store }) => {
      if ((await unlessAway(store.loadRecord(key))) === undefined) throw new NotHere();
      return store;
    });
    return Promise.any(looking).catch(({ errors }: AggregateError) => {
      const failed = errors.find((error) => !(error instanceof NotHere));
      if (failed !== undefined) throw failed;
      return main;
    });
  };

  /** What the stores answer that are not away. Rejects where all are. */
  const answers = async <T>(ask: (store: Store, name: string) => Promise<T>): Promise<readonly [string, T][]> => {
    const outcomes = await Promise.allSettled(all.map(({ name, store }) => unlessAway(ask(store, name))));
    const given = outcomes.flatMap((outcome, at): [string, T][] =>
      outcome.status === 'fulfilled' ? [[all[at]?.name ?? '', outcome.value]] : [],
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      if (given.length === 0 || A2AError.from(outcome.reason).kind !== 'unavailable') throw outcome.reason;
    }
    return given;
  };

  const through = (names: readonly (keyof Store)[], find: (first: never) => Store | Promise<Store>) =>
    Object.fromEntries(
      names.map((name): [string, Method] => [
        name,
        async (first, ...rest) =>
          ((await find(first as never)) as never as Record<string, Method>)[name]?.(first, ...rest),
      ]),
    );

  const own: Partial<Store> = {
    ...through(routes.owner, of),
    ...through(routes.call, ({ owner }: { readonly owner: TaskOwner }) => of(owner)),
    ...through(routes.key, locate),

    upstreamOf: async (key, owner) => (owner ? of(owner) : await locate(key)).upstreamOf(key),

    positions: async (keys) =>
      new Map((await answers((store) => store.positions(keys))).flatMap(([, found]) => [...found])),

    searchTasks: (filter, size, token) =>
      searchAll(all, answers, size, token, (store, ...page) => store.searchTasks(filter, ...page)),

    changedTasks: async (after, limit) =>
      (await answers((store) => store.changedTasks(after, limit)))
        .flatMap(([, changed]) => changed)
        .sort((one, other) => one.updatedAt - other.updatedAt || (one.key < other.key ? -1 : 1))
        .slice(0, limit),

    // Not of some of them: what is shown to operators as the number would be too small.
    countWaiting: async (limit) => {
      const counts = await Promise.all(
        all.map(({ name, store }) =>
          unlessAway(store.countWaiting(limit)).catch((thrown: unknown) => {
            const { kind, message } = A2AError.from(thrown);
            throw new A2AError(kind, `${message} (the store ${name || 'default'})`, { cause: thrown });
          }),
        ),
      );
      return Math.min(limit, sum(counts));
    },

    listUndelivered: (taskId, size, token) => undeliveredOfAll(all, taskId, size, token),

    retryUndelivered: async (taskId, receiver) =>
      sum((await answers((store) => store.retryUndelivered(taskId, receiver))).map(([, retried]) => retried)),

    figures: async () => joinFigures((await answers((store) => store.figures())).map(([, figures]) => figures)),

    // As long as one answers, there are calls to be answered.
    ping: (signal) =>
      Promise.any(all.map(({ store }) => store.ping(signal))).catch(({ errors: [first] }: AggregateError) => {
        throw first;
      }),

    async close() {
      const closed = await Promise.allSettled(all.map(({ store }) => store.close()));
      for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
  // What is not listed is inherited: properties change with the database's state.
  const joined: Store = Object.assign(Object.create(main), own);
  Object.defineProperty(joined, 'connections', {
    get: () => joinConnections(all.flatMap(({ store }) => store.connections ?? [])),
  });
  return { store: joined, locate };
}

/** A store does not have the task. */
class NotHere extends Error {}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Rejects with `unavailable` where the store does not answer for a while. */
const unlessAway = <T>(answer: Promise<T>): Promise<T> =>
  unlessAborted(answer, AbortSignal.timeout(patience)).catch((thrown: unknown) => {
    throw thrown instanceof DOMException ? new A2AError('unavailable', 'A store does not answer') : thrown;
  });

/** The owner, where the task's id was chosen by its caller (`taskKey`). */
function ownerIn(key: string): TaskOwner | undefined {
  if (!key.startsWith('[')) return undefined;
  try {
    const [agent, tenant, principal] = JSON.parse(key);
    return { agent, tenant, principal };
  } catch {
    // No task has such a key.
    return undefined;
  }
}

/** Where a list over all stores goes on in each: the store's own token, '' at the beginning; a store that is absent has ended. */
type Positions = Readonly<Record<string, string>>;

const writePositions = (positions: Positions): string =>
  Object.keys(positions).length === 0 ? '' : Buffer.from(JSON.stringify(positions)).toString('base64url');

function readPositions(token: string, all: readonly NamedStore[]): Positions {
  const names = all.map(({ name }) => name);
  if (token === '') return Object.fromEntries(names.map((name) => [name, '']));
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    const known = Object.entries(read as object).filter(([name]) => names.includes(name));
    if (known.length > 0 && known.every(([, own]) => typeof own === 'string')) return Object.fromEntries(known);
  } catch {
    // It is no token of such a list.
  }
  throw A2AError.invalidField('pageToken', 'is not a page token of this list');
}

type Answers = <T>(ask: (store: Store, name: string) => Promise<T>) => Promise<readonly [string, T][]>;

/** A page of the tasks of all stores, the latest change first. Each store has a signed token of its own in that of the page. */
async function searchAll(
  all: readonly NamedStore[],
  answers: Answers,
  size: number,
  token: string,
  search: (store: Store, size: number, token: string) => Promise<TaskSearchPage>,
): Promise<TaskSearchPage> {
  const positions = readPositions(token, all);
  const found = new Map<string, TaskSearchPage>();
  const pages = await answers(async (store, name) => {
    const at = positions[name];
    return at === undefined ? undefined : search(store, size, at);
  });
  for (const [name, page] of pages) if (page) found.set(name, page);
  // A store whose page is short may have tasks that come before those of the others.
  const until = Math.max(
    ...Array.from(found.values(), (page) => (page.nextPageToken === '' ? Number.NEGATIVE_INFINITY : endOf(page))),
  );
  const merged = [...found]
    .flatMap(([name, { tasks }]) => tasks.map((task) => ({ name, task })))
    .filter(({ task }) => task.updatedAt >= until)
    .sort((one, other) => other.task.updatedAt - one.task.updatedAt)
    .slice(0, size);
  const next: Record<string, string> = {};
  const tasks: TaskOverview[] = [];
  for (const { name, store } of all) {
    const page = found.get(name);
    if (!page) continue;
    const taken = merged.filter((one) => one.name === name).length;
    const at = positions[name] ?? '';
    // A part of its page: where that ends is asked of the store, which may have changed meanwhile.
    const cut =
      taken === page.tasks.length
        ? page
        : taken === 0
          ? { tasks: [], nextPageToken: at }
          : await search(store, taken, at);
    tasks.push(...cut.tasks);
    if (cut.nextPageToken !== '' || (taken === 0 && page.tasks.length > 0)) next[name] = cut.nextPageToken;
  }
  return { tasks: tasks.sort((one, other) => other.updatedAt - one.updatedAt), nextPageToken: writePositions(next) };
}

/** The time of a page's last task; that of an empty one, which goes on, is unknown. */
const endOf = ({ tasks }: TaskSearchPage): number => tasks.at(-1)?.updatedAt ?? Number.POSITIVE_INFINITY;

/** Undelivered notifications of one store after the other. A store that is away is left out. */
async function undeliveredOfAll(
  all: readonly NamedStore[],
  taskId: string | undefined,
  size: number,
  token: string,
): Promise<UndeliveredPage> {
  const positions = readPositions(token, all);
  const left = all.filter(({ name }) => positions[name] !== undefined);
  for (const [at, { name, store }] of left.entries()) {
    const page = await unlessAway(store.listUndelivered(taskId, size, positions[name] ?? '')).catch(
      (thrown: unknown) => {
        if (A2AError.from(thrown).kind !== 'unavailable' || left.length === 1) throw thrown;
        return { items: [], nextPageToken: '' };
      },
    );
    if (page.items.length === 0 && page.nextPageToken === '') continue;
    const next = Object.fromEntries(left.slice(at + 1).map((one) => [one.name, positions[one.name] ?? '']));
    if (page.nextPageToken !== '') next[name] = page.nextPageToken;
    return { items: page.items, nextPageToken: writePositions(next) };
  }
  return { items: [], nextPageToken: '' };
}

function joinFigures(figures: readonly StoreFigures[]): StoreFigures {
  const oldest = Math.min(...figures.map(({ push }) => push.oldest ?? Number.POSITIVE_INFINITY));
  return {
    replicas: Math.max(...figures.map(({ replicas }) => replicas)),
    push: {
      due: sum(figures.map(({ push }) => push.due)),
      waiting: sum(figures.map(({ push }) => push.waiting)),
      oldest: Number.isFinite(oldest) ? oldest : undefined,
    },
  };
}

function joinConnections(each: readonly StoreConnections[]): StoreConnections | undefined {
  if (each.length === 0) return undefined;
  const total = (of: keyof StoreConnections): number => sum(each.map((one) => one[of]));
  return { open: total('open'), idle: total('idle'), waiting: total('waiting') };
}
