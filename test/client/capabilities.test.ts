import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import type { AgentCapabilities } from '../../src/core/model/a2a.ts';
import { v1Card } from '../support/cards.ts';
import { afterTest, bodyOf, sendJson, serve } from '../support/peer.ts';

/** An agent with such capabilities on its card. It answers calls with `TaskNotFound`. */
async function agentWith(capabilities: AgentCapabilities, extended: object = {}) {
  const calls: string[] = [];
  const origin: string = await serve(async (req, res) => {
    if (req.method === 'GET') return sendJson(res, v1Card(`${origin}/`, { capabilities }));
    const { id, method } = JSON.parse(await bodyOf(req));
    calls.push(method);
    if (method === 'GetExtendedAgentCard') return sendJson(res, { jsonrpc: '2.0', id, result: extended });
    sendJson(res, { jsonrpc: '2.0', id, error: { code: -32001, message: 'no such task' } });
  });
  const client = await connect(origin, { as: 'a2a-1.0', via: 'jsonrpc' });
  afterTest(() => client.close());
  return { client, calls };
}

const first = async (stream: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const event of stream) return event;
  return undefined;
};

const config = { taskId: 't', id: 'c', url: 'https://hooks.example.com', token: '', tenant: '' };

type Client = Awaited<ReturnType<typeof agentWith>>['client'];

const optional: readonly [operation: string, kind: string, call: (client: Client) => Promise<unknown>][] = [
  ['SendStreamingMessage', 'unsupportedOperation', (client) => first(client.sendStream('hi'))],
  ['SubscribeToTask', 'unsupportedOperation', (client) => first(client.subscribeToTask({ id: 't' }))],
  [
    'CreateTaskPushNotificationConfig',
    'pushNotificationNotSupported',
    (client) => client.createTaskPushNotificationConfig(config),
  ],
  [
    'GetTaskPushNotificationConfig',
    'pushNotificationNotSupported',
    (client) => client.getTaskPushNotificationConfig({ taskId: 't', id: 'c' }),
  ],
  [
    'ListTaskPushNotificationConfigs',
    'pushNotificationNotSupported',
    (client) => client.listTaskPushNotificationConfigs({ taskId: 't' }),
  ],
  [
    'DeleteTaskPushNotificationConfig',
    'pushNotificationNotSupported',
    (client) => client.deleteTaskPushNotificationConfig({ taskId: 't', id: 'c' }),
  ],
  ['GetExtendedAgentCard', 'unsupportedOperation', (client) => client.getExtendedAgentCard({})],
];

const nothing = { streaming: false, pushNotifications: false, extendedAgentCard: false };

it.each(optional)('%s is refused without being sent if the card rules it out', async (_, kind, call) => {
  const { client, calls } = await agentWith(nothing);
  await expect(call(client)).rejects.toMatchObject({ kind, message: expect.stringContaining('The card of Test') });
  expect(calls).toEqual([]);
});

it.each(optional)('%s is sent if the card leaves the capability out', async (operation, _, call) => {
  const { client, calls } = await agentWith({});
  await call(client).catch(() => undefined);
  expect(calls).toEqual([operation]);
});

it('an operation that the card rules out is sent after an extended card was fetched that offers it', async () => {
  const extended = v1Card('https://example.com', { capabilities: { streaming: true } });
  const { client, calls } = await agentWith({ streaming: false, extendedAgentCard: true }, extended);
  await client.getExtendedAgentCard({});
  await first(client.sendStream('hi')).catch(() => undefined);
  expect(calls).toEqual(['GetExtendedAgentCard', 'SendStreamingMessage']);
});

it('an operation that the card rules out leaves the operations that every agent has', async () => {
  const { client, calls } = await agentWith(nothing);
  await client.getTask({ id: 't' }).catch(() => undefined);
  expect(calls).toEqual(['GetTask']);
});
