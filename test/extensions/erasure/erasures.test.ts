import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { Erasures } from '../../../src/extensions/erasure/erasures.ts';
import type { Progress } from '../../../src/extensions/erasure/model.ts';
import { type ErasureStore, erasureIdOf, openErasures } from '../../../src/extensions/erasure/store.ts';
import { putWords } from '../../../src/stores/full-text/tables.ts';
import { createStore } from '../../../src/stores/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { askAdmin } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import {
  asOperator,
  configOf,
  countsOf,
  erased,
  marker,
  principal,
  rowsOfPostgres,
  rowsOfSqlite,
  startUpstream,
  staysOf,
  tablesWith,
} from './scenario.ts';

/** Parts of erasures, each of which is carried out by another gateway, as if the one before had died. */

const databases = {
  SQLite: async () => `sqlite:${join(newFolder(), 'gateway.db')}`,
  PostgreSQL: async () => (await sharedPostgres()).migrated(),
};

const rowsOf = (url: string) => (url.startsWith('sqlite:') ? rowsOfSqlite(url.slice(7)) : rowsOfPostgres(url));

const owner = { agent: 'demo', tenant: '', principal };
const other = { ...owner, principal: 'key:bob' };

/** Stores tasks of both callers. Resolves with the number of events of the first one. */
async function fill(url: string, tasks: number): Promise<number> {
  const store = createStore(url, { instance: 'writer' });
  await store.open();
  let events = 0;
  for (let i = 0; i < tasks; i += 1) {
    for (const one of [owner, other]) {
      const chosenId = i % 3 === 0 ? `chosen ${i}` : undefined;
      const task = new TaskWriter({ owner: one, ...(chosenId !== undefined && { chosenId }) });
      await store.append(task.create('TASK_STATE_WORKING'));
      for (let chunk = 0; chunk < i % 4; chunk += 1) await store.append(task.chunk(one === owner ? marker : 'other'));
      await store.append(task.status('TASK_STATE_COMPLETED'));
      if (one === owner) events += 2 + (i % 4);
    }
  }
  await store.close();
  return events;
}

/** Stores more keys of the first caller than one part deletes. */
async function fillKeys(url: string): Promise<number> {
  const store = createStore(url, { instance: 'keys' });
  await store.open();
  const { rows } = (await store.extend(openErasures)).host;
  const keys = Array.from({ length: 7 }, (_, at) => sql`('demo', '', ${principal}, ${`${at}`}, '', '', 1)`);
  await rows(sql`
    insert into idempotency (agent, tenant, principal, key, digest, owner, created_at) values ${sql.join(keys)}`);
  await store.close();
  return keys.length;
}

/** Has a task of the second caller stand below one of the first, as where another gateway has called for both. */
async function linkOne(url: string): Promise<string> {
  const store = createStore(url, { instance: 'linking' });
  await store.open();
  const { rows } = (await store.extend(openErasures)).host;
  const keyOf = (name: string) => sql`(select min(key) from task where principal = ${name})`;
  const [linked] = await rows(sql<{ key: string }>`
    update task set parent = ${keyOf(principal)}, root = ${keyOf(principal)} where key = ${keyOf(other.principal)}
    returning key`);
  await store.close();
  return linked?.key ?? expect.fail('no task');
}

/** Erasures that delete rows of the store alone, some at a time. */
const erasuresOf = (store: Store, opened: ErasureStore): Erasures =>
  new Erasures({
    store: opened,
    peers: store.peers,
    logger: silent,
    audit: () => undefined,
    batch: { read: 7, deleted: 3 },
    targets: {
      end: async () => undefined,
      erase: async () => ({}),
      release: async () => ({}),
      forget: async () => ({}),
      remaining: () => ({}),
    },
  });

/** Opens the store as another gateway, and has it carry out one part twice. Resolves with the progress; undefined: it is over. */
async function onePart(url: string, at: number): Promise<Progress | undefined> {
  const store = createStore(url, { instance: `gateway-${at}` });
  await store.open();
  const opened = await store.extend(openErasures);
  const erasures = erasuresOf(store, opened);
  const [erasure] = await opened.unfinished();
  // Two gateways that both take themselves for the one which does it.
  if (erasure) await Promise.all([erasures.advance(erasure), erasures.advance(erasure)]);
  const [left] = await opened.unfinished();
  await store.close();
  return left?.progress;
}

async function begin(url: string): Promise<string> {
  const store = createStore(url, { instance: 'first' });
  await store.open();
  const id = await erasureIdOf(store, principal);
  await (await store.extend(openErasures)).begin({ id, principal, begunBy: 'key:operator' });
  await store.close();
  return id;
}

for (const [name, make] of Object.entries(databases)) {
  it(`an erasure on ${name} that is interrupted after each part deletes and counts everything once`, async () => {
    const url = await make();
    const events = await fill(url, 20);
    const keys = await fillKeys(url);
    const linked = await linkOne(url);
    const id = await begin(url);
    let parts = 0;
    while (await onePart(url, parts)) parts += 1;
    expect(parts).toBeGreaterThan(10);
    const store = createStore(url, { instance: 'last' });
    await store.open();
    const found = await (await store.extend(openErasures)).find(id);
    const { tasks } = await store.searchTasks({}, 100, '');
    await store.close();
    expect(found).toMatchObject({ principal: undefined, progress: { erased: { tasks: 20, events, keys } } });
    expect(found?.progress.remaining).toEqual({ treeTasks: { count: 1, ids: [linked] } });
    expect(tasks.filter((task) => task.principal === other.principal)).toHaveLength(20);
    expect(tablesWith(await rowsOf(url), [principal, marker])).toEqual([]);
  });

  it(`a gateway that starts on ${name} completes an erasure that another one has begun`, async () => {
    const url = await make();
    const events = await fill(url, 20);
    await begin(url);
    let progress: Progress | undefined;
    for (let at = 0; at === 0 || (progress && !progress.erased.tasks); at += 1) progress = await onePart(url, at);
    expect(progress).toMatchObject({ step: 'tasks', erased: { tasks: 3 } });
    expect(tablesWith(await rowsOf(url), [principal])).toContain('erasure');
    const { url: origin } = await openGateway(configOf((await startUpstream()).url, `store: "${url}"\n`));
    const result = await erased([origin]);
    expect(countsOf(result)).toEqual({ tasks: 20, events });
    expect(staysOf(result)).toEqual({ credentials: ['auth'] });
    expect(tablesWith(await rowsOf(url), [principal, marker])).toEqual([]);
    expect(
      await askAdmin(origin, 'FindTasks', { principal: other.principal, pageSize: 100 }, asOperator),
    ).toMatchObject({
      tasks: { length: 20 },
    });
  });
}

it('the index of words of SQLite has no word of an erased caller left', async () => {
  const url = await databases.SQLite();
  await fill(url, 6);
  await begin(url);
  const store = createStore(url, { instance: 'indexing', fullText: true });
  await store.open();
  const opened = await store.extend(openErasures);
  const { database } = opened.host;
  const { tasks } = await store.searchTasks({}, 100, '');
  const wordOf = (task: { readonly principal: string }) => (task.principal === principal ? marker : 'elderberry');
  await database.transaction(tasks.flatMap((task) => putWords(database.traits, task.key, [wordOf(task)])));
  expect(tablesWith(await rowsOf(url), [marker])).toContain('task_text_index_data');
  const erasures = erasuresOf(store, opened);
  for (let [one] = await opened.unfinished(); one; [one] = await opened.unfinished()) await erasures.advance(one);
  const found = await store.searchTasks({ text: { text: 'elderberry', namesOnly: false } }, 100, '');
  await store.close();
  expect(found.tasks).toHaveLength(6);
  expect(tablesWith(await rowsOf(url), [marker.slice(6)])).toEqual([]);
});
