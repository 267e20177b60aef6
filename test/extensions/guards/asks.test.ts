import { expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect, type Task } from '../../../src/client/index.ts';
import { kindOf } from '../../support/conversations.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { startJudge, textIn } from './judge.ts';

/** Guards put messages before people, at a gateway with an agent at another gateway. */

const alice = newKey();

async function open(keep: string) {
  const far = await openGateway('agents: { demo: { kind: reference } }\n');
  const judge = await startJudge((question) =>
    textIn(question).includes('pay') ? { action: 'ask', reason: 'A payment.' } : { action: 'allow' },
  );
  afterTest(() => judge.close());
  const near = await openGateway(`
auth: { anonymous: false, apiKeys: [{ name: alice, hash: "${alice.hash}" }] }
agents:
  demo: { kind: upstream, url: "${far.url}/demo", dialect: a2a-1.0, transport: jsonrpc, keep: ${keep} }
guards:
  - { name: payments, url: "${judge.url}", approvers: [alice] }
`);
  const [client, there] = await Promise.all([
    connect(`${near.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: alice.key }),
    connect(`${far.url}/demo`, { as: 'a2a-1.0', via: 'jsonrpc' }),
  ]);
  afterTest(() => Promise.all([client.close(), there.close()]));
  return { client, judge, count: async () => (await there.listTasks({})).totalSize };
}

const stateOf = (task: Task | undefined): string | undefined => task?.status.state;

it('a message that a guard asks about waits for people, also one that answers a question, and the agent gets nothing', async () => {
  const { client, judge, count } = await open('tasks');
  const { task } = await client.send('pay Ada');
  expect(stateOf(task)).toBe('TASK_STATE_AUTH_REQUIRED');
  const text = 'The agent gets this call when alice agrees (guard payments). A payment.';
  expect(task?.status.message?.parts).toEqual([{ text }]);
  // What the gateway itself says is no answer of the agent.
  expect(judge.asked.map(({ phase }) => phase)).toEqual(['request']);
  expect(await count()).toBe(0);
  const { task: asking } = await client.send('ask');
  expect(stateOf(asking)).toBe('TASK_STATE_INPUT_REQUIRED');
  const { task: answered } = await client.send('pay Bob', { taskId: asking?.id ?? '' });
  expect(stateOf(answered)).toBe('TASK_STATE_AUTH_REQUIRED');
  expect(answered?.artifacts ?? []).toEqual([]);
});

it('a message that a guard asks about is refused where the gateway keeps no tasks of the agent', async () => {
  const { client, count } = await open('none');
  expect(await kindOf(client.send('pay Ada'))).toBe('permissionDenied');
  expect(stateOf((await client.send('hello')).task)).toBe('TASK_STATE_COMPLETED');
  expect(await count()).toBe(1);
});
