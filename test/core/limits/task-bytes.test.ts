import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BindingName, connect } from '../../../src/client/index.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { createStore } from '../../../src/stores/index.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { v1Card } from '../../support/cards.ts';
import { newFolder } from '../../support/folders.ts';
import { paced } from '../../support/pace.ts';
import { bodyOf, sendJson, serve } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { Flooded } from './floods.ts';

/** Tasks that are larger than the heap of the gateway, or would become so: the gateway lives, serves, and says so. */

const mebibyte = 1_048_576;
const heap = 96;
/** Events of one mebibyte, with what the gateway needs itself, more than the heap has. */
const count = 72;
const settings = '  other: { kind: reference }\nlimits: { task: 8MiB }\n';
const folder = newFolder();

const gateways: Flooded[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

const start = async (url: string, more = settings, megabytes = heap): Promise<Flooded> => {
  const gateway = await Flooded.start(url, more, megabytes);
  gateways.push(gateway);
  return gateway;
};

interface Left {
  readonly id: string;
  /** Ends the gateway that works on the task. */
  die(): Promise<void>;
}

/** A task under way, as an earlier version without `limits.task` leaves it. */
async function leave(url: string, agent: string, events = count): Promise<Left> {
  const store = createStore(url, { instance: 'earlier' });
  await store.open();
  const writer = new TaskWriter({ owner: { agent, tenant: '', principal: 'anonymous' } });
  const opening = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
  await store.append(writer.create('TASK_STATE_WORKING', { history: [opening] }));
  const text = 'x'.repeat(mebibyte);
  for (let i = 0; i < events; i += 1) {
    await store.append(writer.next(writer.chunkEvent(text)));
  }
  return { id: writer.id, die: () => store.close() };
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const get = (gateway: Flooded, path: string) => gateway.send({ method: 'GET', path, headers: json });

/** The form of a task in a list. */
async function listed(gateway: Flooded, agent: string): Promise<Task | undefined> {
  const { status, text } = await get(gateway, `/${agent}/tasks?includeArtifacts=true`);
  expect(status).toBe(200);
  return (JSON.parse(text) as { tasks: Task[] }).tasks[0];
}

/** Reads a task's log event by event, and counts. */
async function replay(gateway: Flooded, agent: string, id: string, via: BindingName) {
  const client = await connect(`http://127.0.0.1:${gateway.port}/${agent}`, { via, as: 'a2a-1.0' });
  let [bytes, state] = [0, ''];
  try {
    for await (const { event } of client.events('SubscribeToTask', { id }, { after: 0 })) {
      for (const { text = '' } of event.artifactUpdate?.artifact.parts ?? []) bytes += text.length;
      state = event.statusUpdate?.status.state ?? state;
    }
  } finally {
    await client.close();
  }
  return { bytes, state };
}

async function expectReadInParts(gateway: Flooded, agent: string, id: string, reason: string): Promise<void> {
  await expect.poll(async () => (await listed(gateway, agent))?.status.state).toBe('TASK_STATE_FAILED');
  const task = await listed(gateway, agent);
  expect(task).toMatchObject({ id, status: { message: { parts: [{ text: expect.stringContaining(reason) }] } } });
  expect(task?.artifacts).toBeUndefined();
  const answer = await get(gateway, `/${agent}/tasks/${id}`);
  expect(answer.status).toBe(422);
  expect(answer.text).toMatch(/The answer has 72\.\d MiB.*Last-Event-ID: 0/);
  expect(JSON.parse(answer.text)).toMatchObject({ error: { details: [{ reason: 'ANSWER_TOO_LARGE' }] } });
  expect(await replay(gateway, agent, id, 'jsonrpc')).toEqual({ bytes: count * mebibyte, state: 'TASK_STATE_FAILED' });
  expect(gateway.isAlive).toBe(true);
  expect(gateway.peak ?? 0).toBeLessThan((heap + 256) * mebibyte);
}

const stores: readonly (readonly [string, () => Promise<string>])[] = [
  ['SQLite', async () => `sqlite:${join(folder, `${Math.random()}.db`)}`],
  ['PostgreSQL', async () => (await sharedPostgres()).database()],
];

it('a task that is too large for one answer is read event by event over gRPC', async () => {
  const url = `sqlite:${join(folder, 'grpc.db')}`;
  const { id, die } = await leave(url, 'demo', 6);
  await die();
  const gateway = await start(url, 'limits: { buffered: 4MiB }\n');
  const ended = async () => (await listed(gateway, 'demo'))?.status.state;
  await expect.poll(ended).toBe('TASK_STATE_FAILED');
  expect((await get(gateway, `/demo/tasks/${id}`)).text).toContain('ANSWER_TOO_LARGE');
  expect(await replay(gateway, 'demo', id, 'grpc')).toEqual({ bytes: 6 * mebibyte, state: 'TASK_STATE_FAILED' });
});

describe('a task that is larger than the heap', { timeout: paced(120_000) }, () => {
  const database = async (): Promise<string> => `sqlite:${join(folder, `${Math.random()}.db`)}`;

  it('a task that is larger than the heap fails when its gateway starts again, and can be read in parts', async () => {
    const url = await database();
    const { id, die } = await leave(url, 'resuming');
    await die();
    const gateway = await start(url);
    expect((await get(gateway, '/healthz')).status).toBe(200);
    await expectReadInParts(gateway, 'resuming', id, 'limits.task allows');
  });

  it('a task that is larger than the heap is canceled while it waits for an answer of its client', async () => {
    const url = await database();
    const { id, die } = await leave(url, 'demo');
    await die();
    const store = createStore(url, { instance: 'earlier' });
    await store.open();
    const [claimed] = await store.claimOrphans(1);
    const at = Date.now();
    const status = { state: 'TASK_STATE_INPUT_REQUIRED' as const };
    const event = { statusUpdate: { taskId: id, contextId: claimed?.contextId ?? '', status } };
    const logged = { seq: count + 2, at, generation: count + 2, event, json: JSON.stringify(event) };
    await store.append({ key: id, events: [logged], status: { state: status.state, at } });
    await store.close();
    const gateway = await start(url);
    const message = { messageId: 'm2', role: 'ROLE_USER', taskId: id, parts: [{ text: 'more' }] };
    const sent = await gateway.send({ path: '/demo/message:send', headers: json, body: JSON.stringify({ message }) });
    expect(sent.status).toBe(422);
    await gateway.send({ path: `/demo/tasks/${id}:cancel`, headers: json, body: '{}' });
    expect((await listed(gateway, 'demo'))?.status.state).toBe('TASK_STATE_CANCELED');
    expect(gateway.isAlive).toBe(true);
  });
});

it('a replica takes over a task that is larger than its heap, and serves other callers meanwhile', {
  timeout: paced(120_000),
}, async () => {
  const url = await (await sharedPostgres()).database();
  const { id, die } = await leave(url, 'resuming');
  const gateway = await start(url);
  await die();
  expect((await get(gateway, '/healthz')).status).toBe(200);
  await expectReadInParts(gateway, 'resuming', id, 'limits.task allows');
});

describe('a gateway before an upstream agent that never stops sending', { timeout: paced(120_000) }, () => {
  /** Streams that the gateway has closed. */
  let closed = 0;
  let canceled = 0;
  const ids = { taskId: 'theirs', contextId: 'theirs' };
  /** A smaller heap does not reduce the calls in flight, about 5 MiB each. */
  const floodedHeap = 192;
  const longText = { text: 'x'.repeat(mebibyte) };
  /** One mebibyte of text, and twenty times as much in memory. */
  const smallValues = { data: Array.from({ length: mebibyte / 3 }, () => ({})) };

  let agent: string;
  beforeAll(async () => {
    agent = await serve(async (req, res) => {
      const url = `${agent}/${req.url?.startsWith('/small-values') ? 'small-values' : ''}`;
      if (req.method === 'GET') return sendJson(res, v1Card(url, { capabilities: { streaming: true } }));
      const { id, method } = JSON.parse(await bodyOf(req)) as { id: unknown; method: string };
      if (method === 'CancelTask') {
        canceled += 1;
        const result = { id: ids.taskId, contextId: ids.contextId, status: { state: 'TASK_STATE_CANCELED' } };
        return sendJson(res, { jsonrpc: '2.0', id, result });
      }
      const task = { id: ids.taskId, contextId: ids.contextId, status: { state: 'TASK_STATE_WORKING' as const } };
      // A busy gateway may lose a stream, and look where the task is before it takes the stream up again.
      if (method === 'GetTask') return sendJson(res, { jsonrpc: '2.0', id, result: task });
      res.setHeader('Content-Type', 'text/event-stream');
      const tell = (result: StreamResponse): boolean =>
        res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      tell({ task });
      const artifact = { artifactId: 'a', parts: [req.url?.startsWith('/small-values') ? smallValues : longText] };
      const more = (): void => {
        while (!res.destroyed && tell({ artifactUpdate: { ...ids, artifact, append: true } }));
        if (!res.destroyed) res.once('drain', more);
      };
      more();
      res.on('close', () => {
        if (method === 'SendStreamingMessage') closed += 1;
      });
    });
  });

  const bounds = [
    ['a small limit of one task', 'limits: { task: 4MiB }\n'],
    ['the default limit, which is large for the heap', ''],
  ] as const;
  /** Each limit and each store once: the limits do not depend on the store. */
  const cases = stores.map(([kind, database], at) => [kind, ...(bounds[at] ?? bounds[0]), database] as const);

  it.each(cases)(
    'a gateway before an upstream agent that never stops sending fails the tasks of several callers, and cancels them at the agent (%s, %s)',
    async (...test) => {
      const [, , settings, database] = test;
      [closed, canceled] = [0, 0];
      // Their tasks together are more than tasks may take in this heap.
      const callers = 3;
      const { port } = new URL(agent);
      const upstream = `  endless: { kind: upstream, url: "http://127.0.0.1:${port}/" }\n${settings}`;
      const gateway = await start(await database(), upstream, floodedHeap);
      const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } });
      const request = { path: '/endless/message:send', headers: json, body };
      const answers = await Promise.all(Array.from({ length: callers }, () => gateway.send(request)));
      const reasons = [];
      for (const { status, text } of answers) {
        // A task may be larger than any answer: the error says how to read it.
        if (status === 422) {
          expect(text).toMatch(/ANSWER_TOO_LARGE/);
          continue;
        }
        expect(status).toBe(200);
        const { task } = JSON.parse(text) as { task: Task };
        expect(task.status.state).toBe('TASK_STATE_FAILED');
        const reason = task.status.message?.parts[0]?.text ?? '';
        reasons.push(reason);
        expect(reason).toMatch(/4194304 bytes \(limits\.task\)|\(limits\.buffered, /);
        if (reason.includes('limits.task')) expect(task.artifacts?.[0]?.parts).toHaveLength(3);
      }
      if (settings === '') expect(reasons.join()).toContain('limits.buffered');
      else expect(answers.every(({ status }) => status === 200)).toBe(true);
      await expect.poll(() => [closed, canceled]).toEqual([callers, callers]);
      expect(gateway.isAlive).toBe(true);
    },
  );

  it('a gateway before an upstream agent that never stops sending fails a task of many small values, which take far more memory than their text', async () => {
    [closed, canceled] = [0, 0];
    const { port } = new URL(agent);
    const upstream = `  endless: { kind: upstream, url: "http://127.0.0.1:${port}/small-values" }\n`;
    const gateway = await start(`sqlite:${join(folder, 'small-values.db')}`, upstream, 512);
    const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } });
    const { status, text } = await gateway.send({ path: '/endless/message:send', headers: json, body });
    if (status !== 422) expect(JSON.parse(text)).toMatchObject({ task: { status: { state: 'TASK_STATE_FAILED' } } });
    await expect.poll(() => [closed, canceled]).toEqual([1, 1]);
    expect((await get(gateway, '/healthz')).status).toBe(200);
    expect(gateway.isAlive).toBe(true);
  });
});
