import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { recordedLog } from '../../gateway/reload/support.ts';
import { AdminRefused, askAdmin } from '../../support/admin.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import {
  asOperator,
  callerAt,
  configOf,
  countsOf,
  erased,
  firstCanceledAt,
  idsOf,
  keys,
  leaveAll,
  marker,
  type Name,
  principal,
  rowsOfSqlite,
  startUpstream,
  staysOf,
  tablesWith,
} from './scenario.ts';

/** Everything of one caller is deleted from a SQLite store. */

async function start() {
  const upstream = await startUpstream();
  const path = join(newFolder(), 'gateway.db');
  const { logger, lines } = recordedLog();
  const gateway = await openGateway(configOf(upstream.url, `store: "sqlite:${path}"\n`), { logger });
  return { path, upstream, lines, ...gateway };
}

it('nothing of an erased caller is left in any table, and what stays is named', async () => {
  const { url, path, upstream } = await start();
  const left = await leaveAll([url, url]);
  const texts = [principal, marker, ...idsOf(left)];
  expect(tablesWith(rowsOfSqlite(path), texts)).toEqual(
    expect.arrayContaining(['task', 'task_event', 'push_config', 'idempotency', 'knowledge_change', 'generation_use']),
  );
  const notified = left.receiver.got.length;

  const result = await erased([url]);
  expect(countsOf(result)).toMatchObject({ tasks: 5, webhooks: 2, keys: 1, knowledgeAuthors: 1 });
  expect(countsOf(result).calls).toBeGreaterThan(5);
  expect(countsOf(result).generationUses).toBeGreaterThan(1);
  expect(countsOf(result).recordings).toBeGreaterThan(4);
  const { referring, beside, apart } = left.others;
  expect(staysOf(result)).toEqual({
    referringTasks: [referring],
    contextTasks: [beside],
    upstreamAgents: ['up'],
    knowledge: ['demo'],
    registrations: ['offered'],
    credentials: ['auth'],
  });
  expect(JSON.stringify(result)).not.toContain(principal);

  // The other caller's tasks are named in the answer, and so is the registration.
  const rest = rowsOfSqlite(path).filter(({ text }) => ![referring, beside, 'offered'].some((id) => text.includes(id)));
  expect(tablesWith(rest, texts)).toEqual([]);
  const bob = callerAt(url, 'bob');
  for (const id of [referring, beside, apart]) expect(await bob.get(`/tasks/${id}`)).toMatchObject({ id });

  // Its running tasks were canceled at the agent, and its webhooks got nothing of that.
  expect(await firstCanceledAt(upstream.url)).toMatchObject({ state: 'TASK_STATE_CANCELED' });
  expect(left.receiver.got).toHaveLength(notified);
  const { calls = [] } = await askAdmin(url, 'ListCalls', { principal }, asOperator);
  const { records = [] } = await askAdmin(url, 'ListRecords', {}, asOperator);
  const { callers = [] } = await askAdmin(url, 'ListCallers', {}, asOperator);
  expect(calls).toEqual([]);
  expect(records).toEqual([]);
  expect(callers.find((one) => one.principal === principal)?.calls ?? 0).toBe(0);
});

it('tasks of others that name the caller, since it has agreed to their calls, denied them or answered, are named', async () => {
  const ask = { of: ['alice', 'operator'], quorum: 2 };
  const { url } = await openGateway(
    configOf(
      'http://localhost:1',
      `policies: ${JSON.stringify([{ name: 'asks', where: "metadata.word == 'ask'", ask }])}`,
    ),
  );
  const bob = callerAt(url, 'bob');
  const held = async () => (await bob.task('hello', { metadata: { word: 'ask' } })).id;
  const decide = async (who: Name, key: string, text: string) => {
    await askAdmin(url, 'AnswerQuestion', { key, parts: [{ text }] }, { 'x-api-key': keys[who].key });
    return key;
  };
  const open = await decide('alice', await held(), 'approve');
  const denied = await decide('alice', await held(), 'deny');
  const last = await decide('alice', await decide('operator', await held(), 'approve'), 'approve');
  await decide('operator', await held(), 'approve');
  const { decidedTasks = [] } = staysOf(await erased([url]));
  expect(decidedTasks.toSorted()).toEqual([open, denied, last].toSorted());
});

it('the audit log names the operator and the numbers of an erasure, never the caller', async () => {
  const { url, lines } = await start();
  await callerAt(url, 'alice').task(`hello ${marker}`, {}, { returnImmediately: false });
  const before = lines.length;
  const { id } = await erased([url]);
  const own = askAdmin(url, 'EraseCaller', { principal: 'key:operator' }, asOperator);
  await expect(own).rejects.toThrow(AdminRefused);
  const said = lines.slice(before);
  expect(JSON.stringify(said.filter(({ fields }) => fields.operation !== 'SendMessage'))).not.toContain(principal);
  const audited = said.filter(({ fields }) => fields.security === 'admin.action').map(({ fields }) => fields);
  const facts = { operation: 'EraseCaller', principal: 'key:operator' };
  expect(audited).toContainEqual(
    expect.objectContaining({ ...facts, subject: id, reason: expect.stringMatching(/^erased: tasks 1, events \d+/) }),
  );
  expect(audited).toContainEqual(expect.objectContaining({ ...facts, subject: 'a caller' }));
});

it('an erased caller goes on as a new one, and what it does then goes with the next erasure', async () => {
  const { url, path } = await start();
  const alice = callerAt(url, 'alice');
  await alice.task(`hello ${marker}`, {}, { returnImmediately: false });
  const first = await erased([url]);
  const later = await alice.task(`hello ${marker}`, {}, { returnImmediately: false });
  expect(await erased([url])).toEqual(first);
  expect(await alice.get(`/tasks/${later.id}`)).toMatchObject({ id: later.id });
  const second = await erased([url], { again: true });
  expect(second.id).toBe(first.id);
  expect(countsOf(second)).toMatchObject({ tasks: 1 });
  expect(tablesWith(rowsOfSqlite(path), [principal, marker, later.id])).toEqual([]);
});

it('the position of the index of words names no task of an erased caller', async () => {
  const { url, path } = await start();
  const { id } = await callerAt(url, 'alice').task(`hello ${marker}`, {}, { returnImmediately: false });
  const db = new DatabaseSync(path);
  try {
    const { key } = db.prepare('select key from task where key like ?').get(`%${id}%`) as { key: string };
    const write = db.prepare('insert or replace into meta (name, value) values (?, ?)');
    write.run('full text position', JSON.stringify({ at: 1, key }));
    await erased([url]);
    const { value } = db.prepare('select value from meta where name = ?').get('full text position') as {
      value: string;
    };
    expect(JSON.parse(value)).toMatchObject({ key: '' });
  } finally {
    db.close();
  }
  expect(tablesWith(rowsOfSqlite(path), [id])).toEqual([]);
});

it('a stream of a task ends when its caller is erased', async () => {
  const { url } = await start();
  const alice = callerAt(url, 'alice');
  const states: string[] = [];
  const body = JSON.stringify({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] },
  });
  let erasing: Promise<unknown> | undefined;
  type Event = { task?: { status: { state: string } }; statusUpdate?: { status: { state: string } } };
  for await (const { event } of alice.stream<Event>('/message:stream', { method: 'POST', body })) {
    states.push((event.task ?? event.statusUpdate)?.status.state ?? '');
    if (states.includes('TASK_STATE_WORKING')) erasing ??= erased([url]);
  }
  expect(states.at(-1)).toBe('TASK_STATE_CANCELED');
  await erasing;
});
