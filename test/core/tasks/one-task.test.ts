import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineAgent, say, status } from '../../../src/agents/define.ts';
import type { Artifact, Message, StreamResponse, Task, TaskState } from '../../../src/core/model/a2a.ts';
import { copyTask, fold } from '../../../src/core/model/fold.ts';
import { isLegal } from '../../../src/core/model/lifecycle.ts';
import { messagesOf } from '../../../src/core/model/task-diff.ts';
import { type Bench, collect, outline, startCore, taskIn, userMessage } from '../../support/core.ts';

/** Streams have one Task, with which they begin, whatever the agent reports. */

const ids = { taskId: '', contextId: '' };
/** The task ends with the last report. */
const states: readonly TaskState[] = ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'];

const message = (n: number, role: Message['role'] = 'ROLE_AGENT'): Message => ({
  messageId: `said-${n}`,
  role,
  parts: [{ text: `says ${n}` }],
});

const artifact = (artifactId: string, n: number): Artifact => ({ artifactId, parts: [{ text: `chunk ${n}` }] });

/** One thing that happens to the agent's task, and how the agent reports it. */
interface Step {
  readonly change: (n: number, task: Task) => Task;
  /** The event that reports the change: an update, the whole task, the next whole task, or both. */
  readonly told: 'update' | 'whole' | 'later' | 'twice';
}

const asEvent =
  (make: (n: number, task: Task) => StreamResponse) =>
  (n: number, task: Task): Task =>
    fold(copyTask(task), make(n, task));

const change: fc.Arbitrary<Step['change']> = fc.oneof(
  fc
    .record({ state: fc.constantFrom(...states), speaks: fc.boolean(), meta: fc.option(fc.nat(2)) })
    .map(({ state, speaks, meta }) =>
      asEvent((n, { status }) => ({
        statusUpdate: {
          ...ids,
          status: {
            state: isLegal(status.state, state) ? state : status.state,
            timestamp: new Date(n * 1_000).toISOString(),
            ...(speaks && { message: message(n) }),
          },
          ...(meta !== null && { metadata: { [`k${meta}`]: n } }),
        },
      })),
    ),
  fc
    .record({ id: fc.constantFrom('a', 'b'), append: fc.boolean() })
    .map(({ id, append }) => asEvent((n) => ({ artifactUpdate: { ...ids, artifact: artifact(id, n), append } }))),
  // Changes that no update can express: another sender's message, a message inserted before others, a field of a later
  // version.
  fc.constant(
    (n: number, task: Task): Task => ({ ...task, history: [...(task.history ?? []), message(n, 'ROLE_USER')] }),
  ),
  fc.constant((n: number, task: Task): Task => ({ ...task, history: [message(n), ...(task.history ?? [])] })),
  fc.constant((n: number, task: Task): Task => ({ ...task, priority: n }) as Task),
);

const steps = fc.array(fc.record({ change, told: fc.constantFrom('update', 'whole', 'later', 'twice') }), {
  maxLength: 12,
}) as fc.Arbitrary<Step[]>;

const completed = asEvent(() => ({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } }));

/** The update that a change is; undefined where it has none. */
function updateOf(before: Task, after: Task): StreamResponse | undefined {
  const { status, artifacts = [] } = after;
  if (status !== before.status)
    return { statusUpdate: { ...ids, status, ...(after.metadata && { metadata: after.metadata }) } };
  const changed = artifacts.find(
    (one) => !before.artifacts?.some((known) => JSON.stringify(known) === JSON.stringify(one)),
  );
  return changed && { artifactUpdate: { ...ids, artifact: changed } };
}

/** Events of an agent whose task goes through some steps, and the final task. */
function play(list: readonly Step[]): { readonly events: StreamResponse[]; readonly truth: Task } {
  let task: Task = { id: 'theirs', contextId: 'theirs', status: { state: 'TASK_STATE_SUBMITTED' } };
  const events: StreamResponse[] = [];
  list.forEach(({ change, told }, n) => {
    const before = task;
    task = change(n, task);
    const update = told === 'update' || told === 'twice' ? updateOf(before, task) : undefined;
    if (update) events.push(structuredClone(update));
    if (told === 'whole' || told === 'twice') events.push({ task: structuredClone(task) });
  });
  task = completed(list.length, task);
  events.push({ task: structuredClone(task) });
  return { events, truth: task };
}

/** The members of a task that are compared: its state, messages, artifacts and other fields. */
const essence = (task: Task) => {
  const { id: _, contextId: __, status, history: ___, artifacts = [], ...others } = task;
  const said = messagesOf(task).filter(({ messageId }) => messageId.startsWith('said-'));
  return {
    state: status.state,
    said: said.map(({ messageId }) => messageId),
    artifacts: Object.fromEntries(artifacts.map(({ artifactId, parts }) => [artifactId, parts])),
    others,
  };
};

const foldAll = (events: readonly StreamResponse[]): Task =>
  events.reduce((task: Task | undefined, event) => fold(task, structuredClone(event)), undefined) ??
  expect.fail('no events');

function expectOneTask(events: readonly StreamResponse[]): void {
  expect(events.map(({ task }) => task !== undefined)).toEqual(events.map((_, at) => at === 0));
}

/** An agent that yields these events. */
const agentOf = (events: readonly StreamResponse[]) =>
  defineAgent({
    name: 'Whole',
    description: 'Reports its task again and again',
    async *execute() {
      yield* structuredClone(events) as StreamResponse[];
    },
  });

const replayOf = async (core: Bench, id: string): Promise<StreamResponse[]> =>
  collect(await core.stream('SubscribeToTask', { id }, { replay: { after: 0 } }));

test('an agent that reports the whole task within its task adds updates to a stream whose only Task is the first event, and which folds to the task that the agent has', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const { events, truth } = play(list);
      const core = await startCore({ whole: agentOf(events) });
      const message = userMessage('go');
      const streamed = await collect(await core.stream('SendStreamingMessage', { message }));
      const { id } = streamed[0]?.task ?? expect.fail('no task');
      const log = await replayOf(core, id);
      expectOneTask(log);
      expectOneTask(streamed);
      const task = await core.call('GetTask', { id });
      expect(foldAll(log)).toEqual(task);
      const user = task.history?.find(({ messageId }) => messageId === message.messageId);
      expect(user?.parts).toEqual([{ text: 'go' }]);
      expect(essence(task)).toEqual(essence(truth));
      await core.close();
    }),
    { numRuns: 60 },
  );
});

test('an agent that reports the whole task within its task adds updates to the task that the gateway has opened for an idempotency key', async () => {
  const { events } = play([{ change: (n, task) => ({ ...task, artifacts: [artifact('a', n)] }), told: 'whole' }]);
  const core = await startCore({ whole: agentOf(events) });
  const stream = await core.stream('SendStreamingMessage', { message: userMessage('go') }, { idempotencyKey: 'k' });
  expect(outline(await collect(stream))).toEqual(['task', 'artifact', 'completed']);
});

test('an agent that reports the whole task within its task completes no task that it leaves waiting for its client', async () => {
  const asking = status('TASK_STATE_INPUT_REQUIRED', 'Which?');
  let turns = 0;
  const agent = defineAgent({
    name: 'Asks again',
    description: 'Reports its task as it is',
    async *execute({ task }) {
      turns += 1;
      if (turns === 1) yield asking;
      else yield { task: { ...(task as Task), status: { state: 'TASK_STATE_INPUT_REQUIRED' } } };
    },
  });
  const core = await startCore({ agent });
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  const again = taskIn(await core.call('SendMessage', { message: userMessage('and?', { taskId: id }) }));
  expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});

test('an agent that reports the whole task within its task keeps what a later report of its task leaves out', async () => {
  const begun: Task = {
    id: '',
    contextId: '',
    status: { state: 'TASK_STATE_WORKING', message: message(1) },
    artifacts: [artifact('a', 1)],
    metadata: { kept: true },
  };
  const done: Task = {
    id: '',
    contextId: '',
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [artifact('b', 2)],
  };
  const core = await startCore({ agent: agentOf([{ task: begun }, { task: done }]) });
  const task = taskIn(await core.call('SendMessage', { message: userMessage('go') }));
  expect(essence(task)).toEqual({
    state: 'TASK_STATE_COMPLETED',
    said: ['said-1'],
    artifacts: { a: [{ text: 'chunk 1' }], b: [{ text: 'chunk 2' }] },
    others: { metadata: { kept: true } },
  });
});

test('a direct Message is a stream of its own, without a Task', async () => {
  const core = await startCore({ agent: agentOf([say('hi')]) });
  expect(outline(await collect(await core.stream('SendStreamingMessage', { message: userMessage('go') })))).toEqual([
    'message',
  ]);
});
