import { expect, test } from 'vitest';
import type { Message, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { fold, withHistory } from '../../../src/core/model/fold.ts';

const ids = { taskId: 't', contextId: 'c' };
const said = (messageId: string): Message => ({ messageId, role: 'ROLE_AGENT', parts: [{ text: messageId }] });
const base = (): StreamResponse => ({
  task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' }, history: [said('user')] },
});
const folded = (...events: StreamResponse[]): Task => {
  const task = [base(), ...events].reduce<Task | undefined>((current, event) => fold(current, event), undefined);
  if (!task) throw new TypeError('nothing folded');
  return task;
};

test('a task has the generation of its latest event, where agents count', () => {
  const status = { state: 'TASK_STATE_WORKING' as const };
  const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
  expect(folded({ statusUpdate: { ...ids, status } })).not.toHaveProperty('generation');
  expect(folded({ statusUpdate: { ...ids, status, generation: '2' } })).toMatchObject({ generation: '2' });
  const events = [
    { statusUpdate: { ...ids, status, generation: '2' } },
    { artifactUpdate: { ...ids, artifact, generation: '3' } },
  ];
  expect(folded(...events)).toMatchObject({ generation: '3' });
});

test('a status message goes to the history when something follows it', () => {
  const task = folded(
    { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING', message: said('one') } } },
    {
      statusUpdate: {
        ...ids,
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: said('two') },
        metadata: { a: 1 },
      },
    },
    { message: said('answer') },
  );
  expect(task.history?.map(({ messageId }) => messageId)).toEqual(['user', 'one', 'two', 'answer']);
  expect(task.status).toEqual({ state: 'TASK_STATE_INPUT_REQUIRED' });
  expect(task.metadata).toEqual({ a: 1 });
});

test('chunks are added to their artifact, and a repetition without append replaces it', () => {
  const chunk = (text: string, append: boolean): StreamResponse => ({
    artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text }] }, append },
  });
  expect(folded(chunk('1', false), chunk('2', true)).artifacts?.[0]?.parts).toEqual([{ text: '1' }, { text: '2' }]);
  expect(folded(chunk('1', true)).artifacts?.[0]?.parts).toEqual([{ text: '1' }]);
  expect(folded(chunk('1', false), chunk('2', false)).artifacts?.[0]?.parts).toEqual([{ text: '2' }]);
});

test('folding changes no event', () => {
  const events = [
    base(),
    { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: '1' }] } } },
    { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: '2' }] }, append: true } },
    { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' as const, message: said('one') } } },
    { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' as const } } },
  ];
  const before = structuredClone(events);
  events.reduce<Task | undefined>((task, event) => fold(task, event), undefined);
  expect(events).toEqual(before);
});

test('a log that does not begin with a task is refused', () => {
  expect(() => fold(undefined, { message: said('x') })).toThrow(TypeError);
});

test('history: all, none, the last ones', () => {
  const task = folded({ message: said('b') }, { message: said('c') });
  const names = (length: number | undefined): string[] | undefined =>
    withHistory(task, length).history?.map(({ messageId }) => messageId);
  expect(names(undefined)).toEqual(['user', 'b', 'c']);
  expect(names(0)).toBeUndefined();
  expect(names(2)).toEqual(['b', 'c']);
  expect(names(9)).toEqual(['user', 'b', 'c']);
  expect(task.history).toHaveLength(3);
});
