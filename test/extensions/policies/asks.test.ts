import { expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import { kindOf } from '../../support/conversations.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Policies put calls before people, at a gateway with an agent at another gateway. */

const [alice, carol] = [newKey(), newKey()];

const clientOf = async (url: string, key?: string): Promise<Client> => {
  const client = await connect(url, { as: 'a2a-1.0', via: 'jsonrpc', ...(key && { apiKey: key }) } as never);
  afterTest(() => client.close());
  return client;
};

/** Alice's client of an agent, and how many tasks the agent has got. */
async function open(policies: string) {
  const far = await openGateway('agents: { demo: { kind: reference } }\n');
  const near = await openGateway(`
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: carol, hash: "${carol.hash}", scopes: [questions] }
agents:
  demo: { kind: upstream, url: "${far.url}/demo", dialect: a2a-1.0, transport: jsonrpc }
  passed: { kind: upstream, url: "${far.url}/demo", dialect: a2a-1.0, transport: jsonrpc, keep: none }
policies:${policies}
`);
  const there = await clientOf(`${far.url}/demo`);
  const count = async (): Promise<number> => (await there.listTasks({})).totalSize ?? 0;
  return { near, count, client: await clientOf(`${near.url}/demo`, alice.key) };
}

const payments = `
  - { name: payments, where: has(metadata.amount), ask: { of: [carol] }, reason: A payment. }
  - { name: large, where: has(metadata.amount), deny: metadata.amount > 1000 }`;

const payment = (amount: number, more: object = {}) => ({
  message: {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER' as const,
    parts: [{ text: 'hello' }],
    metadata: { amount },
    ...more,
  },
});

it('a call that a policy asks about waits for people, can be read and canceled, and its agent gets nothing', async () => {
  const { client, count } = await open(payments);
  const { task } = await client.call('SendMessage', payment(5));
  expect(task?.status).toMatchObject({
    state: 'TASK_STATE_AUTH_REQUIRED',
    message: { parts: [{ text: 'The agent gets this call when carol agrees (policy payments). A payment.' }] },
  });
  const id = task?.id ?? '';
  expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  expect((await client.listTasks({})).tasks.map((one) => one.id)).toEqual([id]);
  const approve = payment(5, { taskId: id, parts: [{ data: { decision: 'approve' } }] });
  expect(await kindOf(client.call('SendMessage', approve))).toBe('unsupportedOperation');
  expect((await client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
  expect(await count()).toBe(0);
});

it('a call that a policy refuses is refused before people are asked, and others reach the agent at once', async () => {
  const { client, count } = await open(payments);
  expect(await kindOf(client.call('SendMessage', payment(5_000)))).toBe('permissionDenied');
  expect((await client.listTasks({})).tasks).toEqual([]);
  expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await count()).toBe(1);
});

it('an answer to a question waits for people, too', async () => {
  const { client, count } = await open(payments);
  const { task } = await client.send('ask');
  const taskId = task?.id ?? '';
  const { task: held } = await client.call('SendMessage', payment(5, { taskId }));
  expect(held?.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  expect(held?.artifacts ?? []).toEqual([]);
  expect(await count()).toBe(1);
});

it('a call that cannot wait, since the gateway keeps no tasks of its agent, is refused', async () => {
  const { near, count } = await open(payments);
  const client = await clientOf(`${near.url}/passed`, alice.key);
  expect(await kindOf(client.call('SendMessage', payment(5)))).toBe('permissionDenied');
  expect(await count()).toBe(0);
});
