import { expect, test, vi } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { ask } from '../../../src/agents/events.ts';
import { newKey } from '../../../src/auth/hash.ts';
import { callsOf } from '../../support/admin.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { reaches } from '../../support/reaches.ts';
import { startReplica } from '../../support/replicas.ts';

/** Deadlines of questions, where several gateways share a store. */

const agentOf = (received: unknown[], otherwise: 'fail' | { answer: unknown }, deadline: string) =>
  defineAgent({ name: 'Asking', description: 'Asks' }, ({ answer }) => {
    if (!answer) return ask('How many?', { deadline, otherwise });
    received.push(answer.action === 'accept' ? answer.value : answer.action);
    return 'done';
  });

const database = async (): Promise<string> => (await sharedPostgres()).database();

test('of two replicas that know of a deadline, one gives the default answer', async () => {
  const url = await database();
  const received: unknown[] = [];
  const agents = { asking: agentOf(received, { answer: 2 }, '3s') };
  const one = await startReplica(url, 'one', { agents });
  const client = await one.client(undefined, 'asking');
  const { task } = await client.send('go');
  const id = task?.id ?? '';
  // Reads the open question from the store as it starts.
  const two = await startReplica(url, 'two', { agents });
  const there = await two.client(undefined, 'asking');
  await reaches(there, id, 'COMPLETED');
  // Closing waits for any second answer that is under way.
  await Promise.all([one.close(), two.close()]);
  expect(received).toEqual([2]);
});

test('a task whose agent was removed while the gateway was down fails at the deadline of its question', async () => {
  const url = await database();
  const first = await startReplica(url, 'first', {
    agents: { asking: agentOf([], { answer: 2 }, '2s') },
  });
  const client = await first.client(undefined, 'asking');
  const { task } = await client.send('go');
  await client.close();
  await first.close();
  const second = await startReplica(url, 'first');
  await vi.waitFor(
    async () => {
      const stored = await second.store.load(task?.id ?? '');
      expect(stored?.task.status).toMatchObject({ state: 'TASK_STATE_FAILED' });
      expect(stored?.task.status.message?.parts[0]?.text).toMatch(
        /^No one answered .* The default answer was not accepted: The agent asking is no longer configured/,
      );
    },
    { interval: 100 },
  );
});

test('a deadline outlives the replica that was asked, at one that ran before and was never asked anything', async () => {
  const url = await database();
  const agents = { asking: agentOf([], 'fail', '3s') };
  const staying = await startReplica(url, 'staying', { agents });
  const gone = await startReplica(url, 'gone', { agents });
  const client = await gone.client(undefined, 'asking');
  const { task } = await client.send('go');
  await client.close();
  await gone.close();
  await vi.waitFor(
    async () => {
      const stored = await staying.store.load(task?.id ?? '');
      expect(stored?.task.status.state).toBe('TASK_STATE_FAILED');
    },
    { interval: 100 },
  );
});

test('of an answer by an operator and one by the owner, at two replicas at the same time, the agent gets one', async () => {
  const url = await database();
  const keys = { owner: newKey(), operator: newKey() };
  const apiKeys = [
    { name: 'owner', hash: keys.owner.hash },
    { name: 'operator', hash: keys.operator.hash, scopes: ['admin'] },
  ];
  const received = new Map<string, unknown[]>();
  const asking = defineAgent({ name: 'Asking', description: 'Asks' }, ({ answer, taskId }) => {
    if (!answer) return ask('How many?', { schema: { type: 'integer' } });
    received.set(taskId, [...(received.get(taskId) ?? []), answer.action === 'accept' ? answer.value : answer.action]);
    return 'done';
  });
  const options = { agents: { asking }, config: `auth: ${JSON.stringify({ apiKeys })}\n` };
  const one = await startReplica(url, 'one', options);
  const two = await startReplica(url, 'two', options);
  const owner = callsOf(`${one.url}/asking`, { 'x-api-key': keys.owner.key });
  const operator = callsOf(two.url, { 'x-api-key': keys.operator.key });
  for (let round = 0; round < 8; round += 1) {
    const { id } = await owner.send('go', { immediately: false });
    const answers = await Promise.allSettled([
      owner.post('/message:send', {
        message: { messageId: `m${round}`, role: 'ROLE_USER', taskId: id, parts: [{ data: 1 }] },
      }),
      operator.post(`/admin/v1/questions/${id}:answer`, { parts: [{ data: 2 }] }),
    ]);
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(received.get(id)).toHaveLength(1);
  }
});
