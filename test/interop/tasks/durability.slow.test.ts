import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { create, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { afterAll, describe, expect, it } from 'vitest';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { registry } from '../../support/raw.ts';

/**
 * A thousand tasks are under way over several bindings when the gateway is killed. Whatever a client received before,
 * the gateway that starts on the same file still knows.
 */

const folders: string[] = [];
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(store: string): Promise<Started> {
  const child = fork(fileURLToPath(new URL('gateway-process.ts', import.meta.url)), [store], { stdio: 'inherit' });
  children.push(child);
  const [started] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the gateway has exited with ${code}`);
    }),
  ]);
  return { child, port: (started as { port: number }).port };
}

/** One event that a client received, in canonical form. */
type Event = string;

const responseType = registry.getMessage('lf.a2a.v1.StreamResponse') ?? expect.fail();
const requestType = registry.getMessage('lf.a2a.v1.SendMessageRequest') ?? expect.fail();
const canonical = (event: StreamResponse): Event =>
  // An error in the place of an event is equal to none.
  'error' in event
    ? JSON.stringify(event)
    : JSON.stringify(toJson(responseType, fromJson(responseType, event as never, { registry }), { registry }));

/** What one client received about one task. */
interface Observed {
  readonly binding: string;
  readonly agent: string;
  readonly text: string;
  taskId: string;
  readonly events: Event[];
  /** By event id, where the binding has them. */
  readonly ids: number[];
  /** State in a unary answer. */
  state?: string;
}

const message = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

function post(
  port: number,
  path: string,
  body: object,
  more: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = startRequest({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      headers: { ...headers, ...more },
      ...(signal && { signal }),
      agent,
    });
    sent.on('response', resolve).on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** Reads server-sent events until the stream ends or breaks. */
async function readEvents(response: IncomingMessage, take: (id: number, data: string) => void): Promise<void> {
  let id = 0;
  response.on('error', () => undefined);
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('error', () => undefined);
  for await (const line of lines) {
    if (line.startsWith('id:')) id = Number(line.slice(3));
    // Only a data line that was complete counts: the blank line after it may be lost without harm.
    else if (line.startsWith('data:')) take(id, line.slice(5));
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

/** Follows one task over one binding. Resolves when the stream has broken. */
type Follow = (record: Observed, port: number, onEvent: () => void) => Promise<void>;

function note(record: Observed, event: StreamResponse, id?: number): void {
  record.taskId ||= event.task?.id ?? event.statusUpdate?.taskId ?? '';
  record.events.push(canonical(event));
  if (id !== undefined) record.ids.push(id);
}

const base = ({ agent: name }: Observed): string => (name === 'demo' ? '' : `/${name}`);

const followers: Readonly<Record<string, Follow>> = {
  'JSON-RPC': async (record, port, onEvent) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: message(record.text) };
    await readEvents(await post(port, `${base(record)}/`, body), (id, data) => {
      note(record, JSON.parse(data).result, id);
      onEvent();
    });
  },
  'HTTP+JSON': async (record, port, onEvent) => {
    await readEvents(await post(port, `${base(record)}/message:stream`, message(record.text)), (id, data) => {
      note(record, JSON.parse(data), id);
      onEvent();
    });
  },
  gRPC: async (record, port, onEvent) => {
    const client = grpcClient(port);
    const asIs = (bytes: Buffer): Buffer => bytes;
    const json = { ...message(record.text), ...(record.agent !== 'demo' && { tenant: record.agent }) };
    const bytes = Buffer.from(toBinary(requestType, fromJson(requestType, json as never, { registry })));
    const stream = client.makeServerStreamRequest('/lf.a2a.v1.A2AService/SendStreamingMessage', asIs, asIs, bytes);
    stream.on('data', (data: Buffer) => {
      note(record, toJson(responseType, fromBinary(responseType, data), { registry }) as StreamResponse);
      onEvent();
    });
    stream.on('error', () => undefined);
    await new Promise<void>((resolve) => stream.on('status', () => resolve()));
  },
  // Told by one answer, and not again.
  'JSON-RPC, at once': async (record, port, onEvent) => {
    const params = { ...message(record.text), configuration: { returnImmediately: true } };
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
    const { result } = JSON.parse(await readAll(await post(port, `${base(record)}/`, body)));
    record.taskId = result.task.id;
    record.state = result.task.status.state;
    onEvent();
  },
};

const grpcClients = new Map<number, grpc.Client>();
afterAll(() => {
  for (const client of grpcClients.values()) client.close();
});
function grpcClient(port: number): grpc.Client {
  const known = grpcClients.get(port);
  if (known) return known;
  const created = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  grpcClients.set(port, created);
  return created;
}

const total = 1_000;

/** Ten kinds of tasks, a hundred of each: streams at work, waiting, sleeping, resuming. */
const kinds: readonly (readonly [binding: string, agent: string, text: string])[] = [
  ['JSON-RPC', 'demo', 'stream 10000 250'],
  ['JSON-RPC', 'demo', 'wait'],
  ['JSON-RPC', 'demo', 'slow 600000'],
  ['HTTP+JSON', 'demo', 'stream 10000 250'],
  ['HTTP+JSON', 'demo', 'wait'],
  ['gRPC', 'demo', 'stream 10000 250'],
  ['gRPC', 'demo', 'slow 600000'],
  ['JSON-RPC, at once', 'demo', 'wait'],
  ['JSON-RPC', 'resuming', 'begin'],
  ['gRPC', 'resuming', 'begin'],
];

describe('a gateway that is killed', () => {
  it('resumes a thousand running tasks without a lost event when it starts again', { timeout: 120_000 }, async () => {
    expect(create(responseType)).toBeDefined();
    const folder = await mkdtemp(join(tmpdir(), 'a2a-gateway-durability-'));
    folders.push(folder);
    const store = `sqlite:${join(folder, 'gateway.db')}`;
    const first = await start(store);

    const records = Array.from({ length: total }, (_, i): Observed => {
      const [binding, name, text] = kinds[i % kinds.length] as (typeof kinds)[number];
      return { binding, agent: name, text, taskId: '', events: [], ids: [] };
    });

    /** Enough has been seen of a task: it runs, and a stream is under way. */
    const enough = ({ text, state, events }: Observed): boolean =>
      state !== undefined || events.length >= (text.startsWith('stream') ? 4 : 2);
    const { promise: allUnderWay, resolve: underWay } = Promise.withResolvers<void>();
    let waiting = records.length;
    const done = records.map((record) => {
      let counted = false;
      const onEvent = (): void => {
        if (counted || !enough(record)) return;
        counted = true;
        waiting -= 1;
        if (waiting === 0) underWay();
      };
      return (followers[record.binding] as Follow)(record, first.port, onEvent).catch(() => undefined);
    });
    await allUnderWay;
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await Promise.all(done);

    const eventCount = records.reduce((sum, { events }) => sum + events.length, 0);
    expect(eventCount).toBeGreaterThan(2 * total);

    const second = await start(store);
    const missing: string[] = [];
    const check = async (record: Observed): Promise<void> => {
      const { taskId, agent: name, binding, text } = record;
      // A task that is never closed would keep its subscribers for ever.
      const deadline = AbortSignal.timeout(20_000);
      // The whole log, from its beginning to the end of the task.
      const log = new Map<number, Event>();
      const replay = await post(
        second.port,
        `${base(record)}/tasks/${taskId}:subscribe`,
        {},
        { 'last-event-id': '0' },
        deadline,
      );
      await readEvents(replay, (id, data) => log.set(id, canonical(JSON.parse(data))));
      const events = [...log.values()];
      const lost = record.events.filter((event, i) => {
        const id = record.ids[i];
        return (id === undefined ? events[i] : log.get(id)) !== event;
      });
      if (lost.length > 0 || events.length === 0 || replay.statusCode !== 200) {
        missing.push(`${binding} ${name} ${text}: ${lost.length} of ${record.events.length} events, ${lost[0] ?? ''}`);
        return;
      }
      const end = JSON.parse(events.at(-1) ?? '{}') as StreamResponse;
      const read = await new Promise<IncomingMessage>((resolve, reject) => {
        const path = `${base(record)}/tasks/${taskId}`;
        const sent = startRequest({ host: '127.0.0.1', port: second.port, path, headers, agent });
        sent.on('response', resolve).on('error', reject).end();
      });
      const task = JSON.parse(await readAll(read)) as Task;
      expect(task.id).toBe(taskId);
      // Canonical, too: a time of a whole second is written without milliseconds there.
      expect(canonical({ statusUpdate: { ...end.statusUpdate, status: task.status } } as StreamResponse)).toBe(
        events.at(-1),
      );
      if (name === 'resuming') {
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
        expect(task.artifacts?.map(({ parts }) => parts[0]?.text)).toEqual(['begun', 'resumed 1']);
        return;
      }
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(task.status.message?.parts[0]?.text).toMatch(/gateway stopped/);
      const chunks = record.events.filter((event) => event.includes('artifactUpdate')).length;
      expect(task.artifacts?.[0]?.parts.length ?? 0).toBeGreaterThanOrEqual(chunks);

      // Somewhere in the middle: what comes after it, and nothing that came before.
      const middle = record.ids[Math.floor(record.ids.length / 2)];
      if (middle === undefined) return;
      const rest: number[] = [];
      const after = { 'last-event-id': String(middle) };
      const resumed = await post(second.port, `${base(record)}/tasks/${taskId}:subscribe`, {}, after, deadline);
      await readEvents(resumed, (id) => rest.push(id));
      expect(rest).toEqual([...log.keys()].filter((id) => id > middle));
    };
    const report = async (record: Observed): Promise<void> => {
      await check(record).catch((thrown) => missing.push(`${record.binding} ${record.text}: ${thrown}`));
    };
    for (let i = 0; i < records.length && missing.length === 0; i += 50) {
      await Promise.all(records.slice(i, i + 50).map(report));
    }
    expect(missing).toEqual([]);
    second.child.kill('SIGKILL');
  });
});
