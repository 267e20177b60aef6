import { expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { A2AError, type Client, connect, type Task } from '../../../src/client/index.ts';
import { callsOf } from '../../support/admin.ts';
import { kindOf } from '../../support/conversations.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { byWords, startJudge, textIn } from './judge.ts';

/** Guards put messages before people, at a gateway with an agent at another gateway. */

const [alice, carol, dave] = [newKey(), newKey(), newKey()];

async function open(keep: string) {
  const far = await openGateway('agents: { demo: { kind: reference } }\n');
  const judge = await startJudge((question) => {
    if (question.guard === 'words') return byWords(question);
    return question.phase === 'request' && textIn(question).startsWith('pay')
      ? { action: 'ask', reason: 'A payment.' }
      : { action: 'allow' };
  });
  afterTest(() => judge.close());
  const near = await openGateway(`
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: carol, hash: "${carol.hash}", scopes: [questions] }
    - { name: dave, hash: "${dave.hash}", scopes: [questions] }
agents:
  demo: { kind: upstream, url: "${far.url}/demo", dialect: a2a-1.0, transport: jsonrpc, keep: ${keep} }
policies:
  - { name: amounts, where: has(metadata.amount), ask: { of: [dave] } }
guards:
  - { name: payments, url: "${judge.url}", approvers: [carol] }
  - { name: words, url: "${judge.url}?words" }
`);
  const [client, there] = await Promise.all([
    connect(`${near.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: alice.key }),
    connect(`${far.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc' }),
  ]);
  afterTest(() => Promise.all([client.close(), there.close()]));
  const approve = (id: string, by = carol) =>
    callsOf(near.url, { 'x-api-key': by.key }).post(`/admin/v1/questions/${id}:answer`, {
      parts: [{ text: 'approve' }],
    });
  return { client, judge, approve, count: async () => (await there.listTasks({})).totalSize };
}

/** Follows a task until it has ended, or rests. */
async function ended(client: Client, id: string): Promise<void> {
  try {
    for await (const _ of client.subscribeToTask({ id }));
  } catch (thrown) {
    expect(A2AError.from(thrown).kind).toBe('unsupportedOperation');
  }
}

const stateOf = (task: Task | undefined): string | undefined => task?.status.state;

it('a message that a guard asks about waits for people, also one that answers a question, and the agent gets nothing', async () => {
  const { client, judge, count } = await open('tasks');
  const { task } = await client.send('pay Ada');
  expect(stateOf(task)).toBe('TASK_STATE_AUTH_REQUIRED');
  const text = 'The agent gets this call when carol agrees (guard payments). A payment.';
  expect(task?.status.message?.parts).toEqual([{ text }]);
  // What the gateway itself says is no answer of the agent.
  expect(judge.asked.map(({ guard, phase }) => `${guard} ${phase}`)).toEqual(['payments request', 'words request']);
  expect(await count()).toBe(0);
  const { task: asking } = await client.send('ask');
  expect(stateOf(asking)).toBe('TASK_STATE_INPUT_REQUIRED');
  const { task: answered } = await client.send('pay Bob', { taskId: asking?.id ?? '' });
  expect(stateOf(answered)).toBe('TASK_STATE_AUTH_REQUIRED');
  expect(answered?.artifacts ?? []).toEqual([]);
});

it('a message that people have agreed to reaches the agent as guards have left it, and its answer alone is judged', async () => {
  const { client, judge, approve, count } = await open('tasks');
  const { task } = await client.send('pay the rude word');
  const id = task?.id ?? '';
  judge.asked.splice(0);
  await approve(id);
  await ended(client, id);
  const done = await client.getTask({ id });
  expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
  expect(done.artifacts?.flatMap(({ parts }) => parts)).toEqual([{ text: 'pay the **** word' }]);
  expect(judge.asked.map(({ guard, phase, parts }) => [guard, phase, parts])).toEqual([
    ['payments', 'answer', [{ text: 'pay the **** word' }]],
    ['words', 'answer', [{ text: 'pay the **** word' }]],
  ]);
  expect(await count()).toBe(1);
});

it('a message that a policy and a guard ask about waits for the people of both', async () => {
  const { client, approve, count } = await open('tasks');
  const { task } = await client.send({ parts: [{ text: 'pay Ada' }], metadata: { amount: 5 } });
  const id = task?.id ?? '';
  expect(task?.status.message?.parts[0]?.text).toMatch(
    /dave agrees \(policy amounts\).*\n.*carol agrees \(guard payments\)/,
  );
  await approve(id);
  expect(stateOf(await client.getTask({ id }))).toBe('TASK_STATE_AUTH_REQUIRED');
  expect(await count()).toBe(0);
  await approve(id, dave);
  await ended(client, id);
  expect(stateOf(await client.getTask({ id }))).toBe('TASK_STATE_COMPLETED');
});

it('a message that a guard asks about is refused where the gateway keeps no tasks of the agent', async () => {
  const { client, count } = await open('none');
  expect(await kindOf(client.send('pay Ada'))).toBe('permissionDenied');
  expect(stateOf((await client.send('hello')).task)).toBe('TASK_STATE_COMPLETED');
  expect(await count()).toBe(1);
});
