import { beforeAll, describe, expect, it, vi } from 'vitest';
import { unreadable } from '../../../src/core/model/stored-form.ts';
import { Registry, type RegistryDeps } from '../../../src/extensions/registration/registry.ts';
import { type Offer, openRegistrations, type RegistrationStore } from '../../../src/extensions/registration/store.ts';
import { openStore, silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { sharedPostgres } from '../../support/postgres.ts';

/** Decisions about cards, which a name keeps when another caller registers it, and the limit of names. */

const offer = (url: string, more: Partial<Offer> = {}): Offer => ({
  url,
  dialect: '',
  transport: '',
  title: '',
  description: '',
  skills: [],
  ...more,
});

/** The stores under which a gateway runs. */
const urls: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => 'memory:',
  sqlite: async () => `sqlite:${newFolder()}/names.db`,
  postgres: async () => (await sharedPostgres()).migrated(),
};

/** A replica on a store, which lets a first card through, and whose agents have the card that the test gives them. */
async function openReplica(store: RegistrationStore, over: Partial<RegistryDeps> = {}) {
  const cards = new Map<string, object>();
  const registry = new Registry({
    store,
    logger: silent,
    approve: () => 'changes',
    isConfigured: () => false,
    check: () => {},
    readCard: async ({ url }) => cards.get(url) ?? { name: url },
    readCatalog: async () => ({ agents: [], skipped: [] }),
    apply: async () => undefined,
    onAway: () => {},
    lease: async () => true,
    ...over,
  });
  await registry.load();
  const register = (owner: string, wanted: Offer, lease = 0) =>
    registry.register({ name: 'weather', owner, offer: wanted, lease });
  /** The URL under which the agent is served; undefined: it is not. */
  const served = (): string | undefined =>
    registry.served(() => false).find(({ name }) => name === 'weather')?.offer.url;
  const refuse = async (): Promise<void> => {
    const { registration } = await registry.find('weather');
    await registry.decide('weather', registration.revisions[0]?.id ?? '', true, 'operator');
  };
  const remove = async (by: string, name = 'weather'): Promise<void> =>
    registry.remove(await registry.stateOf(name), by);
  return { registry, cards, register, served, refuse, remove };
}

type Replica = Awaited<ReturnType<typeof openReplica>>;

beforeAll(sharedPostgres);

/** Attempts after an operator has refused the first card of `http://one`. */
const attempts: Readonly<Record<string, (replica: Replica) => Promise<unknown>>> = {
  'the same owner registers a card that differs in one byte': async ({ cards, register }) => {
    cards.set('http://one', { name: 'changed' });
    await register('alice', offer('http://one'));
  },
  'the same owner registers another URL': ({ register }) => register('alice', offer('http://two')),
  'the same owner registers another dialect': ({ register }) =>
    register('alice', offer('http://one', { dialect: 'a2a-0.3' })),
  'the same owner registers another binding': ({ register }) =>
    register('alice', offer('http://one', { transport: 'grpc' })),
  'the same owner registers another title': ({ register }) => register('alice', offer('http://one', { title: 'New' })),
  'the owner removes it and registers the refused card': async ({ register, remove }) => {
    await remove('alice');
    await register('alice', offer('http://one'));
  },
  'the owner removes it and registers another URL': async ({ register, remove }) => {
    await remove('alice');
    await register('alice', offer('http://two'));
  },
  'the owner removes it twice': async ({ register, remove }) => {
    for (const url of ['http://two', 'http://three']) {
      await remove('alice');
      await register('alice', offer(url));
    }
  },
  'another owner takes the name': async ({ register, remove }) => {
    await remove('alice');
    await register('bob', offer('http://two'));
  },
  'another owner takes the name with the refused card, and gives it back': async ({ register, remove }) => {
    await remove('alice');
    await register('bob', offer('http://one'));
    await remove('bob');
    await register('alice', offer('http://two'));
  },
  'an operator removes it and the owner registers again': async ({ register, remove }) => {
    await remove('operator');
    await register('alice', offer('http://two'));
  },
};

describe.each(Object.keys(urls))('after an operator has refused a first card, in a store of %s', (kind) => {
  it.each(Object.keys(attempts))(
    'after an operator has refused a first card, nothing is served when %s',
    async (attempt) => {
      const store = await (await openStore(await urls[kind]?.())).extend(openRegistrations);
      const replica = await openReplica(store);
      await replica.register('alice', offer('http://one'));
      expect(replica.served()).toBe('http://one');
      await replica.refuse();
      expect(replica.served()).toBeUndefined();
      await attempts[attempt]?.(replica);
      expect(replica.served()).toBeUndefined();
      // Another replica, or this one after a restart.
      const other = await openReplica(store);
      expect(other.served()).toBeUndefined();
    },
  );
});

describe('a name whose registration was removed', () => {
  const open = async (over: Partial<RegistryDeps> = {}) =>
    openReplica(await (await openStore()).extend(openRegistrations), over);
  const states = async ({ registry }: Replica) =>
    (await registry.find('weather')).registration.revisions.map(({ state }) => state);

  it('a name whose registration was removed serves its approved card again for the offer that it was approved for', async () => {
    const replica = await open();
    await replica.register('alice', offer('http://one'));
    await replica.remove('alice');
    expect(replica.served()).toBeUndefined();
    await replica.register('alice', offer('http://one'));
    expect(replica.served()).toBe('http://one');
  });

  it('a name whose registration was removed lets another URL, a changed card and another owner wait', async () => {
    const replica = await open();
    await replica.register('alice', offer('http://one'));
    await replica.remove('alice');
    await replica.register('alice', offer('http://two'));
    expect(replica.served()).toBeUndefined();
    expect(await states(replica)).toEqual(['waiting', 'former']);
    await replica.remove('alice');
    await replica.register('bob', offer('http://one'));
    expect(replica.served()).toBeUndefined();
    expect(await states(replica)).toEqual(['waiting']);
    await replica.remove('bob');
    await replica.register('bob', offer('http://three'));
    expect(replica.served()).toBeUndefined();
  });

  it('a name whose registration was removed serves with approve: never what its new owner registers, also where the former one had the card', async () => {
    const replica = await open({ approve: () => 'never' });
    await replica.register('alice', offer('http://one'));
    await replica.remove('alice');
    await replica.register('bob', offer('http://one'));
    expect(replica.served()).toBe('http://one');
    await replica.refuse();
    await replica.remove('bob');
    await replica.register('bob', offer('http://one'));
    expect(replica.served()).toBeUndefined();
  });

  it('a name whose registration was removed is kept where the lease has ended, and where the row is damaged', async () => {
    const store = await openStore();
    const kept = await store.extend(openRegistrations);
    const replica = await openReplica(kept);
    await replica.register('alice', offer('http://one'));
    const { registration: _, ...state } = await replica.registry.find('weather');
    const find = vi.spyOn(kept, 'find').mockRejectedValue(unreadable('The registration', 'it is damaged'));
    const other = await openReplica(kept);
    await other.registry.remove(state, 'operator');
    find.mockRestore();
    const again = await openReplica(kept);
    expect(again.registry.removed).toHaveLength(1);
    await again.register('alice', offer('http://two'));
    expect(again.served()).toBeUndefined();
  });

  it('a name whose registration was removed is not kept where nothing was decided about its cards', async () => {
    const replica = await open({ approve: () => 'always' });
    await replica.register('alice', offer('http://one'));
    await replica.remove('alice');
    expect(replica.registry.removed).toEqual([]);
  });

  it('a name whose registration was removed is forgotten by an operator, after which its next card is the first', async () => {
    const replica = await open();
    await replica.register('alice', offer('http://one'));
    await replica.refuse();
    await replica.remove('alice');
    await expect(replica.remove('alice')).rejects.toMatchObject({ kind: 'agentNotFound' });
    await replica.registry.forget(await replica.registry.stateOf('weather'));
    await replica.register('alice', offer('http://two'));
    expect(replica.served()).toBe('http://two');
  });

  it('a name whose registration was removed lets first cards of new names wait, and those alone, where its owner has too many of them', async () => {
    const { registry, remove } = await open({ mostRemoved: { ofOwner: 2, all: 3 } });
    const named = (name: string, owner = 'alice') =>
      registry.register({ name, owner, offer: offer(`http://${name}`), lease: 0 });
    const isServed = (name: string): boolean => registry.served(() => false).some((each) => each.name === name);
    for (const name of ['a', 'b']) {
      await named(name);
      expect(isServed(name)).toBe(true);
      await remove('alice', name);
    }
    await named('c');
    expect(isServed('c')).toBe(false);
    await remove('alice', 'c');
    await named('d', 'bob');
    expect(isServed('d')).toBe(true);
    // An operator's decisions are kept until no name is left, and then the first that was removed is dropped.
    for (const name of ['e', 'f']) {
      const { registration } = await named(name);
      await registry.decide(name, registration.revisions[0]?.id ?? '', false, 'operator');
      await remove('alice', name);
    }
    expect(registry.removed).toHaveLength(3);
    await named('a', 'carol');
    expect(isServed('a')).toBe(false);
  });

  it('a name whose registration was removed keeps with approve: never no more names than the limit', async () => {
    const { registry, remove } = await open({ approve: () => 'never', mostRemoved: { ofOwner: 2, all: 3 } });
    for (const name of ['a', 'b', 'c', 'd']) {
      await registry.register({ name, owner: 'alice', offer: offer(`http://${name}`), lease: 0 });
      await remove('alice', name);
    }
    expect(registry.removed.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe.each(Object.keys(urls))('registrations of two replicas at once, in a store of %s', (kind) => {
  const openTwo = async (most: RegistryDeps['most']) => {
    const store = await (await openStore(await urls[kind]?.())).extend(openRegistrations);
    return Promise.all([1, 2].map(() => openReplica(store, most ? { most } : {})));
  };
  const registerAll = (replicas: readonly Replica[], count: number, ownerOf: (i: number) => string) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, i) =>
        replicas[i % replicas.length]?.registry.register({
          name: `agent-${i}`,
          owner: ownerOf(i),
          offer: offer(`http://${i}`),
          lease: 0,
        }),
      ),
    );

  it(`registrations of two replicas at once, in a store of ${kind} are exactly as many as an owner may have`, async () => {
    const replicas = await openTwo({ ofOwner: 7, all: 100 });
    const outcomes = await registerAll(replicas, 20, () => 'alice');
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    for (const { registry } of replicas) {
      await registry.load();
      expect(registry.rows).toHaveLength(7);
    }
    const registry = replicas[0]?.registry;
    const first = registry?.rows[0];
    if (!registry || !first) throw new Error('no registrations');
    // One that is there already counts once.
    await registry.register({ name: first.name, owner: 'alice', offer: offer('http://other'), lease: 0 });
    await registry.remove(await registry.stateOf(first.name), 'alice');
    await registry.register({ name: first.name, owner: 'alice', offer: offer('http://other'), lease: 0 });
    await expect(
      registry.register({ name: 'more', owner: 'alice', offer: offer('http://more'), lease: 0 }),
    ).rejects.toMatchObject({ kind: 'tooManyRequests' });
  });

  it(`registrations of two replicas at once, in a store of ${kind} are exactly as many as the gateway may have`, async () => {
    const replicas = await openTwo({ ofOwner: 7, all: 9 });
    const outcomes = await registerAll(replicas, 20, (i) => `owner ${i % 5}`);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  });

  it(`registrations of two replicas at once, in a store of ${kind} serve one of two different first cards of one name`, async () => {
    const [one, two] = await openTwo(undefined);
    if (!one || !two) throw new Error('no replicas');
    await Promise.allSettled([one.register('alice', offer('http://one')), two.register('alice', offer('http://two'))]);
    await Promise.all([one.registry.load(), two.registry.load()]);
    expect(one.served()).toBe(two.served());
    const { registration } = await one.registry.find('weather');
    expect(registration.revisions.map(({ state }) => state)).toEqual(['waiting', 'approved']);
  });
});
