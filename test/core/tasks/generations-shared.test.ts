import { afterEach, beforeEach, expect, test } from 'vitest';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { isStream, type UnaryReply } from '../../../src/core/model/call.ts';
import { type Bench, contextFor, startCore, taskIn, userMessage } from '../../support/core.ts';
import { bury, type StoresOnPostgres, storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';

/** Generations of tasks that several replicas use. */

const database = storesOnPostgres();
let executed: string[];
let release: PromiseWithResolvers<void>;
let working: PromiseWithResolvers<void>;

const agent = defineAgent({
  name: 'Generations',
  description: 'Emits what it is asked to',
  async *execute({ text }) {
    executed.push(text);
    if (text.startsWith('silent')) await release.promise;
    if (text.startsWith('later')) {
      yield status('TASK_STATE_WORKING');
      working.resolve();
      await release.promise;
      yield artifact({ content: 'more' });
    }
    yield status('TASK_STATE_INPUT_REQUIRED', 'And now?');
  },
});

let stores: StoresOnPostgres;
let one: Bench;
let two: Bench;
beforeEach(async () => {
  executed = [];
  release = Promise.withResolvers();
  working = Promise.withResolvers();
  stores = await database();
  [one, two] = (await Promise.all(
    ['one', 'two'].map(async (name) => startCore({ agent }, { store: await stores.open(name) })),
  )) as [Bench, Bench];
});
afterEach(async () => {
  release.resolve();
  await Promise.all([one.close(), two.close()]);
});

const send = async (core: Bench, text: string, taskId?: string, configuration: object = {}, over = {}) =>
  taskIn(await core.call('SendMessage', { message: userMessage(text, taskId ? { taskId } : {}), configuration }, over));

async function get(core: Bench, id: string, currentGeneration?: string): Promise<[Task, number | undefined]> {
  const request = { id, ...(currentGeneration && { currentGeneration }) };
  const reply = await core.service.invoke({ operation: 'GetTask', request, context: contextFor('agent') });
  if (isStream(reply)) throw new TypeError('a stream');
  const { value, facts } = reply as UnaryReply<'GetTask'>;
  return [value, facts?.generation];
}

test('of messages to two replicas that expect the same generation, exactly one is appended', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await send(one, 'ask');
    executed = [];
    const sent = await Promise.allSettled(
      [one, two, one, two].map((core, i) => send(core, `message ${i}`, id, { ifGenerationMatch: '2' })),
    );
    const outcomes = sent.map((each) => (each.status === 'fulfilled' ? 'done' : each.reason.kind));
    expect(outcomes.toSorted()).toEqual(['done', ...Array(3).fill('taskGenerationMismatch')]);
    for (const each of sent) {
      if (each.status === 'fulfilled') continue;
      expect(each.reason.metadata).toEqual({ taskId: id, expectedGeneration: '2', currentGeneration: '3' });
    }
    expect(executed).toHaveLength(1);
    const [task, generation] = await get(two, id);
    expect(generation).toBe(3);
    expect(task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  }
});

test('a message without an expectation that is appended first changes the outcome at the other replica', async () => {
  const { id } = await send(one, 'ask');
  const append = two.store.append.bind(two.store);
  two.store.append = async (batch) => {
    two.store.append = append;
    await send(one, 'first', id);
    return append(batch);
  };
  await expect(send(two, 'second', id, { ifGenerationMatch: '2' })).rejects.toMatchObject({
    kind: 'taskGenerationMismatch',
    metadata: { currentGeneration: '3' },
  });
  expect(executed).toEqual(['ask', 'first']);
});

test('the owner of the task compares what another replica forwards', async () => {
  const { id } = await send(one, 'ask');
  await send(one, 'later', id, { returnImmediately: true });
  await working.promise;
  const wrong = send(two, 'ask', id, { ifGenerationMatch: '2' });
  await expect(wrong).rejects.toMatchObject({
    kind: 'taskGenerationMismatch',
    metadata: { taskId: id, expectedGeneration: '2', currentGeneration: '3' },
  });
  expect((await get(two, id))[1]).toBe(3);
  // It is appended, and waits for its turn.
  await send(two, 'ask', id, { ifGenerationMatch: '3', returnImmediately: true });
  expect(executed).toEqual(['ask', 'later']);
  expect((await get(two, id))[0].history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(3);
});

test('a message that expects a generation is not forwarded to a replica that cannot compare it', async () => {
  const { id } = await send(one, 'ask');
  await send(one, 'later', id, { returnImmediately: true });
  await working.promise;
  await query(stores.url, "update gateway set schema = 12 where instance like 'one/%'");
  // Reads which replicas there are.
  await two.store.claimOrphans(1);
  const sent = send(two, 'ask', id, { ifGenerationMatch: '3' });
  await expect(sent).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 5 });
  await send(two, 'ask', id, { returnImmediately: true });
  expect((await get(two, id))[0].history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(3);
});

test('the same call at two replicas is carried out once, and neither learns of a mismatch', async () => {
  const { id } = await send(one, 'ask');
  for (let round = 0; round < 6; round += 1) {
    const message = userMessage(`round ${round}`, { taskId: id });
    const request: object = { message, configuration: { ifGenerationMatch: `${2 + round}` } };
    const over = { idempotencyKey: `key-${round}` };
    const answers = await Promise.all(
      [one, two, two, one].map((core) => core.call('SendMessage', request as never, over)),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(executed.filter((text) => text === `round ${round}`)).toHaveLength(1);
  }
});

test('a replica that does not own the task answers when the generation changes', async () => {
  const { id } = await send(one, 'ask');
  await send(one, 'later', id, { returnImmediately: true });
  await working.promise;
  await expect.poll(async () => (await get(two, id))[1]).toBe(3);
  const waiting = [get(two, id, '3'), get(two, id, '4'), get(one, id, '3')];
  setTimeout(() => release.resolve(), 300);
  const generations = (await Promise.all(waiting)).map(([, generation]) => generation);
  expect(generations[0]).toBeGreaterThan(3);
  expect(generations[1]).toBe(5);
  // A task that rests is followed, too.
  const next = get(two, id, '5');
  await send(one, 'ask', id);
  expect((await next)[1]).toBe(6);
  expect([one.service.live, two.service.live]).toEqual([0, 0]);
});

test('an answer that waits comes although the owner appended while the task was being loaded here', async () => {
  const { id } = await send(one, 'ask');
  const find = two.store.find.bind(two.store);
  two.store.find = async (...args) => {
    const found = await find(...args);
    // A message of the client does not change the generation.
    await send(one, 'silent', id, { returnImmediately: true });
    return found;
  };
  const events = two.store.events.bind(two.store);
  two.store.events = async (...args) => {
    const page = await events(...args);
    // The agent goes on when the waiting caller has what was appended until now.
    setImmediate(release.resolve);
    return page;
  };
  expect((await get(two, id, '2'))[1]).toBe(3);
});

test('a replica that takes over counts on from the log', async () => {
  const { id } = await send(one, 'ask');
  await send(one, 'later', id, { returnImmediately: true });
  await working.promise;
  const waiting = get(two, id, '3');
  await bury(stores.url, 'one');
  await two.service.takeOver();
  const [task, generation] = await waiting;
  expect([task.status.state, generation]).toEqual(['TASK_STATE_FAILED', 4]);
  const [row] = await query(stores.url, 'select max(generation) as generation from task_event');
  expect(row?.generation).toBe(4);
});
