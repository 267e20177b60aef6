import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { later } from '../../support/later.ts';
import { legacyEvent } from '../../support/legacy-words.ts';
import { afterTest, bodyOf, sendJson, serve } from '../../support/peer.ts';
import { reaches } from '../../support/reaches.ts';
import { startBridge, type UpstreamSettings } from '../../support/upstreams.ts';

/** Agents of the first generations, whose cards do not say which one they speak. */

const card = {
  name: 'Greeter',
  description: 'Greets',
  version: '1.0.0',
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'hi', name: 'Says hi', description: 'Says hi', tags: ['hi'] }],
};

const text = { defaultInputModes: ['text'], defaultOutputModes: ['text'] };

/** Cards of agents of A2A 0.2 before 0.2.5, which have no version. */
const cards: Readonly<Record<string, object>> = {
  'the card of the sample of the time': { ...text, supportsAuthenticatedExtendedCard: true },
  'modes of A2A 0.1': text,
  'the authentication of A2A 0.1': { authentication: { schemes: ['none'] } },
  'both of A2A 0.1': { ...text, authentication: { schemes: ['none'] } },
  'security schemes': { securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'X-K' } } },
  'skills without tags': { skills: [{ id: 'hi', name: 'Says hi', description: 'Says hi' }] },
  'nothing else': {},
  streams: { capabilities: { streaming: true } },
  'the version 0.2.5': { ...text, protocolVersion: '0.2.5' },
};

const refusal = (id: unknown, code: number) => ({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
const completed = (id: string) => ({
  task: { id, contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' as const } },
});

/** Answers of agents to methods that they do not have. */
const unknownMethods: Readonly<Record<string, (id: unknown, res: Parameters<typeof sendJson>[0]) => void>> = {
  'a JSON-RPC error': (id, res) => sendJson(res, refusal(id, -32601)),
  'HTTP 404': (_, res) => sendJson(res, { detail: 'Not Found' }, 404),
};

/** An agent of A2A 0.2 that sends messages and nothing else; what it was asked for. */
async function startMinimal(more: object, lack: (typeof unknownMethods)[string]) {
  const asked: string[] = [];
  const named: unknown[] = [];
  const url: string = await serve(async (req, res) => {
    const body = await bodyOf(req);
    if (req.method === 'GET')
      return sendJson(res, { ...card, url, ...more }, req.url?.endsWith('agent.json') ? 200 : 404);
    const { id, method, params } = JSON.parse(body);
    asked.push(method);
    if (method === 'message/send') named.push(params.message.taskId);
    if (method === 'message/send') sendJson(res, { jsonrpc: '2.0', id, result: legacyEvent(completed('t')) });
    else lack(id, res);
  });
  const messages = (): string[] => asked.filter((method) => /send|stream/i.test(method) && !method.includes('push'));
  return { url, asked, messages, named };
}

async function upstream(url: string, settings: Partial<UpstreamSettings> = {}) {
  const lines: string[] = [];
  const log = (_: object, message: string): void => void lines.push(message);
  const bridge = await startBridge({ up: { url, logger: { ...silent, info: log, warn: log }, ...settings } });
  return { client: await bridge.client('up'), lines };
}

describe.each(Object.entries(unknownMethods))(
  'an agent of A2A 0.2 that answers unknown methods with %s',
  (how, lack) => {
    const some = Object.entries(cards).filter((_, at) => how === 'a JSON-RPC error' || at % 4 === 0);

    it.each(some)(
      `an agent of A2A 0.2 that answers unknown methods with ${how} and whose card has %s gets each message once`,
      async (__, more) => {
        const agent = await startMinimal(more, lack);
        const { client } = await upstream(agent.url);
        for (const said of ['one', 'two']) {
          expect((await client.send(said)).task?.status.state).toBe('TASK_STATE_COMPLETED');
        }
        const messages = agent.messages();
        expect(messages.filter((method) => method === 'message/send')).toHaveLength(2);
        // The gateway tries a method that the agent does not know only once.
        expect(messages.at(-1)).toBe('message/send');
        expect(messages.at(-2)).toBe('message/send');
      },
    );

    it.each(some.slice(0, 2))(
      `an agent of A2A 0.2 that answers unknown methods with ${how} and whose card has %s is called as configured`,
      async (__, more) => {
        const agent = await startMinimal(more, lack);
        const { client } = await upstream(agent.url, { dialect: 'a2a-0.2', transport: 'jsonrpc' });
        expect((await client.send('one')).task?.status.state).toBe('TASK_STATE_COMPLETED');
        expect(agent.messages().filter((method) => !method.startsWith('message/'))).toEqual([]);
      },
    );

    it.each(['tasks', 'none'] as const)(
      `an agent of A2A 0.2 that answers unknown methods with ${how} names its tasks itself, with \`keep: %s\` too`,
      async (keep) => {
        const agent = await startMinimal(text, lack);
        const { client } = await upstream(agent.url, { keep });
        await client.send('one');
        await client.send('two');
        expect(agent.named).toEqual([undefined, undefined]);
      },
    );

    it(`an agent of A2A 0.2 that answers unknown methods with ${how} is called by the client library`, async () => {
      const agent = await startMinimal(text, lack);
      const client = await connect(agent.url);
      afterTest(() => client.close());
      expect((await client.send('one')).task?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(agent.messages().filter((method) => method === 'message/send')).toHaveLength(1);
    });

    it(`an agent of A2A 0.2 that answers unknown methods with ${how} is called in it until its card changes`, async () => {
      const more = { ...text };
      const agent = await startMinimal(more, lack);
      const { client, lines } = await upstream(agent.url);
      await client.send('one');
      expect(lines.filter((line) => line.includes('until its card changes'))).toHaveLength(1);
      later(3_600_000);
      await client.send('two');
      const before = agent.messages().length;
      Object.assign(more, { description: 'Greets more' });
      later(7_200_000);
      await client.send('three');
      await expect.poll(() => lines.some((line) => line.includes('first interface'))).toBe(true);
      expect(agent.messages().filter((method) => method === 'message/send')).toHaveLength(3);
      expect(before).toBeGreaterThan(2);
    });
  },
);

it('an agent that refuses a message in another way gets it once', async () => {
  const agent = await startMinimal(text, (id, res) => sendJson(res, refusal(id, -32600)));
  const { client } = await upstream(agent.url);
  // Nothing tells which generation it speaks, and its refusal does not prove that nothing ran.
  await expect(client.send('one')).rejects.toThrow();
  expect(agent.messages()).toHaveLength(1);
});

/** An agent of A2A 0.2 that works on one task, and does not stream. */
async function startWorking() {
  const artifact = { artifactId: 'theirs', parts: [{ text: 'Hi' }] };
  const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, artifacts: [artifact] };
  const asked: string[] = [];
  const url: string = await serve(async (req, res) => {
    const body = await bodyOf(req);
    if (req.method === 'GET')
      return sendJson(res, { ...card, ...text, url }, req.url?.endsWith('agent.json') ? 200 : 404);
    const { id, method } = JSON.parse(body);
    asked.push(method);
    const known = ['message/send', 'tasks/get', 'tasks/cancel'].includes(method);
    if (method === 'tasks/cancel') task.status = { state: 'TASK_STATE_CANCELED' };
    sendJson(res, known ? { jsonrpc: '2.0', id, result: legacyEvent({ task }) } : refusal(id, -32601));
  });
  return { url, asked, task, artifact };
}

it('an agent of A2A 0.2 whose card names no version, and which has not been sent a message is read in its own dialect by the client library', async () => {
  const { url, artifact } = await startWorking();
  const client = await connect(url);
  afterTest(() => client.close());
  expect((await client.getTask({ id: 't' })).artifacts).toEqual([artifact]);
  expect((await client.getTask({ id: 't' })).artifacts).toEqual([artifact]);
});

it('an agent of A2A 0.2 whose card names no version, and which has not been sent a message is read in its own dialect with `keep: none`', async () => {
  const { url, artifact, asked } = await startWorking();
  const { client, lines } = await upstream(url, { keep: 'none' });
  expect((await client.getTask({ id: 't' })).artifacts).toEqual([artifact]);
  const { length } = asked;
  await client.getTask({ id: 't' });
  // The dialect is known by then.
  expect(asked.slice(length)).toEqual(['tasks/get']);
  expect(lines.filter((line) => line.includes('until its card changes'))).toHaveLength(1);
});

it('an agent of A2A 0.2 whose card names no version, and which has not been sent a message gets a cancellation once', async () => {
  const { url, asked } = await startWorking();
  const { client } = await upstream(url, { keep: 'none' });
  expect((await client.cancelTask({ id: 't' })).status.state).toBe('TASK_STATE_CANCELED');
  expect(asked.filter((method) => method === 'tasks/cancel')).toHaveLength(1);
});

it('an agent of A2A 0.2 whose card names no version, and which has not been sent a message has one result when the gateway is restarted in the middle of a task', async () => {
  const { url, task, artifact } = await startWorking();
  const store = `sqlite:${join(newFolder(), 'tasks.db')}`;
  const before = await startBridge({ up: { url } }, store);
  const first = await before.client('up');
  const { task: begun } = await first.send('hi', { returnImmediately: true });
  const id = begun?.id ?? expect.fail('no task');
  for await (const { task, artifactUpdate } of first.subscribeToTask({ id }))
    if (artifactUpdate || task?.artifacts) break;
  expect((await first.getTask({ id })).artifacts).toEqual([artifact]);
  await before.close();
  task.status = { state: 'TASK_STATE_COMPLETED' };
  const client = await (await startBridge({ up: { url } }, store)).client('up');
  await reaches(client, id, 'COMPLETED');
  expect((await client.getTask({ id })).artifacts).toEqual([artifact]);
});
