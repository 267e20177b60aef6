import { beforeAll, expect, test } from 'vitest';
import { artifact, defineAgent } from '../../../src/agents/define.ts';
import { ask, status } from '../../../src/agents/events.ts';
import { newKey } from '../../../src/auth/hash.ts';
import type { Message } from '../../../src/core/model/a2a.ts';
import type { Agent, AgentHealth } from '../../../src/core/model/agent.ts';
import type { CallContext } from '../../../src/core/model/call.ts';
import { A2AError, markUndelivered } from '../../../src/core/model/errors.ts';
import type { TaskOverview } from '../../../src/core/ports/admin-store.ts';
import { retryHandlers } from '../../../src/extensions/admin/retry.ts';
import type { FindTasksResponse, RetryTasksResponse, TaskDetails } from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { answering } from '../../support/agents/copies.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { type Replica, startReplica } from '../../support/replicas.ts';

/** Tasks that failed, retried by operators at two replicas. */

const got: { text: string; messageId: string }[] = [];
let received: Message | undefined;
let isBroken = true;

const shop = defineAgent({ name: 'Shop', description: 'Fails while it is broken' }, ({ text, message, answer }) => {
  got.push({ text, messageId: message.messageId });
  received = message;
  if (text === 'ask' && !answer) return ask('How many?');
  if (isBroken) return status('TASK_STATE_FAILED', 'the payment provider is away');
  return artifact({ name: 'receipt', content: text });
});

let one: Replica;
let other: Replica;

beforeAll(async () => {
  const url = await (await sharedPostgres()).migrated();
  const agents = { shop };
  one = await startReplica(url, 'one', { agents, config: '' });
  other = await startReplica(url, 'other', { agents, config: '' });
});

const shopAt = ({ url }: Replica) => callsOf(`${url}/shop`);
const retryAt = ({ url }: Replica, keys: readonly string[], dryRun = false) =>
  callsOf(url).post<RetryTasksResponse>('/admin/v1/tasks:retry', { keys, dryRun });
const detailsOf = (key: string) => callsOf(one.url).get<TaskDetails>(`/admin/v1/tasks/${encodeURIComponent(key)}`);
const all = async () => (await callsOf(one.url).get<FindTasksResponse>('/admin/v1/tasks')).tasks ?? [];

/** The task when its log has ended. */
async function ended(key: string): Promise<TaskDetails> {
  const events = callsOf(one.url).stream(`/admin/v1/tasks/${encodeURIComponent(key)}:follow`);
  while (!(await events.next()).done);
  return detailsOf(key);
}

test('two operators who retry a task at two replicas make one new task of its caller, linked with the old one', async () => {
  const { id, contextId } = await shopAt(one).send('pay 4711');
  await ended(id);
  isBroken = false;
  got.length = 0;
  const planned = await retryAt(one, [id], true);
  expect(planned.outcomes).toEqual([
    { key: id, agent: 'shop', newKey: '', repeated: false, restart: false, furtherMessages: 0 },
  ]);
  expect(got).toEqual([]);

  const answers = await Promise.all([retryAt(one, [id]), retryAt(other, [id]), retryAt(one, [id])]);
  const keys = new Set(answers.map(({ outcomes }) => outcomes?.[0]?.newKey));
  expect(keys.size).toBe(1);
  const [key = ''] = keys;
  const { summary, retryOf, task } = await ended(key);
  expect(summary).toMatchObject({
    state: 'TASK_STATE_COMPLETED',
    contextId,
    principal: 'anonymous',
    preview: 'pay 4711',
  });
  expect(retryOf).toBe(id);
  expect(task).toMatchObject({ metadata: { 'a2a-gateway/retryOf': id } });
  expect((await detailsOf(id)).retriedAs).toBe(key);
  expect(got).toEqual([{ text: 'pay 4711', messageId: `retry-of-${id}` }]);
  expect((await retryAt(other, [id])).outcomes).toMatchObject([{ newKey: key, repeated: true }]);
});

test('tasks that go on, that have completed and that do not exist are refused with the reason, and the others are retried', async () => {
  isBroken = false;
  const done = await shopAt(one).send('done');
  const asking = await shopAt(one).send('ask');
  isBroken = true;
  const failed = await shopAt(one).send('ask');
  await shopAt(one).send('three', { taskId: failed.id });
  await ended(failed.id);
  const before = (await all()).length;
  const { outcomes = [] } = await retryAt(one, [done.id, asking.id, 'unknown', failed.id]);
  expect(outcomes.map(({ refusal = '' }) => refusal)).toEqual([
    'The task has completed',
    'The task has not ended: its state is input-required',
    expect.stringContaining('unknown'),
    '',
  ]);
  expect(outcomes[3]).toMatchObject({ furtherMessages: 1, newKey: expect.any(String) });
  expect((await all()).length).toBe(before + 1);
  const again = await detailsOf(outcomes[3]?.newKey ?? '');
  expect(again.summary.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

test('a retried task has everything that its message had but the ids', async () => {
  isBroken = true;
  const sent = { extensions: ['urn:prices'], referenceTaskIds: ['earlier'], metadata: { urgent: true } };
  const { id, contextId } = await shopAt(one).send('pay 12', sent);
  await ended(id);
  const { outcomes } = await retryAt(other, [id]);
  await ended(outcomes?.[0]?.newKey ?? '');
  expect(received).toMatchObject({ ...sent, contextId, parts: [{ text: 'pay 12' }], messageId: `retry-of-${id}` });
});

test('a caller who sends an idempotency key like those of retries does not prevent a retry of its task', async () => {
  isBroken = true;
  const { id } = await shopAt(one).send('pay 13');
  await ended(id);
  const key = { 'idempotency-key': `a2a-gateway/retry ${id}` };
  const other = await callsOf(`${one.url}/shop`, key).send('pay 14');
  const { outcomes } = await retryAt(one, [id], true);
  expect(outcomes).toMatchObject([{ newKey: '', repeated: false }]);
  expect((await retryAt(one, [id])).outcomes?.[0]?.newKey).not.toBe(other.id);
});

test('a task is refused with the failure of the store where it cannot be read', async () => {
  const failure = new A2AError('unavailable', 'The store is unavailable: connection refused');
  const fail = () => Promise.reject(failure);
  const store = { overviewOf: fail, events: fail, findCall: fail };
  const asOwner = { agentOf: () => expect.unreachable(), open: fail };
  const { RetryTasks } = retryHandlers({ store, asOwner, refusalFor: () => undefined, audit: () => undefined });
  const context = { principal: { id: 'key:operator' } } as CallContext;
  const { value } = await RetryTasks({ keys: ['task'] }, context, {});
  expect(value.outcomes).toEqual([{ key: 'task', refusal: failure.message }]);
});

test('an outage of the store ends a retry: only the tasks that are read at that moment wait for it', async () => {
  const failure = new A2AError('unavailable', 'The store is unavailable: connection refused');
  const asked: string[] = [];
  const overviewOf = (key: string) => {
    asked.push(key);
    return Promise.reject(failure);
  };
  const store = { overviewOf, events: () => expect.unreachable(), findCall: () => expect.unreachable() };
  const asOwner = { agentOf: () => expect.unreachable(), open: () => expect.unreachable() };
  const { RetryTasks } = retryHandlers({ store, asOwner, refusalFor: () => undefined, audit: () => undefined });
  const keys = Array.from({ length: 100 }, (_, at) => `task-${at}`);
  const { value } = await RetryTasks({ keys }, { principal: { id: 'key:operator' } } as CallContext, {});
  expect(asked).toEqual(keys.slice(0, 4));
  expect(value.outcomes?.map(({ refusal }) => refusal)).toEqual([
    ...Array.from({ length: 4 }, () => failure.message),
    ...Array.from({ length: 96 }, () => `Not tried, since another task could not be read: ${failure.message}`),
  ]);
});

test('if an agent refuses connections, its further tasks are not tried, which names it, and those of other agents are retried', async () => {
  isBroken = true;
  const remote = await startReplica('memory', 'remote', { agents: { shop }, config: '' });
  const far = `agents: { far: { kind: upstream, url: "${remote.url}/shop" } }`;
  const gateway = await startReplica('memory', 'gateway', { agents: { shop }, config: far });
  const farAway = callsOf(`${gateway.url}/far`);
  const lost: string[] = [];
  for (let at = 0; at < 24; at += 1) lost.push((await farAway.send(`pay ${at}`)).id);
  for (const id of lost) await farAway.endOf(id);
  const { id: here } = await shopAt(gateway).send('pay here');
  await shopAt(gateway).endOf(here);
  await remote.close();
  got.length = 0;

  const { outcomes = [] } = await retryAt(gateway, [...lost, here]);
  // An attempt that takes long goes on as a new task, and says nothing of the agent: only the last task is certainly not tried.
  expect(outcomes.at(-2)?.refusal).toMatch(
    /^Not tried, since another task of the agent far could not be sent: The upstream agent cannot be reached/,
  );
  expect(outcomes.at(-1)).toMatchObject({ key: here, newKey: expect.any(String) });
  await shopAt(gateway).endOf(outcomes.at(-1)?.newKey ?? '');
  expect(got.map(({ text }) => text)).toEqual(['pay here']);
});

/** Starts a gateway whose agent `shop` fails with this text. */
const startFailing = (text: string): Promise<Replica> =>
  startReplica('memory', text, {
    agents: { shop: defineAgent({ name: 'Shop', description: 'Fails' }, () => status('TASK_STATE_FAILED', text)) },
    config: '',
  });

const unreachable = () => ({ state: 'unreachable' }) as const;

type Retried = Pick<TaskOverview, 'key' | 'agent'>;

interface Surroundings {
  /** Opens the new task for a failed one. */
  readonly open: (key: string) => Promise<string>;
  /** Called before a failed task is read. */
  readonly read?: (key: string) => Promise<void>;
  /** The health of all agents. Default: unreachable. */
  readonly health?: Agent['health'];
}

/** Retries failed tasks. Returns the refusals. */
async function refusalsOf(tasks: readonly Retried[], { open, read, health = unreachable }: Surroundings) {
  const history = [{ role: 'ROLE_USER', messageId: 'first', parts: [{ text: 'pay' }] }];
  const agents = new Map(tasks.map(({ key, agent }) => [key, agent]));
  const failed = { state: 'TASK_STATE_FAILED', parent: '' };
  const { RetryTasks } = retryHandlers({
    store: {
      overviewOf: async (key) => {
        await read?.(key);
        return { key, id: key, agent: agents.get(key), ...failed } as TaskOverview;
      },
      findCall: async () => undefined,
      events: async () => [{ seq: 1, event: { task: { history } } }] as never,
    },
    asOwner: { agentOf: () => ({ health }) as Agent, open: ({ id }) => open(id) },
    refusalFor: () => undefined,
    audit: () => undefined,
  });
  const context = { principal: { id: 'key:operator' } } as CallContext;
  const { value } = await RetryTasks({ keys: [...agents.keys()] }, context, {});
  return value.outcomes?.map(({ refusal = '' }) => refusal);
}

const tasksOf = (agent: string, count: number): Retried[] =>
  Array.from({ length: count }, (_, at) => ({ key: `${agent}-${at}`, agent }));
const refused = () => markUndelivered(new A2AError('upstreamUnreachable', 'connection refused'));

test('after a refused connection, no further task of the agent is tried, and those of other agents are', async () => {
  const tried: string[] = [];
  const tasks = [...tasksOf('far', 8), ...tasksOf('near', 2)];
  const open = async (key: string) => {
    tried.push(key);
    if (key.startsWith('far')) throw refused();
    return 'opened';
  };
  const refusals = await refusalsOf(tasks, { open });
  expect(tried).toEqual(['far-0', 'far-1', 'far-2', 'far-3', 'near-0', 'near-1']);
  expect(refusals).toEqual([
    ...Array.from({ length: 4 }, () => 'connection refused'),
    ...Array.from(
      { length: 4 },
      () => 'Not tried, since another task of the agent far could not be sent: connection refused',
    ),
    ...['', ''],
  ]);
});

test.each([
  { failure: 'an answer 502', error: new A2AError('upstreamUnreachable', 'HTTP 502') },
  { failure: 'no answer in time', error: new A2AError('upstreamTimeout', 'no answer') },
  { failure: 'a refusal before it was sent', error: markUndelivered(new A2AError('invalidParams', 'no text')) },
])('a task that fails by $failure does not keep the other tasks of its agent from being tried', async ({ error }) => {
  const tasks = tasksOf('far', 7);
  const tried: string[] = [];
  const open = async (key: string) => {
    tried.push(key);
    if (key === 'far-0') throw error;
    return 'opened';
  };
  const refusals = await refusalsOf(tasks, { open });
  expect(tried).toEqual(tasks.map(({ key }) => key));
  expect(refusals).toEqual([error.message, ...Array.from({ length: 6 }, () => '')]);
});

test('an outage of an agent is over when the agent answers a call', async () => {
  let state: AgentHealth['state'] = 'unreachable';
  const far = tasksOf('far', 5);
  const refusals = await refusalsOf([...far.slice(0, 4), ...tasksOf('near', 1), ...far.slice(4)], {
    health: () => ({ state }),
    open: async (key) => {
      if (state === 'unreachable' && key !== 'near-0') throw refused();
      // The agent answers another caller meanwhile.
      state = 'ok';
      return 'opened';
    },
  });
  expect(refusals).toEqual([...Array.from({ length: 4 }, () => 'connection refused'), '', '']);
});

test('an outage of the store is over when the store is read', async () => {
  const failure = new A2AError('unavailable', 'The store is unavailable: the statement timed out');
  const read = async (key: string) => {
    if (key === 'far-0') throw failure;
  };
  const refusals = await refusalsOf(tasksOf('far', 7), { read, open: async () => 'opened' });
  expect(refusals).toEqual([failure.message, ...Array.from({ length: 6 }, () => '')]);
});

test('tasks of conversations at an unreachable copy do not keep those at other copies from being retried', async () => {
  const [gone, well] = await Promise.all(['gone', 'well'].map(startFailing));
  const config = `agents: { far: { kind: upstream, url: ["${gone?.url}/shop", "${well?.url}/shop"] } }`;
  const gateway = await startReplica('memory', 'gateway', { config });
  await answering(gateway.url, 2);
  const far = callsOf(`${gateway.url}/far`);
  const failed: Record<string, string[]> = { gone: [], well: [] };
  for (let at = 0; at < 10; at += 1) {
    const { id } = await far.send(`pay ${at}`);
    const { message } = await far.endOf(id);
    failed[message?.parts[0]?.text ?? '']?.push(id);
  }
  await gone?.close();

  const { gone: lost = [], well: kept = [] } = failed;
  expect(Math.min(lost.length, kept.length)).toBeGreaterThanOrEqual(4);
  const { outcomes = [] } = await retryAt(gateway, [...lost, ...kept]);
  const refusals = outcomes.map(({ refusal = '' }) => refusal);
  expect(refusals.filter((refusal) => refusal.startsWith('Not tried'))).toEqual([]);
  expect(refusals.slice(lost.length)).toEqual(kept.map(() => ''));
});

test('it is said before a retry which callers the gateway does not know any more', async () => {
  isBroken = true;
  const url = await (await sharedPostgres()).migrated();
  const withKeys = (keys: readonly object[]): string => `auth: ${JSON.stringify({ anonymous: false, apiKeys: keys })}`;
  const [alice, bob] = [newKey(), newKey()];
  const keys = [
    { name: 'alice', hash: alice.hash },
    { name: 'bob', hash: bob.hash },
  ];
  const agents = { shop };
  const before = await startReplica(url, 'before', { agents, config: withKeys(keys) });
  const { id } = await callsOf(`${before.url}/shop`, { 'x-api-key': alice.key }).send('pay 15');
  await callsOf(`${before.url}/shop`, { 'x-api-key': alice.key }).endOf(id);
  const after = await startReplica(url, 'after', { agents, config: withKeys(keys.slice(1)) });
  expect((await retryAt(before, [id], true)).outcomes).toMatchObject([{ newKey: '' }]);
  const refusal = expect.stringContaining('The caller has no rights that the gateway knows');
  expect((await retryAt(after, [id], true)).outcomes).toEqual([{ key: id, agent: 'shop', refusal }]);
  expect((await retryAt(after, [id])).outcomes).toEqual([{ key: id, agent: 'shop', refusal }]);
});

test('more than a hundred tasks are refused at once', async () => {
  const keys = Array.from({ length: 101 }, (_, at) => `task-${at}`);
  await expect(retryAt(one, keys)).rejects.toMatchObject({ status: 400 });
});
