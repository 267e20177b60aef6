import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import type {
  OperationName,
  RequestOf,
  ResponseOf,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '../../src/core/model/a2a.ts';
import {
  type Invoke,
  isStream,
  type LoggedEvent,
  type StreamReply,
  type UnaryReply,
} from '../../src/core/model/call.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { fold } from '../../src/core/model/fold.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import { createDialects } from '../../src/dialects/kernel/registry.ts';
import { type Bench, contextFor, startCore } from '../support/core.ts';
import { createLoopback } from '../support/loopback.ts';

let core: Bench;
beforeAll(async () => {
  core = await startCore({ ref: createReferenceAgent() });
});
afterAll(() => core.close());

const say = (text: string, over: Partial<SendMessageRequest['message']> = {}): SendMessageRequest => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }], ...over },
});

function clientOf(invoke: Invoke) {
  const send = (operation: OperationName, request: object) =>
    invoke({ operation, request: request as never, context: contextFor('ref') });
  return {
    call: async <K extends OperationName>(operation: K, request: RequestOf<K>): Promise<ResponseOf<K>> => {
      const reply = await send(operation, request);
      if (isStream(reply)) throw new TypeError('a stream');
      return (reply as UnaryReply<K>).value;
    },
    stream: async (operation: OperationName, request: object): Promise<AsyncIterable<LoggedEvent>> => {
      const reply = await send(operation, request);
      return (reply as StreamReply).events;
    },
  };
}

async function all(events: AsyncIterable<LoggedEvent>): Promise<LoggedEvent[]> {
  const list: LoggedEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** Streams of some dialects never hold the task itself. */
const startOf = ({ statusUpdate, artifactUpdate }: StreamResponse): Task | undefined => {
  const { taskId, contextId } = statusUpdate ?? artifactUpdate ?? {};
  if (taskId === undefined) return undefined;
  return { id: taskId, ...(contextId !== undefined && { contextId }), status: { state: 'TASK_STATE_SUBMITTED' } };
};

const foldAll = (events: readonly LoggedEvent[]): Task =>
  events.reduce<Task | undefined>((task, { event }) => fold(task ?? startOf(event), event), undefined) as Task;

/** Id of a task that works. Not every dialect can send without waiting for the end, but every one can leave a stream. */
async function begin(client: ReturnType<typeof clientOf>): Promise<string> {
  const events = (await client.stream('SendStreamingMessage', say('wait')))[Symbol.asyncIterator]();
  const { event } = (await events.next()).value as LoggedEvent;
  await events.return?.();
  return event.task?.id ?? event.statusUpdate?.taskId ?? '';
}

/** Whether a subscription follows the task; in some dialects it tells how the task is, and ends. */
const follows = ({ jsonrpc }: Dialect): boolean => {
  const plan = jsonrpc?.calls.get('SubscribeToTask');
  const method = plan?.next ?? plan?.method;
  const params = method?.request.encode({ request: { id: 't1' } as never }, { losses: new Set() });
  return method?.request.decode(params, { losses: new Set() }).semantics?.replay !== 'snapshot';
};

/** Whether callers choose the ids of their tasks, so that a message to a task that there is not makes it. */
const namesTasks = ({ jsonrpc }: Dialect): boolean => {
  const method = jsonrpc?.calls.get('SendMessage')?.method;
  const params = method?.request.encode({ request: say('x', { taskId: 'mine' }) }, { losses: new Set() });
  return method?.request.decode(params, { losses: new Set() }).semantics?.namesTask === true;
};

const textOf = (task: Task, at = 0): string => (task.artifacts?.[at]?.parts ?? []).map(({ text }) => text).join('');

const dialects: readonly Dialect[] = createDialects().list.filter(({ jsonrpc }) => jsonrpc);

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('%s, there and back', (_name, dialect) => {
  const client = () => clientOf(createLoopback(dialect, core.service.invoke));

  test('a task from message to artifact', async () => {
    const events = await all(await client().stream('SendStreamingMessage', say('hello')));
    const task = foldAll(events);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toMatchObject([{ name: 'echo', parts: [{ text: 'hello' }] }]);
    const read = await client().call('GetTask', { id: task.id });
    expect(read).toMatchObject({
      id: task.id,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ name: 'echo', parts: [{ text: 'hello' }] }],
      history: [{ role: 'ROLE_USER', parts: [{ text: 'hello' }] }],
    });
  });

  test('an artifact in chunks arrives whole, and as it is kept', async () => {
    const events = await all(await client().stream('SendStreamingMessage', say('stream 7 0')));
    const streamed = foldAll(events);
    const kept = await client().call('GetTask', { id: streamed.id });
    expect(textOf(streamed)).toBe(textOf(kept));
    expect(textOf(kept)).toContain('chunk 7');
  });

  test('a question, and its answer on the same task', async () => {
    const asked = foldAll(await all(await untilResting(await client().stream('SendStreamingMessage', say('ask')))));
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(JSON.stringify(asked)).toContain('What is your name?');
    const events = await all(await client().stream('SendStreamingMessage', say('Ada', { taskId: asked.id })));
    expect(events.map(({ event }) => event).at(-1)).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect(textOf(await client().call('GetTask', { id: asked.id }))).toBe('Hello, Ada');
  });

  test('a task that is canceled, once', async () => {
    const id = await begin(client());
    expect(await client().call('CancelTask', { id })).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
    await expect(client().call('CancelTask', { id })).rejects.toMatchObject({ kind: 'taskNotCancelable' });
  });

  test('a subscription to a running task ends with it, or with its reader', async () => {
    const id = await begin(client());
    const given = (await client().stream('SubscribeToTask', { id }))[Symbol.asyncIterator]();
    expect((await given.next()).value?.event.task).toMatchObject({ id });
    await given.return?.();
    const events = all(await client().stream('SubscribeToTask', { id }));
    await client().call('CancelTask', { id });
    const last = follows(dialect) ? 'TASK_STATE_CANCELED' : 'TASK_STATE_WORKING';
    expect(foldAll(await events).status.state).toBe(last);
  });

  test('errors by their meaning, before and within a stream', async () => {
    const missing = { kind: 'taskNotFound' };
    const missingId = `none-of-${dialect.name}`;
    await expect(client().call('GetTask', { id: missingId })).rejects.toMatchObject(missing);
    await expect(client().stream('SubscribeToTask', { id: missingId })).rejects.toMatchObject(missing);
    const sent = client().call('SendMessage', say('x', { taskId: missingId }));
    if (namesTasks(dialect)) await expect(sent).resolves.toMatchObject({ task: { id: missingId } });
    else await expect(sent).rejects.toMatchObject(missing);
    const broken = clientOf(createLoopback(dialect, brokenAfterOne));
    const events = (await broken.stream('SendStreamingMessage', say('x')))[Symbol.asyncIterator]();
    await expect(drain(events)).rejects.toMatchObject({ kind: 'unavailable', message: 'The store is gone' });
  });
});

/** Ends where the task waits for its client: a subscription of a legacy dialect stays open there. */
async function untilResting(events: AsyncIterable<LoggedEvent>): Promise<AsyncIterable<LoggedEvent>> {
  const list: LoggedEvent[] = [];
  for await (const logged of events) {
    list.push(logged);
    if (logged.event.statusUpdate?.status.state === 'TASK_STATE_INPUT_REQUIRED') break;
  }
  return (async function* () {
    yield* list;
  })();
}

async function drain(events: AsyncIterator<LoggedEvent>): Promise<void> {
  while (!(await events.next()).done);
}

const brokenAfterOne: Invoke = async ({ operation }) => {
  const status = { state: 'TASK_STATE_WORKING' as const };
  const task = { id: 't1', contextId: 'c1', status };
  if (operation === 'SendMessage') return { value: { task } };
  const event = { statusUpdate: { taskId: 't1', contextId: 'c1', status } };
  return {
    events: (async function* () {
      yield {
        seq: 1,
        at: 0,
        generation: 0,
        event: operation === 'SendStreamingMessage' ? { task } : event,
        json: JSON.stringify({ task }),
      };
      throw new A2AError('unavailable', 'The store is gone');
    })(),
  };
};

test('a dialect without JSON-RPC has no loopback', () => {
  const [dialect] = dialects;
  const { jsonrpc: _, ...rest } = dialect as Dialect;
  expect(() => createLoopback(rest, core.service.invoke)).toThrow(TypeError);
});
