import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Artifact, Message, StreamResponse, Task, TaskState } from '../../../src/core/model/a2a.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { isLegal, isTerminal } from '../../../src/core/model/lifecycle.ts';
import { difference, mergeTasks } from '../../../src/core/model/task-diff.ts';

/**
 * Differences between an upstream's task and the known one, as events: folding them into the known task gives the
 * upstream's.
 */

/** A task that has left its beginning does not go back to it. */
const states: readonly TaskState[] = [
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
];
const ids = { taskId: 't', contextId: 'c' };
const message = (n: number, role: Message['role'] = 'ROLE_AGENT'): Message => ({
  messageId: `m${n}`,
  role,
  parts: [{ text: `says ${n}` }],
  ...ids,
});
const opening = message(0, 'ROLE_USER');
const artifact = (artifactId: string, texts: readonly string[]): Artifact => ({
  artifactId,
  parts: texts.map((text) => ({ text })),
});

/** One thing that happens to a task. */
const step: fc.Arbitrary<(n: number, task: Task) => StreamResponse> = fc.oneof(
  fc
    .record({ state: fc.constantFrom(...states), speaks: fc.boolean(), meta: fc.option(fc.nat(3)) })
    .map(({ state, speaks, meta }) => (n: number, task: Task) => ({
      statusUpdate: {
        ...ids,
        status: {
          state: isLegal(task.status.state, state) ? state : task.status.state,
          timestamp: new Date(n).toISOString(),
          ...(speaks && { message: message(n) }),
        },
        ...(meta !== null && { metadata: { [`k${meta}`]: n } }),
      },
    })),
  fc.record({ id: fc.constantFrom('a', 'b', 'c'), append: fc.boolean() }).map(({ id, append }) => (n: number) => ({
    artifactUpdate: { ...ids, artifact: artifact(id, [`chunk ${n}`]), append },
  })),
);

const start = (): Task => ({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' }, history: [opening] });

/** A task, and the same a while later. */
const twoLooks = fc.tuple(fc.array(step, { maxLength: 8 }), fc.array(step, { maxLength: 8 })).map(([one, two]) => {
  let n = 0;
  const apply = (task: Task, steps: typeof one): Task =>
    steps.reduce((known, make) => {
      n += 1;
      return isTerminal(known.status.state) ? known : fold(known, make(n, known));
    }, task);
  const known = apply(start(), one);
  return { known, theirs: apply(structuredClone(known), two) };
});

/** The members of a task that are compared: state, messages in order, artifacts, metadata. */
const canonical = ({ status, history = [], artifacts = [], metadata = {} }: Task): object => ({
  state: status.state,
  said: [...history, ...(status.message ? [status.message] : [])].map(({ messageId }) => messageId),
  current: status.message?.messageId,
  artifacts,
  metadata,
});

const after = (known: Task, events: readonly StreamResponse[]): Task =>
  events.reduce((task: Task, event) => fold(task, structuredClone(event)), structuredClone(known));

it('the difference between a task and what its agent says of it has no Task in it, and folded makes them equal', () => {
  fc.assert(
    fc.property(twoLooks, ({ known, theirs }) => {
      const events = difference(known, theirs);
      expect(events.filter(({ task }) => task)).toEqual([]);
      const { current, ...task } = canonical(after(known, events)) as { current?: string };
      const { current: wanted, ...theirTask } = canonical(theirs) as { current?: string };
      expect(task).toEqual(theirTask);
      if (wanted !== undefined) expect(current).toBe(wanted);
      expect(difference(after(known, events), theirs)).toEqual([]);
    }),
  );
});

it('the difference between a task and what its agent says of it is empty when nothing is new, however late the task arrives', () => {
  fc.assert(
    fc.property(twoLooks, ({ known }) => {
      expect(difference(known, structuredClone(known))).toEqual([]);
      const later = { ...known, status: { ...known.status, timestamp: '2031-01-01T00:00:00.000Z' } };
      expect(difference(known, later)).toEqual([]);
    }),
  );
});

it('the difference between a task and what its agent says of it leads through legal states only', () => {
  fc.assert(
    fc.property(twoLooks, ({ known, theirs }) => {
      let { state } = known.status;
      for (const event of difference(known, theirs)) {
        const next = event.statusUpdate?.status.state ?? event.task?.status.state;
        if (next === undefined) continue;
        expect(isLegal(state, next)).toBe(true);
        state = next;
      }
    }),
  );
});

it('the difference between a task and what its agent says of it knows messages by what they say where a dialect gives them no ids', () => {
  fc.assert(
    fc.property(twoLooks, ({ known, theirs }) => {
      let n = 0;
      const renamed = (one: Message): Message => ({ ...one, messageId: `other-${n++}` });
      const { message: said, ...status } = theirs.status;
      const nameless: Task = {
        ...theirs,
        status: { ...status, ...(said && { message: renamed(said) }) },
        ...(theirs.history && { history: theirs.history.map(renamed) }),
      };
      const merged = after(known, difference(known, nameless));
      const words = (task: Task): unknown =>
        [...(task.history ?? []), ...(task.status.message ? [task.status.message] : [])].map(({ parts }) => parts);
      expect(words(merged)).toEqual(words(theirs));
      expect(difference(merged, nameless)).toEqual([]);
    }),
  );
});

it('the difference between a task and what its agent says of it takes over nothing that cannot be: states that are over or unknown, or that go back', () => {
  const working: Task = { ...start(), status: { state: 'TASK_STATE_WORKING' } };
  const done: Task = { ...start(), status: { state: 'TASK_STATE_COMPLETED' } };
  expect(difference(done, working)).toEqual([]);
  expect(difference(working, start())).toEqual([]);
  const unknown: Task = { ...start(), status: { state: 'TASK_STATE_UNSPECIFIED' } };
  expect(difference(working, unknown)).toEqual([]);
});

it('the difference between a task and what its agent says of it reports a changed field that this version of A2A does not know, once, and keeps it', () => {
  const known: Task = { ...start(), status: { state: 'TASK_STATE_WORKING' } };
  const theirs = { ...known, priority: 'high' };
  const merged = after(known, difference(known, theirs));
  expect(merged).toEqual(theirs);
  expect(difference(merged, theirs)).toEqual([]);
  const forgotten = { ...known, artifacts: [artifact('a', ['x'])] };
  expect(after(merged, difference(merged, forgotten))).toEqual({
    ...theirs,
    artifacts: forgotten.artifacts,
  });
});

it('the difference between a task and what its agent says of it keeps what the agent has forgotten', () => {
  const known: Task = { ...start(), artifacts: [artifact('a', ['x'])], metadata: { k: 1 } };
  const theirs: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED', message: message(7) } };
  const merged = after(known, difference(known, theirs));
  expect(merged).toMatchObject({ history: [opening], artifacts: known.artifacts, metadata: { k: 1 } });
  expect(mergeTasks(known, theirs)).toMatchObject({ history: [opening], artifacts: known.artifacts });
});

it('the difference between a task and what its agent says of it contains the new parts of a grown artifact, and a changed artifact as a whole', () => {
  const known: Task = { ...start(), artifacts: [artifact('a', ['x'])] };
  const grown: Task = { ...start(), artifacts: [artifact('a', ['x', 'y'])] };
  expect(difference(known, grown)).toEqual([
    { artifactUpdate: { ...ids, artifact: artifact('a', ['y']), append: true } },
  ]);
  const other: Task = { ...start(), artifacts: [artifact('a', ['y'])] };
  expect(difference(known, other)).toEqual([{ artifactUpdate: { ...ids, artifact: artifact('a', ['y']) } }]);
});

it('a message that the known task has both in its history and in its status is in the merged task once', () => {
  const said = message(1);
  const status = { state: 'TASK_STATE_WORKING' as const, message: structuredClone(said) };
  const known: Task = { id: 't', contextId: 'c', status, history: [said] };
  const reported: Task = { id: 't', contextId: 'c', status, history: [said], artifacts: [artifact('a', ['new'])] };
  expect(mergeTasks(known, reported).history).toEqual([said]);
});
