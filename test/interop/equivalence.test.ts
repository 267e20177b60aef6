import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { A2AError, allDialects, bindings, type Client, connect, type StreamResponse } from '../../src/client/index.ts';
import { fold } from '../../src/core/fold.ts';
import type { Task } from '../../src/gen/a2a-v1/types.ts';
import { type Running, startGateway } from './gateway.ts';

/**
 * The same conversations held through every face: each dialect over each of its bindings. What the gateway keeps of
 * them is the same, event by event, and what their clients are told comes to the same task and the same errors. New
 * dialects and bindings join by themselves.
 */

let gateway: Running;
/** Reads what the gateway has kept, in its own form. */
let reader: Client;

beforeAll(async () => {
  gateway = await startGateway();
  reader = await connect(gateway.origin, { as: 'a2a-1.0', via: 'jsonrpc' });
});
afterAll(async () => {
  await reader.close();
  await gateway.close();
});

type Json = Record<string, unknown>;

/** Without what differs from one task to another, and what a dialect may leave out or make up: ids, times, metadata. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const made = new Set([
    'id',
    'taskId',
    'contextId',
    'messageId',
    'artifactId',
    'timestamp',
    'metadata',
    'createdTime',
  ]);
  const entries = Object.entries(value as Json)
    .filter(([key]) => !made.has(key))
    .map(([key, item]) => [key, plain(item)] as const)
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0));
  return Object.fromEntries(entries);
}

/** Everything that happened to a task that is over. */
async function logOf(id: string): Promise<unknown> {
  const events: unknown[] = [];
  for await (const event of reader.stream('SubscribeToTask', { id }, { after: 0 })) events.push(plain(event));
  return events;
}

/** What a client can know of a task's outcome: its state, and its artifacts' content, however it was divided. */
function outcomeOf({ status, artifacts = [] }: Task): unknown {
  const contents = artifacts.map(({ parts }) => {
    const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
    const data = parts.flatMap((part) => ('data' in part ? [part.data] : []));
    const files = parts.filter(({ raw, url }) => raw !== undefined || url !== undefined).length;
    return { text: texts.join(''), data, files };
  });
  return { state: status.state, contents };
}

/** The task that a stream of events amounts to. */
function folded(events: readonly StreamResponse[]): Task {
  let task: Task | undefined;
  for (const event of events) {
    if (!task && !event.task) {
      const { taskId = '', contextId = '' } = event.statusUpdate ?? event.artifactUpdate ?? event.message ?? {};
      task = { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } };
    }
    task = fold(task, structuredClone(event));
  }
  if (!task) throw new Error('the stream had no events');
  return task;
}

async function streamed(client: Client, text: string): Promise<Task> {
  const events: StreamResponse[] = [];
  for await (const event of client.sendStream(text)) events.push(event);
  return folded(events);
}

async function answered(client: Client, text: string, taskId?: string): Promise<Task> {
  const { task } = await client.send(text, taskId === undefined ? {} : { taskId });
  if (!task) throw new Error('the answer was no task');
  // Some dialects answer before the task has come to rest.
  for (;;) {
    const now = await client.getTask({ id: task.id });
    if (now.status.state !== 'TASK_STATE_SUBMITTED' && now.status.state !== 'TASK_STATE_WORKING') return now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const kindOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (thrown: unknown) => A2AError.from(thrown).kind,
  );

/** Conversations that end, by name: each returns its task as the client knows it. */
const conversations: Readonly<Record<string, (client: Client) => Promise<Task>>> = {
  'a stream in chunks': (client) => streamed(client, 'stream 5 0'),
  'an echo': (client) => answered(client, 'hello'),
  'an echo as a stream': (client) => streamed(client, 'hello'),
  'a question and its answer': async (client) => {
    const asked = await answered(client, 'ask');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    return answered(client, 'Ada', asked.id);
  },
  data: (client) => answered(client, 'data'),
  'a file': (client) => answered(client, 'file'),
  failure: (client) => answered(client, 'fail'),
  rejection: (client) => answered(client, 'reject'),
  cancellation: async (client) => {
    // Not every dialect can send without waiting for the end.
    const events: StreamResponse[] = [];
    for await (const event of client.sendStream('wait')) {
      events.push(event);
      const { id } = folded(events);
      if (events.length === 1) await client.cancelTask({ id });
    }
    return client.getTask({ id: folded(events).id });
  },
};

/** Mistakes, by name: each returns the kind of error that the client is told. */
const mistakes: Readonly<Record<string, (client: Client) => Promise<string>>> = {
  'reading a task that there is not': (client) => kindOf(client.getTask({ id: 'no-such-task' })),
  'cancelling a task that there is not': (client) => kindOf(client.cancelTask({ id: 'no-such-task' })),
  'cancelling a task that is over': async (client) => {
    const { id } = await answered(client, 'hello');
    return kindOf(client.cancelTask({ id }));
  },
  'a message to a task that is over': async (client) => {
    const { id } = await answered(client, 'hello');
    return kindOf(client.send('more', { taskId: id }));
  },
};

/** Every dialect over every binding that it can hold a conversation over; some serve no more than a card over one. */
const faces = allDialects().flatMap((dialect) =>
  bindings.flatMap(({ name, face }) => {
    const holds =
      face === 'rest' ? dialect.rest?.routes.some(({ method }) => method.operation === 'SendMessage') : dialect[face];
    return holds ? [[dialect.name, name] as const] : [];
  }),
);

describe.each(faces)('%s over %s', (as, via) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(`${gateway.origin}/as/${as}`, { as, via });
  });
  afterAll(() => client?.close());

  test.each(Object.entries(conversations))('%s', async (_name, hold) => {
    const [ours, theirs] = [await hold(reader), await hold(client)];
    expect(await logOf(theirs.id)).toEqual(await logOf(ours.id));
    expect(outcomeOf(theirs)).toEqual(outcomeOf(ours));
  });

  test.each(Object.entries(mistakes))('%s', async (_name, make) => {
    expect(await make(client)).toBe(await make(reader));
  });

  test('a task that was made here is read alike by everybody', async () => {
    const { id } = await answered(client, 'stream 3 0');
    const seen = await reader.getTask({ id });
    for (const [dialect, binding] of faces) {
      const other = await connect(`${gateway.origin}/as/${dialect}`, { as: dialect, via: binding });
      const task = await other.getTask({ id });
      await other.close();
      expect(outcomeOf(task)).toEqual(outcomeOf(seen));
    }
  });
});
