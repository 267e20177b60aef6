import { afterEach, beforeEach, expect, it } from 'vitest';
import { artifact, defineAgent } from '../../../src/agents/define.ts';
import { ask, progress } from '../../../src/agents/events.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { unansweredKey } from '../../../src/core/model/turns.ts';
import { type Bench, startCore, taskIn, userMessage } from '../../support/core.ts';
import { bury, type StoresOnPostgres, storesOnPostgres } from '../../support/peers.ts';
import { Changes } from '../../support/until.ts';

/** Messages to tasks whose agents work, at several replicas. */

const database = storesOnPostgres();
let changes: Changes;
let executed: string[];
let open: Set<string>;

/** Works on each text until the test lets it go on, and asks where the text begins with `ask`. */
const agent = defineAgent({ name: 'Held', description: 'Waits', restart: true }, async function* ({ text, signal }) {
  executed.push(text);
  changes.happened();
  yield progress(`on ${text}`);
  await changes.until(() => open.has(text) || signal.aborted);
  if (text.startsWith('ask')) yield ask('Which?');
  else yield artifact({ name: text, content: text });
});

const release = (...texts: readonly string[]): void => {
  for (const text of texts) open.add(text);
  changes.happened();
};

let stores: StoresOnPostgres;
let one: Bench;
let two: Bench;
beforeEach(async () => {
  changes = new Changes();
  executed = [];
  open = new Set();
  stores = await database();
  [one, two] = (await Promise.all(
    ['one', 'two'].map(async (name) => startCore({ agent }, { store: await stores.open(name) })),
  )) as [Bench, Bench];
});
afterEach(async () => {
  release(...executed);
  await Promise.all([one.close(), two.close()]);
});

const configuration = { returnImmediately: true };
const begin = async (text: string): Promise<string> => {
  const { id } = taskIn(await one.call('SendMessage', { message: userMessage(text), configuration }));
  await changes.until(() => executed.includes(text));
  return id;
};
const namesOf = ({ artifacts = [] }: Task): (string | undefined)[] => artifacts.map(({ name }) => name);
/** Resolves when a check of the task holds. */
async function untilTask(id: string, holds: (task: Task) => boolean): Promise<void> {
  while (!holds(await two.call('GetTask', { id }))) await new Promise<void>((resolve) => setImmediate(resolve));
}
/** Resolves when so many messages are in the task. */
const until = (id: string, count: number): Promise<void> =>
  untilTask(id, ({ history = [] }) => history.filter(({ role }) => role === 'ROLE_USER').length === count);
const untilState = (id: string, state: Task['status']['state']): Promise<void> =>
  untilTask(id, ({ status }) => status.state === state);

it('a message to a task whose agent works at another replica waits there, and both callers get what came of it', async () => {
  const id = await begin('first');
  const sent = [one, two].map((bench, at) =>
    bench.call('SendMessage', { message: userMessage(`more ${at}`, { taskId: id }) }),
  );
  await until(id, 3);
  release('first', 'more 0', 'more 1');
  for (const answer of await Promise.all(sent)) {
    expect(taskIn(answer).status.state).toBe('TASK_STATE_COMPLETED');
    expect(namesOf(taskIn(answer)).toSorted()).toEqual(['first', 'more 0', 'more 1']);
  }
  expect(executed.toSorted()).toEqual(['first', 'more 0', 'more 1']);
});

it('a message to a task whose agent works at another replica is executed once where its key is repeated at each replica while it waits', async () => {
  const id = await begin('first');
  const request = { message: userMessage('more', { taskId: id, messageId: 'once' }) };
  const sent = [two, two, one].map((bench) => bench.call('SendMessage', request, { idempotencyKey: 'key' }));
  await until(id, 2);
  release('first', 'more');
  const answers = (await Promise.all(sent)).map(taskIn);
  for (const task of answers) expect(namesOf(task)).toEqual(['first', 'more']);
  expect(executed).toEqual(['first', 'more']);
});

it('a message to a task whose agent works at another replica is worked on after a takeover, as those that were before it', async () => {
  const id = await begin('first');
  await two.call('SendMessage', { message: userMessage('more', { taskId: id }), configuration });
  await bury(stores.url, 'one');
  expect(await two.service.takeOver()).toBe(1);
  release('first', 'more');
  await untilState(id, 'TASK_STATE_COMPLETED');
  expect(namesOf(await two.call('GetTask', { id }))).toEqual(['first', 'more']);
  expect(executed).toEqual(['first', 'first', 'more']);
});

it('a message to a task whose agent works at another replica is named by the task where its replica dies, and the task is canceled at another one', async () => {
  const id = await begin('first');
  const message = userMessage('more', { taskId: id });
  await two.call('SendMessage', { message, configuration });
  await bury(stores.url, 'one');
  await two.service.takeOver();
  await two.call('CancelTask', { id });
  expect((await two.call('GetTask', { id })).metadata?.[unansweredKey]).toEqual([message.messageId]);
});

it('two answers to one question at two replicas at once: one is the answer, and the other a message after it', async () => {
  const id = await begin('ask');
  release('ask');
  await untilState(id, 'TASK_STATE_INPUT_REQUIRED');
  const sent = [one, two].map((bench, at) =>
    bench.call('SendMessage', { message: userMessage(`answer ${at}`, { taskId: id }) }),
  );
  await until(id, 3);
  // The agent works on one of them alone.
  expect(executed).toHaveLength(2);
  release('answer 0', 'answer 1');
  for (const answer of await Promise.all(sent)) expect(namesOf(taskIn(answer))).toHaveLength(2);
  expect(executed.toSorted()).toEqual(['answer 0', 'answer 1', 'ask']);
});

it('two answers to one question with one key at two replicas at once are one, and both callers get what came of it', async () => {
  const id = await begin('ask');
  release('ask', 'answer');
  await untilState(id, 'TASK_STATE_INPUT_REQUIRED');
  const request = { message: userMessage('answer', { taskId: id, messageId: 'once' }) };
  const sent = [one, two].map((bench) => bench.call('SendMessage', request, { idempotencyKey: 'key' }));
  const answers = (await Promise.all(sent)).map(taskIn);
  for (const task of answers) expect(namesOf(task)).toEqual(['answer']);
  expect(executed).toEqual(['ask', 'answer']);
});
