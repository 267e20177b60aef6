import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { Secret } from '../../../src/net/secret.ts';
import { v1Card } from '../../support/cards.ts';
import { type Bridge, startBridge, type UpstreamSettings } from '../../support/upstreams.ts';
import {
  ids,
  type Script,
  type ScriptedAgent,
  type ScriptedCall,
  startScripted,
  statusOf,
  taskOf,
} from './scripted-agent.ts';

/** Parts of a caller's request that the gateway passes to an upstream, and parts that it does not. */

interface Setting {
  readonly agent: ScriptedAgent;
  readonly bridge: Bridge;
  readonly client: Client;
  readonly seen: ScriptedCall[];
}

async function bridgeTo(
  settings: Partial<UpstreamSettings> = {},
  scripts: Record<string, Script> = {},
): Promise<Setting> {
  const seen: ScriptedCall[] = [];
  const agent = await startScripted(
    {
      SendStreamingMessage: (call) => {
        seen.push(call);
        call.events({ task: taskOf('SUBMITTED') }, statusOf('COMPLETED'));
        call.end();
      },
      GetExtendedAgentCard: ({ error }) => error(-32603, 'not today'),
      ...scripts,
    },
    { streaming: true, extendedAgentCard: true, extensions: [{ uri: 'urn:x' }] },
  );
  const bridge = await startBridge({ far: { url: agent.url, ...settings } });
  return { agent, bridge, client: await bridge.client('far'), seen };
}

it('a call to an upstream agent contains the message and the metadata of the caller, and none of the settings for the gateway', async () => {
  const { bridge, seen } = await bridgeTo();
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const response = await fetch(`${bridge.origin}/far`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'a2a-extensions': 'urn:x',
      'a2a-hops': '3',
      'x-request-id': 'request-1',
      authorization: 'Bearer callers-own',
      'idempotency-key': 'once',
      traceparent: trace,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: 'm1',
          role: 'ROLE_USER',
          parts: [{ text: 'hi' }],
          contextId: 'mine',
          metadata: { k: 1 },
        },
        configuration: {
          acceptedOutputModes: ['text/plain'],
          historyLength: 3,
          taskPushNotificationConfig: { url: 'https://hooks.example.com/' },
        },
        metadata: { request: true },
      },
    }),
  });
  expect(response.status).toBe(200);
  expect(seen[0]?.params).toEqual({
    message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }], metadata: { k: 1 } },
    configuration: { acceptedOutputModes: ['text/plain'] },
    metadata: { request: true },
  });
  expect(seen[0]?.headers).toMatchObject({
    'a2a-hops': '4',
    'a2a-extensions': 'urn:x',
    'x-request-id': 'request-1',
    traceparent: trace,
  });
  expect(seen[0]?.headers).not.toHaveProperty('authorization');
  // The gateway's own.
  expect(seen[0]?.headers['idempotency-key']).toMatch(/^[\w-]{43}$/);
});

it('a call to an upstream agent refers to tasks by their upstream ids, and its answer by those of the gateway', async () => {
  const { client, seen } = await bridgeTo(
    {},
    {
      SendStreamingMessage: (call) => {
        seen.push(call);
        const { statusUpdate } = statusOf('COMPLETED', 'as before');
        const id = `task-${call.before}`;
        const message = { ...statusUpdate?.status.message, referenceTaskIds: ['task-0', 'stranger'], taskId: id };
        const status = { ...statusUpdate?.status, message };
        call.events({ task: { ...taskOf('SUBMITTED'), id } }, {
          statusUpdate: { ...ids, taskId: id, status },
        } as StreamResponse);
        call.end();
      },
    },
  );
  const first = (await client.send('one')).task as Task;
  const { task } = await client.send({ parts: [{ text: 'two' }], referenceTaskIds: [first.id, 'unknown'] });
  expect(seen[1]?.params.message.referenceTaskIds).toEqual(['task-0']);
  expect(task?.status.message?.referenceTaskIds).toEqual([first.id]);
  expect(task?.status.message).toMatchObject({ taskId: task?.id, contextId: task?.contextId });
});

it("a call to an upstream agent continues the agent's conversation, whose id the caller does not see", async () => {
  const { client, seen } = await bridgeTo();
  const contextId = 'mine';
  const tasks = [await client.send('one', { contextId }), await client.send('two', { contextId })];
  expect(tasks.map(({ task }) => task?.contextId)).toEqual(['mine', 'mine']);
  expect(JSON.stringify(tasks)).not.toContain(ids.contextId);
  expect(seen.map(({ params }) => params.message.contextId)).toEqual([undefined, ids.contextId]);
});

it('an extended card that an agent is too busy to give is asked for again', async () => {
  const { client, agent } = await bridgeTo(
    { auth: { type: 'bearer', token: new Secret('t') } },
    {
      GetExtendedAgentCard: ({ before, result, res }) => {
        if (before === 0) res.writeHead(503).end();
        else result(v1Card('http://elsewhere.example.com', { description: 'Does more for friends.' }));
      },
    },
  );
  const extended = async (): Promise<string | undefined> =>
    (await client.getExtendedAgentCard({}).catch(() => undefined))?.description;
  let description = await extended();
  for (; description === undefined; description = await extended())
    await new Promise<void>((next) => setImmediate(next));
  expect(description).toBe('Does more for friends.');
  expect(agent.calls).toEqual(['GetExtendedAgentCard', 'GetExtendedAgentCard']);
});

it('a call to an upstream agent returns the extended card that the agent gives the gateway', async () => {
  const { client, agent, bridge } = await bridgeTo(
    { auth: { type: 'bearer', token: new Secret('t') } },
    {
      GetExtendedAgentCard: ({ result }) =>
        result(v1Card('http://elsewhere.example.com', { description: 'Does more for friends.' })),
    },
  );
  const card = async () =>
    (await fetch(`${bridge.origin}/far/.well-known/agent-card.json`)).json() as Promise<{
      capabilities: { extendedAgentCard?: boolean; extensions?: unknown };
    }>;
  for (let tries = 0; !(await card()).capabilities.extendedAgentCard && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const extended = await client.getExtendedAgentCard({});
  expect(extended.description).toBe('Does more for friends.');
  expect(JSON.stringify(extended)).not.toContain('elsewhere');
  expect((await card()).capabilities.extensions).toContainEqual({ uri: 'urn:x' });
  expect(agent.calls).toEqual(['GetExtendedAgentCard']);
  const refused = await bridgeTo();
  await expect(refused.client.getExtendedAgentCard({})).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  expect(refused.agent.calls).toEqual(['GetExtendedAgentCard']);
});
