import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { sql as raw } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { knowledge } from '../../src/extensions/knowledge/store/migrations/0005-knowledge.ts';
import { createStore } from '../../src/stores/index.ts';
import { migrations } from '../../src/stores/migrations/index.ts';
import { migrate } from '../../src/stores/migrations/run.ts';
import type { Migration } from '../../src/stores/migrations/step.ts';
import { openPostgres } from '../../src/stores/postgres/database.ts';
import { openSqlite } from '../../src/stores/sqlite/database.ts';
import { completed, TaskWriter } from '../contract/store-fixtures.ts';
import { newFolder } from '../support/folders.ts';
import { query, type SharedPostgres, sharedPostgres } from '../support/postgres.ts';
import { isOwn, type Recording, renamed, type Sent } from './statements/recording.ts';

/** Gateways of the version before go on while the schema is changed under them, and after it. */

let server: SharedPostgres;
let folder: string;
beforeAll(async () => {
  folder = newFolder();
  server = await sharedPostgres();
});

/** The first schema whose programs were let live with newer ones. */
const first = 5;
const newest = migrations.at(-1)?.number ?? 0;
/** Steps that came together with the next one, or are no part of the list: there is no program whose newest step they are. */
const together: ReadonlySet<number> = new Set([11, 15, 19, 22, 23]);
const before = Array.from({ length: newest - first }, (_, i) => first + i).filter((number) => !together.has(number));
const seed = Number(process.env.TEST_SEED ?? 1);
/** The oldest, the previous one, whose replicas may serve beside new ones, and one that chance selects. */
const tried = before.filter((_, at) => [0, seed % before.length, before.length - 1].includes(at));
/** The steps that the program of a schema applied: those of knowledge too, which no extension had to itself then. */
const upTo = (number: number): readonly Migration[] =>
  [...migrations, knowledge].filter((step) => step.number <= number).sort((one, other) => one.number - other.number);

const fileOf = (schema: number, name: string): URL =>
  new URL(`./statements/${String(schema).padStart(4, '0')}-${name}.json.gz`, import.meta.url);
const recorded = (schema: number, name: string): Recording =>
  JSON.parse(gunzipSync(readFileSync(fileOf(schema, name))).toString());

/** Says what the program of before said, with names of its own, and finds what it found. */
async function say(
  { texts, at }: Recording,
  sent: readonly Sent[],
  run: (text: string, values: readonly unknown[]) => Promise<number> | number,
): Promise<void> {
  for (const each of renamed(sent, at)) {
    const [text, values, rows] = each;
    const said = texts[text] ?? '';
    const found = await run(said, values);
    if (isOwn(each, said)) expect([said, found]).toEqual([said, rows]);
  }
}

it('what the program of each schema says has been written down', () => {
  // `node test/stores/statements/record.ts`, before the step that comes next is added.
  for (const schema of before) {
    for (const name of ['postgres', 'sqlite'])
      expect([schema, name, existsSync(fileOf(schema, name))]).toEqual([schema, name, true]);
  }
});

describe.each(tried)('a gateway of schema %i', (schema) => {
  it(`a gateway of schema ${schema} continues while another one changes the schema of PostgreSQL, and afterwards`, async () => {
    const url = await server.database();
    const database = await openPostgres(url, undefined);
    await migrate(database, { steps: upTo(schema) });
    const recording = recorded(schema, 'postgres');
    const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    const [work, workBeside] = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        const run = async (text: string, values: readonly unknown[]): Promise<number> =>
          (await client.query(text, [...values])).rowCount ?? 0;
        return () => say(recording, [...recording.start, ...recording.work], run);
      }),
    );
    if (!work || !workBeside) throw new Error('There are two');
    for (let i = 0; i < 2; i += 1) await work();
    let over = false;
    const working = (async () => {
      let rounds = 0;
      for (; !over; rounds += 1) await work();
      return rounds;
    })();
    const store = createStore(url, { instance: 'new' });
    await store.open();
    const task = await completed(store);
    for (let i = 0; i < 2; i += 1) await workBeside();
    expect((await store.load(task.key))?.task).toEqual(task.task);
    over = true;
    expect(await working).toBeGreaterThan(0);
    for (const client of clients) await client.end();
    await store.close();
    // And it may be started again.
    await migrate(database, { steps: upTo(schema) });
    await database.close();
  });

  it(`a gateway of schema ${schema} takes its file of SQLite back after a newer one has changed it`, async () => {
    const path = join(folder, `${schema}.db`);
    const database = await openSqlite({ path, flush: false });
    await migrate(database, { steps: upTo(schema) });
    await database.close();
    const recording = recorded(schema, 'sqlite');
    const work = async (): Promise<void> => {
      const connection = new DatabaseSync(path);
      await say(recording, [...recording.start, ...recording.work], (text, values) => {
        const statement = connection.prepare(text);
        const given = values as SQLInputValue[];
        return statement.columns().length > 0
          ? statement.all(...given).length
          : Number(statement.run(...given).changes);
      });
      connection.exec('delete from gateway');
      connection.close();
    };
    await work();
    const store = createStore(`sqlite:${path}`, { instance: 'new' });
    await store.open();
    await completed(store);
    await store.close();
    await work();
  });
});

const notes: Migration = {
  number: newest + 1,
  name: 'notes',
  async up({ schema }, { text }) {
    await schema.createTable('note').addColumn('id', text).execute();
  },
};
const index: Migration = {
  number: newest + 2,
  name: 'index of events by time',
  online: true,
  async up(sql, { concurrently }) {
    await raw`drop index ${concurrently} if exists task_event_at`.execute(sql);
    await raw`create index ${concurrently} task_event_at on task_event ("at")`.execute(sql);
  },
};
it('future migrations wait for tables that others hold on to, without holding up others for long', async () => {
  const url = await server.database();
  const store = createStore(url, { instance: 'old' });
  await store.open();
  const writer = new TaskWriter();
  await store.append(writer.create());
  const alter: Migration = {
    ...notes,
    async up({ schema }, { text }) {
      await schema.alterTable('task_event').addColumn('note', text).execute();
    },
  };
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query('begin; select count(*) from task_event');
  const database = await openPostgres(url, undefined);
  const migrating = migrate(database, { steps: [...migrations, alter] });
  // Longer than a step waits: writers are let through in between.
  for (const text of ['a', 'b', 'c', 'd']) {
    await store.append(writer.chunk(text));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await reader.query('commit');
  await reader.end();
  await migrating;
  await store.append(writer.chunk('e'));
  expect((await store.load(writer.key))?.task).toEqual(writer.task);
  await store.close();
  await database.close();
});

it('future migrations make indexes while others write, and make them anew when they were cut off', async () => {
  const url = await server.database();
  const store = createStore(url, { instance: 'old' });
  await store.open();
  await completed(store);
  const database = await openPostgres(url, undefined);
  // An interrupted attempt leaves an index that exists and is invalid.
  await query(url, 'create index task_event_at on task_event ("at")');
  await query(url, "update pg_index set indisvalid = false where indexrelid = 'task_event_at'::regclass");
  const others = await Promise.all([openPostgres(url, undefined), openPostgres(url, undefined)]);
  const steps = [...migrations, notes, index];
  await Promise.all([database, ...others].map((each) => migrate(each, { steps })));
  expect(await query(url, "select indisvalid from pg_index where indexrelid = 'task_event_at'::regclass")).toEqual([
    { indisvalid: true },
  ]);
  // A program that does not know them keeps running, and can be started.
  await completed(store);
  await migrate(database);
  await store.close();
  for (const each of [database, ...others]) await each.close();
});
