import { beforeAll, describe, expect, it } from 'vitest';
import { readStored } from '../../src/core/model/stored-form.ts';
import { openEndedSessions } from '../../src/stores/cluster/ended-sessions.ts';
import { DamagedRowList } from '../../src/stores/damaged-rows.ts';
import { createStore } from '../../src/stores/index.ts';
import { alice, completed, TaskWriter } from '../contract/store-fixtures.ts';
import { emptyDatabases, openStoreOn } from '../contract/store-kinds.ts';
import { askAdmin } from '../support/admin.ts';
import { silent } from '../support/core.ts';
import { adminHeaders, openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';
import { sharedPostgres } from '../support/postgres.ts';

beforeAll(sharedPostgres);

it('the rows that cannot be read are logged once each, with table, key and a reason without their content', () => {
  const lines: object[] = [];
  const rows = new DamagedRowList({ ...silent, error: (fields) => void lines.push(fields) });
  for (const _ of [1, 2]) expect(rows.read('task', ['a', 1], () => JSON.parse('secret'))).toBeUndefined();
  expect(rows.read('task', ['b'], () => readStored('A webhook', '{"form":9}'))).toBeUndefined();
  expect(rows.read('task', ['c'], () => 'read')).toBe('read');
  const reasons = ['it has text that is not JSON', expect.stringContaining('form 9')];
  expect(lines).toEqual([
    { table: 'task', key: 'a,1', reason: reasons[0] },
    { table: 'task', key: 'b', reason: reasons[1] },
  ]);
  expect(rows.count).toBe(2);
  expect(rows.list().map(({ key }) => key)).toEqual(['b', 'a,1']);
});

it('the rows that cannot be read are remembered and logged up to a bound', () => {
  const lines: object[] = [];
  const rows = new DamagedRowList({ ...silent, error: (fields) => void lines.push(fields) });
  for (let at = 0; at < 1_100; at += 1) rows.note('task', [at], new Error());
  expect([rows.count, rows.list().length, lines.length]).toEqual([1_000, 100, 1_000]);
});

describe.each(Object.entries(emptyDatabases))('on %s', (_, open) => {
  it.each([
    ['breaks off', (body: string) => body.slice(0, body.indexOf('"history":[') + 20)],
    ['is no JSON', () => 'x'],
    ['is no task', () => '{"a":1}'],
    ['is a list', () => '[]'],
  ])('a task whose snapshot %s is read from its log', async (_, damage) => {
    const { store, database } = await openStoreOn(open());
    const { sql } = database;
    const { id, key } = await completed(store);
    const whole = (await store.load(key))?.task;
    const snapshot = sql.selectFrom('task_snapshot').select('body').where('key', '=', key);
    const { body } = (await snapshot.executeTakeFirst()) ?? {};
    await sql
      .updateTable('task_snapshot')
      .set({ body: damage(body ?? '') })
      .where('key', '=', key)
      .execute();
    expect((await store.find(alice, id))?.task).toEqual(whole);
    const page = await store.list(alice, { pageSize: 10, historyLength: 1, includeArtifacts: true });
    expect(page.texts.map((text) => JSON.parse(text).id)).toEqual([id]);
    expect(store.damaged.list()).toMatchObject(body === undefined ? [] : [{ table: 'task_snapshot', key }]);
  });

  it('a log stands for an event that cannot be read by its position, and its task is read without it', async () => {
    const { store, database } = await openStoreOn(open());
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    await store.append(writer.status('TASK_STATE_WORKING'));
    await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
    const damage = (seq: number) =>
      database.sql.updateTable('task_event').set({ body: 'x' }).where('seq', '=', seq).execute();
    await damage(2);
    expect((await store.events(writer.key, 0, 10)).map(({ seq, isUnread = false }) => [seq, isUnread])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    expect((await store.load(writer.key))?.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await damage(1);
    await damage(3);
    const { task } = (await store.load(writer.key)) ?? {};
    expect(task).toMatchObject({ id: writer.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
    expect(store.damaged.list().map(({ key }) => key)).toEqual([3, 1, 2].map((seq) => `${writer.key},${seq}`));
  });

  it('a webhook that cannot be read is given back, and keeps no other from being delivered', async () => {
    const { store, database } = await openStoreOn(open());
    const keys: string[] = [];
    for (const id of ['good', 'bad']) {
      const writer = new TaskWriter();
      await store.append(writer.create('TASK_STATE_WORKING'));
      await store.putPushConfig(writer.key, { id, url: 'http://a.example', taskId: writer.id }, 'a2a-1.0');
      await store.append(writer.status('TASK_STATE_WORKING'));
      keys.push(writer.key);
    }
    await database.sql.updateTable('push_config').set({ body: 'x' }).where('id', '=', 'bad').execute();
    const claim = () => store.claimDeliveries({ of: 'left', limit: 10, except: [] });
    expect((await claim()).map(({ key }) => key)).toEqual([keys[0]]);
    const owners = database.sql.selectFrom('push_config').select(['id', 'owner', 'lease']).where('id', '=', 'bad');
    expect(await owners.execute()).toMatchObject([{ owner: null, lease: 1 }]);
    expect(await claim()).toEqual([]);
    expect(await owners.execute()).toMatchObject([{ lease: 1 }]);
    expect((await store.listPushConfigs(keys[1] ?? '', { size: 10, token: '' })).configs).toEqual([]);
    await expect(store.getPushConfig(keys[1] ?? '', 'bad')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('a secret that is damaged is replaced in the store', async () => {
    const { store, database } = await openStoreOn(open());
    const damage = { name: 'own', value: 'x' };
    await database.sql.insertInto('meta').values(damage).execute();
    const secret = await store.secret('own');
    expect(secret).toHaveLength(43);
    const stored = database.sql.selectFrom('meta').select('value').where('name', '=', 'own');
    expect(await stored.executeTakeFirst()).toEqual({ value: secret });
    expect(store.damaged.list()).toMatchObject([{ table: 'meta', key: 'own' }]);
  });
});

it('a session that is no text is left out of those that have ended', async () => {
  const { store, database } = await openStoreOn();
  const sessions = await store.extend(openEndedSessions);
  await sessions.add('a', Date.now() + 60_000);
  await database.sql
    .insertInto('ended_session' as never)
    .values({ id: Buffer.from([255]), ends_at: 1 } as never)
    .execute();
  expect(await sessions.list()).toEqual(['a']);
});

it('operators see the rows that a gateway has left out in /readyz, in its metrics and in its status', async () => {
  const store = createStore('memory:', { instance: 'test' });
  store.damaged.note('task', ['a'], new SyntaxError());
  const { url } = await openGateway('agents: { demo: { kind: reference } }', { store });
  const read = async (path: string, headers = {}) => (await fetch(`${url}${path}`, { headers })).text();
  const row = { table: 'task', key: 'a', reason: 'it has text that is not JSON' };
  expect(JSON.parse(await read('/readyz', adminHeaders(url)))).toMatchObject({ damagedRows: [row] });
  expect(await read('/readyz')).not.toContain('damagedRows');
  expect(await read('/metrics')).toContain('\na2a_gateway_store_damaged_rows 1\n');
  const { replicas } = await askAdmin(url, 'ListReplicas', {});
  expect(replicas).toHaveLength(1);
  const status = await fetch(`${url}/admin/v1/status:watch`, {
    headers: { ...adminHeaders(url), accept: 'text/event-stream' },
  });
  let text = '';
  for await (const chunk of status.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('damagedRows')) break;
  }
  expect(text).toContain('"damagedRows":[{"table":"task","key":"a"');
  const { 'x-api-key': key = '' } = adminHeaders(url);
  const { stdout } = await inProcess(['doctor', `${url}/demo`, '--api-key', key]);
  expect(stdout).toMatch(
    /\nrows of its store that the gateway cannot read.*\n +task +a +it has text that is not JSON\n/,
  );
  expect((await inProcess(['doctor', `${url}/demo`])).stdout).not.toContain('cannot read');
});
