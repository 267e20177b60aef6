import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { most, type Use } from '../../../src/extensions/generations/model.ts';
import { openGenerationUses } from '../../../src/extensions/generations/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { refuseRows } from '../../contract/refused-rows.ts';
import { emptyDatabases, openStoreOn } from '../../contract/store-kinds.ts';
import { silent } from '../../support/core.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';

/** The rows of calls of generations, on both databases. */

beforeAll(sharedPostgres);

const use = (more: Partial<Use> = {}): Use => ({
  generation: 'a2a-0.3',
  principal: 'key:alice',
  agent: 'demo',
  binding: 'jsonrpc',
  calls: 1,
  newWork: 1,
  wouldBeRefused: 0,
  refused: 0,
  firstAt: 2_000,
  lastAt: 2_000,
  lost: [],
  ...more,
});

const all = { generation: '', principal: '', agent: '' };
const now = Date.now();
const lost = (path: string, agentDialect = '') => ({ path, agentDialect, count: 1, lastAt: now });

describe.each(Object.entries(emptyDatabases))('on %s', (name, open) => {
  it(`entries on ${name} add up, with their first and last call and what they lost`, async () => {
    const { store } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    await uses.add([use({ firstAt: now, lastAt: now, lost: [lost('message.metadata'), lost('id', 'a2a-0.1')] })]);
    await uses.add([use({ calls: 4, newWork: 0, refused: 2, firstAt: now - 5, lastAt: now - 1 })]);
    await uses.add([use({ firstAt: now, lastAt: now + 9, wouldBeRefused: 3, lost: [lost('message.metadata')] })]);
    const { items } = await uses.list(all, 10, '');
    expect(items).toEqual([
      {
        ...use({ calls: 6, newWork: 2, wouldBeRefused: 3, refused: 2, firstAt: now - 5, lastAt: now + 9 }),
        lost: [{ ...lost('message.metadata'), count: 2 }, lost('id', 'a2a-0.1')],
      },
    ]);
  });

  it(`an entry that ${name} refuses keeps no other one from it, and all others are added once`, async () => {
    const { store, database } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    await refuseRows(database, 'generation_use', 'key:bad');
    const callers = ['key:alice', 'key:bad', 'key:bob', 'key:carol', 'key:dave'];
    const addedOnes: string[] = [];
    const onAdded = (some: readonly Use[]) => addedOnes.push(...some.map(({ principal }) => principal));
    const refused = await uses.add(
      callers.map((principal) => use({ principal, firstAt: now, lastAt: now })),
      onAdded,
    );
    expect(refused.map(({ row }) => row.principal)).toEqual(['key:bad']);
    const others = callers.filter((principal) => principal !== 'key:bad');
    expect(addedOnes).toEqual(others);
    const { items } = await uses.list(all, 10, '');
    expect(items.map(({ principal, calls }) => [principal, calls])).toEqual(others.map((principal) => [principal, 1]));
  });

  it(`entries on ${name} are listed page by page, by what selects them, and summed up by generation`, async () => {
    const { store } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    const callers = ['alice', 'Bob', "o'neil", 'a\u0000b', 'é'];
    await uses.add(
      callers.flatMap((principal) => ['a2a-0.2', 'a2a-0.3'].map((generation) => use({ principal, generation }))),
    );
    const found: Use[] = [];
    for (let token = ''; ; ) {
      const { items, nextPageToken } = await uses.list(all, 3, token);
      found.push(...items);
      token = nextPageToken;
      if (token === '') break;
    }
    expect(found.length).toBe(10);
    expect(new Set(found.map(({ principal }) => principal))).toEqual(new Set(callers));
    expect(found.map(({ generation }) => generation)).toEqual(found.map((_, at) => (at < 5 ? 'a2a-0.2' : 'a2a-0.3')));
    const one = await uses.list({ ...all, principal: 'a\u0000b', generation: 'a2a-0.3' }, 10, '');
    expect(one.items.map(({ principal }) => principal)).toEqual(['a\u0000b']);
    expect((await uses.list({ ...all, agent: 'other' }, 10, '')).items).toEqual([]);
    await expect(uses.list({ ...all, agent: 'other' }, 10, 'forged')).rejects.toThrow('page token');
    expect(await uses.totals()).toMatchObject({
      totals: [
        { generation: 'a2a-0.2', callers: 5, calls: 5, newWork: 5, lastAt: 2_000 },
        { generation: 'a2a-0.3', callers: 5, calls: 5 },
      ],
      since: 2_000,
      uncounted: 0,
    });
  });

  it(`entries on ${name} are bounded: further callers are counted together, and known ones as before`, async () => {
    const { store, database } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    const rows = Array.from({ length: most.uses - 1 }, (_, at) => ({ n: `caller-${at}` }));
    await sql`insert into generation_use select 'a2a-0.3', n, 'demo', 'rest', 1, 1, 0, 0, 2000, 2000
      from ${database.traits.records('one', { n: 'text' }, sql`${JSON.stringify(rows)}`)}`.execute(database.sql);
    await uses.add([
      use({ principal: 'caller-1', binding: 'rest' }),
      use({ principal: 'last' }),
      use({ principal: 'late', calls: 7, lost: [lost('id')] }),
    ]);
    const { totals, uncounted } = await uses.totals();
    expect(uncounted).toBe(7);
    expect(totals).toMatchObject([{ generation: 'a2a-0.3', callers: most.uses, calls: most.uses + 1 }]);
    await uses.add([use({ principal: 'last', calls: 2 }), use({ principal: 'later', calls: 1 })]);
    expect((await uses.list({ ...all, principal: 'last' }, 2, '')).items).toMatchObject([{ calls: 3 }]);
    expect((await uses.totals()).uncounted).toBe(8);
  });

  it(`one entry on ${name} has so many lost fields`, async () => {
    const { store } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    const paths = Array.from({ length: most.paths + 5 }, (_, at) => lost(`field${at}`));
    await uses.add([use({ lost: paths.slice(0, 40) })]);
    await uses.add([use({ lost: paths.slice(30) }), use({ principal: 'key:bob', lost: paths.slice(0, 1) })]);
    const { items } = await uses.list(all, 10, '');
    expect(items.map((one) => one.lost.length)).toEqual([most.paths, 1]);
    expect(items[0]?.lost.filter(({ count }) => count === 2)).toHaveLength(10);
  });

  it(`entries on ${name} whose last call was more than a year ago are deleted, and no others`, async () => {
    const { store } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    const days = (count: number): number => Date.now() - count * 86_400_000;
    await uses.add([
      use({ principal: 'gone', firstAt: days(900), lastAt: days(401), lost: [{ ...lost('id'), lastAt: days(401) }] }),
      use({ principal: 'here', firstAt: days(900), lastAt: days(399) }),
    ]);
    await uses.forget();
    expect((await uses.list(all, 10, '')).items.map(({ principal }) => principal)).toEqual(['here']);
  });

  it(`entries on ${name} that cannot be read are left out and named`, async () => {
    const { store, database } = await openStoreOn(open());
    const uses = await store.extend(openGenerationUses);
    await uses.add([use({ lost: [lost('id')] }), use({ principal: 'key:bob' })]);
    const isLax = name === 'SQLite';
    if (isLax) await sql`update generation_use set calls = 'x' where principal = 'key:alice'`.execute(database.sql);
    const { items } = await uses.list(all, 10, '');
    expect(items.map(({ principal }) => principal)).toEqual(isLax ? ['key:bob'] : ['key:alice', 'key:bob']);
    expect(store.damaged.list().map(({ table }) => table)).toEqual(isLax ? ['generation_use'] : []);
    // Counting goes on.
    await uses.add([use({ calls: 2 })]);
  });
});

it('replicas that add to the same entries at the same time lose nothing', async () => {
  const url = await (await sharedPostgres()).migrated();
  const stores = await Promise.all(
    ['a', 'b', 'c'].map(async (instance) => {
      const store = createStore(url, { instance, logger: silent });
      await store.open();
      afterTest(() => store.close());
      return store.extend(openGenerationUses);
    }),
  );
  const callers = Array.from({ length: 20 }, (_, at) => use({ principal: `caller-${at}`, lost: [lost('id')] }));
  await Promise.all(stores.flatMap((uses) => Array.from({ length: 5 }, () => uses.add(callers))));
  const { items } = (await stores[0]?.list(all, 100, '')) ?? expect.fail('no store');
  expect(items.map(({ calls, lost: [path] }) => [calls, path?.count])).toEqual(callers.map(() => [15, 15]));
});
