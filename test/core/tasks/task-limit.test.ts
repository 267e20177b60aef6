import { beforeEach, describe, expect, test, vi } from 'vitest';
import { artifact, defineAgent, say, status, textOf } from '../../../src/agents/define.ts';
import { MemoryBudget } from '../../../src/core/limits/memory-budget.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { alice, TaskWriter } from '../../contract/store-fixtures.ts';
import { type Bench, collect, contextFor, openStore, startCore, taskIn, userMessage } from '../../support/core.ts';

let store: Store;
let core: Bench;
beforeEach(async () => {
  store = await openStore();
});

const asAlice = contextFor('demo', { principal: { id: alice.principal, anonymous: false } });
const reasonOf = (task: Task): string => task.status.message?.parts[0]?.text ?? '';

/** Signs by which an agent noticed the end of its run. */
interface Ending {
  ended: boolean;
  aborted: boolean;
  canceled: boolean;
}

/** An agent that answers with these events, one after the other. */
function scripted(events: () => Iterable<StreamResponse>, more: Partial<Agent> = {}): { agent: Agent; ending: Ending } {
  const ending = { ended: false, aborted: false, canceled: false };
  const agent = defineAgent({
    name: 'Scripted',
    description: 'Yields the events of a test',
    async *execute({ signal }) {
      signal.addEventListener('abort', () => {
        ending.aborted = true;
      });
      try {
        for (const event of events()) yield event;
      } finally {
        ending.ended = true;
      }
    },
  });
  const cancel = async (): Promise<undefined> => {
    ending.canceled = true;
    return undefined;
  };
  return { agent: { ...agent, cancel, ...more } as Agent, ending };
}

const chunk = (text: string, append = true): StreamResponse => ({
  artifactUpdate: { taskId: '', contextId: '', artifact: { artifactId: 'a', parts: [{ text }] }, append },
});

function* chunks(count: number, text: string): Generator<StreamResponse> {
  yield status('TASK_STATE_WORKING');
  for (let i = 0; i < count; i += 1) yield chunk(text, i > 0);
}

/** Bytes of a task's events. */
async function storedBytes(id: string): Promise<number> {
  const events = await store.events(id, 0, 10_000);
  return events.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}

test('a task whose agent sends more than limits.task fails with a reason that names the limit, and its agent is aborted and gets a cancellation', async () => {
  const { agent, ending } = scripted(() => chunks(1_000, 'x'.repeat(1_000)));
  core = await startCore({ demo: agent }, { store, task: 20_000 });
  const task = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(reasonOf(task)).toMatch(/^The event of \d+ bytes does not fit .* may have 20000 bytes \(limits\.task\)/);
  await vi.waitFor(() => expect(ending).toEqual({ ended: true, aborted: true, canceled: true }));
  const parts = task.artifacts?.[0]?.parts ?? [];
  expect(parts.length).toBeGreaterThan(10);
  expect((await core.call('GetTask', { id: task.id })).artifacts?.[0]?.parts).toHaveLength(parts.length);
  await vi.waitFor(() => expect(core.service.live).toBe(0));
});

test.each(['x', 'ü', '☃'])(
  'a task whose agent sends more than limits.task fails one byte above the limit and not at it (%s)',
  async (letter) => {
    const run = async (limit: number) => {
      const { agent } = scripted(() => [...chunks(3, letter.repeat(100)), status('TASK_STATE_INPUT_REQUIRED')]);
      await core?.close();
      core = await startCore({ demo: agent }, { store, task: limit });
      return taskIn(await core.call('SendMessage', { message: userMessage('go', { messageId: 'same-length' }) }));
    };
    const unlimited = await run(1_000_000);
    const bytes = await storedBytes(unlimited.id);
    expect((await run(bytes)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const failed = await run(bytes - 1);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(reasonOf(failed)).toContain(`may have ${bytes - 1} bytes (limits.task)`);
  },
);

test.each<[string, StreamResponse]>([
  ['a completed task', { task: { id: '', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [large()] } }],
  ['a task', { task: { id: '', status: { state: 'TASK_STATE_WORKING' }, artifacts: [large()] } }],
  ['an artifact', { artifactUpdate: { taskId: '', contextId: '', artifact: large() } }],
  ['a status', status('TASK_STATE_COMPLETED', 'x'.repeat(3_000))],
])(
  'a task whose agent sends more than limits.task fails where its first event is %s that is too large',
  async (_, event) => {
    core = await startCore({ demo: scripted(() => [event]).agent }, { store, task: 2_000 });
    const task = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(reasonOf(task)).toContain('limits.task');
    expect(task.history?.[0]?.parts).toEqual([{ text: 'go' }]);
    expect((await core.call('GetTask', { id: task.id })).status.state).toBe('TASK_STATE_FAILED');
  },
);

test('a task whose agent sends more than limits.task ends the stream of its caller with the failed state', async () => {
  core = await startCore({ demo: scripted(() => chunks(1_000, 'x'.repeat(1_000))).agent }, { store, task: 5_000 });
  const events = await collect(await core.stream('SendStreamingMessage', { message: userMessage('go') }));
  expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_FAILED');
  expect(events.length).toBeLessThan(10);
});

function large() {
  return { artifactId: 'a', parts: [{ text: 'x'.repeat(3_000) }] };
}

const asking = (): Agent =>
  defineAgent({
    name: 'Asking',
    description: 'Asks until it is told to end',
    async *execute({ message }) {
      if (textOf(message) === 'end') yield say('done');
      else yield status('TASK_STATE_INPUT_REQUIRED', 'more?');
    },
  });

test('a message that does not fit into its task is refused with the limit, and the task continues with smaller ones', async () => {
  core = await startCore({ demo: asking() }, { store, task: 4_000 });
  const { id: taskId } = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  const sent = core.call('SendMessage', { message: userMessage('x'.repeat(4_000), { taskId }) });
  await expect(sent).rejects.toMatchObject({
    kind: 'payloadTooLarge',
    message: expect.stringMatching(/^The message of \d+ bytes does not fit .* 4000 bytes \(limits\.task\)/),
    metadata: { limit: 'limits.task', limitBytes: '4000' },
  });
  expect((await core.call('GetTask', { id: taskId })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const ended = taskIn(await core.call('SendMessage', { message: userMessage('end', { taskId }) }));
  expect(ended.status.state).toBe('TASK_STATE_COMPLETED');
});

test.each([false, true])(
  'a message that does not fit into its task does not open a task, and the agent does not get it (idempotency key: %s)',
  async (keyed) => {
    const execute = vi.fn(() => [status('TASK_STATE_COMPLETED')]);
    core = await startCore({ demo: scripted(execute).agent }, { store, task: 1_000 });
    const over = keyed ? { idempotencyKey: 'key' } : {};
    const sent = core.call('SendMessage', { message: userMessage('x'.repeat(1_000)) }, over);
    await expect(sent).rejects.toMatchObject({ kind: 'payloadTooLarge' });
    expect(execute).not.toHaveBeenCalled();
    expect(core.service.live).toBe(0);
    expect((await core.call('ListTasks', {})).totalSize).toBe(0);
  },
);

describe('a stored task above a limit that was lowered', () => {
  const written = async (count: number): Promise<TaskWriter> => {
    const writer = new TaskWriter();
    await store.append(writer.create('TASK_STATE_WORKING'));
    for (let i = 0; i < count; i += 1) await store.append(writer.chunk('x'.repeat(100)));
    await store.append(writer.status('TASK_STATE_INPUT_REQUIRED'));
    return writer;
  };

  test.each([10, 300])(
    'a stored task above a limit that was lowered can be read and canceled, and takes no messages (%i events)',
    async (count) => {
      const { id } = await written(count);
      // A long log gets a snapshot, which is smaller than its events.
      await store.load(id);
      await vi.waitFor(async () => expect((await store.load(id))?.logBytes === undefined).toBe(count > 256));
      const bytes = await storedBytes(id);
      core = await startCore({ demo: asking() }, { store, task: bytes });
      expect((await core.call('GetTask', { id }, asAlice)).artifacts?.[0]?.parts).toHaveLength(count);
      const sent = core.call('SendMessage', { message: userMessage('y', { taskId: id }) }, asAlice);
      await expect(sent).rejects.toMatchObject({ kind: 'payloadTooLarge', metadata: { taskBytes: `${bytes}` } });
      expect((await core.call('CancelTask', { id }, asAlice)).status.state).toBe('TASK_STATE_CANCELED');
      expect(await store.load(id)).toMatchObject({ state: 'TASK_STATE_CANCELED', task: { artifacts: [{}] } });
    },
  );
});

describe("the takeover of a dead replica's tasks", () => {
  const left = async (count: number): Promise<TaskWriter[]> => {
    const writers = [];
    for (let i = 0; i < count; i += 1) {
      const writer = new TaskWriter();
      const opening = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
      await store.append(writer.create('TASK_STATE_WORKING', { history: [opening] }));
      for (let j = 0; j < 10; j += 1) await store.append(writer.chunk('x'.repeat(10_000)));
      writers.push(writer);
    }
    let orphans: readonly TaskWriter[] = writers;
    vi.spyOn(store, 'claimOrphans').mockImplementation(async () => {
      const claimed = await Promise.all(orphans.map(async ({ key }) => (await store.loadRecord(key)) as never));
      orphans = [];
      return claimed;
    });
    return writers;
  };

  test.each([
    ['that cannot be continued', undefined, 'not known what the agent did'],
    ['that is above limits.task', true, 'limits.task allows'],
  ])(
    "the takeover of a dead replica's tasks fails a task %s without reading its events",
    async (_, restart, reason) => {
      const [task] = await left(1);
      const agent = { ...scripted(() => []).agent, ...(restart && { restart }) };
      core = await startCore({ demo: agent }, { store, task: 50_000 });
      const reads = [vi.spyOn(store, 'load'), vi.spyOn(store, 'find'), vi.spyOn(store, 'events')];
      expect(await core.service.takeOver()).toBe(1);
      for (const read of reads) expect(read).not.toHaveBeenCalled();
      const stored = await store.load(task?.key ?? '');
      expect(stored?.state).toBe('TASK_STATE_FAILED');
      expect(stored?.task.status.message?.parts[0]?.text).toContain(reason);
      expect(stored?.task.artifacts?.[0]?.parts).toHaveLength(10);
    },
  );

  test("the takeover of a dead replica's tasks continues only as many tasks at a time as there is memory for", async () => {
    await left(3);
    let running = 0;
    let most = 0;
    const agent = defineAgent({
      name: 'Restarting',
      description: 'Works on what is left for a while',
      restart: true,
      async *execute() {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running -= 1;
        yield artifact({ name: 'rest', content: 'done' });
      },
    });
    const budget = new MemoryBudget(150_000);
    core = await startCore({ demo: agent }, { store, budget });
    await core.service.takeOver();
    await vi.waitFor(async () => {
      await core.service.takeOver();
      const { tasks } = await core.call('ListTasks', { status: 'TASK_STATE_COMPLETED' }, asAlice);
      expect(tasks).toHaveLength(3);
    });
    expect(most).toBe(1);
  });
});
