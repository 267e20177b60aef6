import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/parse.ts';
import type { Store } from '../../../../src/core/ports/store.ts';
import { replicaPresence } from '../../../../src/extensions/admin/presence.ts';
import { keptCalls } from '../../../../src/extensions/calls/store/tables.ts';
import { generationUses } from '../../../../src/extensions/generations/store.ts';
import { knowledge } from '../../../../src/extensions/knowledge/store/migrations/0005-knowledge.ts';
import { openSqlKnowledge } from '../../../../src/extensions/knowledge/store/store.ts';
import { stops } from '../../../../src/extensions/stops/store.ts';
import type { Database } from '../../../../src/stores/database.ts';
import { createStore } from '../../../../src/stores/index.ts';
import { migrations } from '../../../../src/stores/migrations/index.ts';
import { migrate } from '../../../../src/stores/migrations/run.ts';
import type { Migration } from '../../../../src/stores/migrations/step.ts';
import { openPostgres } from '../../../../src/stores/postgres/database.ts';
import { openSqlite } from '../../../../src/stores/sqlite/database.ts';
import { completed, TaskWriter } from '../../../contract/store-fixtures.ts';
import { silent } from '../../../support/core.ts';
import { newFolder } from '../../../support/folders.ts';
import { openGateway } from '../../../support/gateway.ts';
import { overJsonRpc } from '../../../support/knowledge-clients.ts';
import { afterTest } from '../../../support/peer.ts';
import { type SharedPostgres, sharedPostgres } from '../../../support/postgres.ts';
import { add, findAll, say, space } from './fixtures.ts';

/** Tests that create the tables of knowledge, and of programs that know them from before or do not find them. */

let server: SharedPostgres;
const folder = newFolder();
beforeAll(async () => {
  server = await sharedPostgres();
});

const urls: Record<string, () => Promise<string>> = {
  SQLite: async () => `sqlite:${join(folder, `${crypto.randomUUID()}.db`)}`,
  PostgreSQL: () => server.database(),
};

const databaseAt = (url: string): Promise<Database> =>
  url.startsWith('sqlite:') ? openSqlite({ path: url.slice(7), flush: false }) : openPostgres(url, undefined);

/** Uses a database without a store. */
async function at<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await databaseAt(url);
  return use(database).finally(() => database.close());
}

const opened = async (url: string): Promise<Store> => {
  const store = createStore(url, { instance: 'test', logger: silent });
  await store.open();
  afterTest(() => store.close());
  return store;
};

const appliedIn = (url: string): Promise<number[]> =>
  at(url, async ({ sql }) => {
    const rows = await sql.selectFrom('migration').select('number').orderBy('number').execute();
    return rows.map(({ number }) => number);
  });

/** The steps of the last program that created the tables of knowledge in every database. */
const before: readonly Migration[] = [...migrations, knowledge]
  .filter(({ number }) => number <= 16)
  .sort((one, other) => one.number - other.number);

const statements = [say('a', 'is', 1), say('b', 'is', 2)];
const numbers = migrations.map(({ number }) => number);
const inOrder = (...steps: number[]): number[] => steps.sort((one, other) => one - other);
const all = inOrder(...numbers, knowledge.number);
/** Each gateway has tables of what is stopped, of kept calls, of the calls of generations, and of replicas. */
const ofGateway = inOrder(...numbers, stops.number, generationUses.number, keptCalls.number, replicaPresence.number);

describe.each(Object.keys(urls))('the tables of knowledge (%s)', (name) => {
  const fresh = (): Promise<string> => (urls[name] as () => Promise<string>)();

  it(`the tables of knowledge (${name}) are created with the first agent that has knowledge, also by a reload, and stay`, async () => {
    const url = await fresh();
    const config = (facts: string): string => `
listen: { port: 0 }
store: "${url}"
agents: { demo: { kind: reference }${facts} }`;
    await (await openGateway(config(''))).close();
    expect(await appliedIn(url)).toEqual(ofGateway);
    const { gateway, url: base, close } = await openGateway(config(''));
    const withFacts = config(', facts: { kind: reference, knowledge: {} }');
    await gateway.reload(parseConfig(withFacts, { file: '/gateway.yaml', env: {} }));
    const answer = await overJsonRpc(`${base}/facts`).query({ query: '{ statements { totalCount } }' });
    expect(answer).toMatchObject({ data: { statements: { totalCount: 0 } } });
    await close();
    expect(await appliedIn(url)).toEqual(inOrder(...ofGateway, knowledge.number));
    await (await openGateway(config(''))).close();
    expect(await appliedIn(url)).toEqual(inOrder(...ofGateway, knowledge.number));
  });

  it(`the tables of knowledge (${name}) are created once, while tasks are written and by all who need them`, async () => {
    const url = await fresh();
    const stores = name === 'SQLite' ? [await opened(url)] : await Promise.all([opened(url), opened(url)]);
    const writers = stores.map(() => new TaskWriter());
    for (const [i, store] of stores.entries()) await store.append((writers[i] as TaskWriter).create());
    let over = false;
    const writing = stores.map(async (store, i) => {
      for (let n = 0; n < 5 || !over; n += 1) await store.append((writers[i] as TaskWriter).chunk('x'));
      expect((await store.load((writers[i] as TaskWriter).key))?.task).toEqual((writers[i] as TaskWriter).task);
    });
    const parts = await Promise.all(stores.flatMap((store) => [1, 2].map(() => store.extend(openSqlKnowledge))));
    over = true;
    await Promise.all(writing);
    expect(new Set(parts).size).toBe(stores.length);
    for (const [i, part] of [...new Set(parts)].entries()) await part.apply(space, [add(say('s', 'is', i))], {});
    expect(await findAll(parts[0] as (typeof parts)[number])).toHaveLength(stores.length);
  });

  it(`the tables of knowledge (${name}) of an earlier program are used as they are`, async () => {
    const url = await fresh();
    await at(url, (database) => migrate(database, { steps: before }));
    const store = await opened(url);
    const graph = await store.extend(openSqlKnowledge);
    await graph.apply(space, statements.map(add), {});
    expect(await findAll(graph)).toHaveLength(2);
    await completed(store);
    await store.close();
    // And by that program again.
    await at(url, (database) => migrate(database, { steps: before }));
    expect(await appliedIn(url)).toEqual(all);
  });

  it(`the tables of knowledge (${name}) keep out earlier programs where they were never created, and where they came later`, async () => {
    const url = await fresh();
    const store = await opened(url);
    await completed(store);
    await store.close();
    const refusal = 'requires a program that knows version 17; this one knows version 16';
    const start = () => at(url, (database) => migrate(database, { steps: before }));
    await expect(start()).rejects.toThrow(refusal);
    await store.open();
    await store.extend(openSqlKnowledge);
    await store.close();
    await expect(start()).rejects.toThrow(refusal);
  });

  it(`the tables of knowledge (${name}) are no obstacle when the first start was interrupted, whichever program continues`, async () => {
    const interrupted = 'the start is interrupted';
    const until = (number: number): readonly Migration[] =>
      migrations.map((step) =>
        step.number === number
          ? {
              ...step,
              up: async () => {
                throw new Error(interrupted);
              },
            }
          : step,
      );
    for (const number of [4, 7]) {
      const url = await fresh();
      await expect(at(url, (database) => migrate(database, { steps: until(number) }))).rejects.toThrow(interrupted);
      const earlier = at(url, (database) => migrate(database, { steps: before }));
      if (number <= 6) await earlier;
      else await expect(earlier).rejects.toThrow(/requires a program that knows version 17/);
      const store = await opened(url);
      const graph = await store.extend(openSqlKnowledge);
      await graph.apply(space, statements.map(add), {});
      expect(await appliedIn(url)).toEqual(all);
      await store.close();
    }
  });
});
