import { expect, it } from 'vitest';
import { errorForCaller, withOwnTaskId } from '../../../src/agents/upstream/errors.ts';
import { A2AError } from '../../../src/core/model/errors.ts';

/** The ids of agents' tasks in the texts of their errors. */

const ours = '01a2223e-d03c-7000-be74-4d0989663bbd';

it.each([
  [
    '1',
    'Task 1 cannot be canceled, 10 of 100 steps are done',
    `Task ${ours} cannot be canceled, 10 of 100 steps are done`,
  ],
  ['1', 'Task not found: 1', `Task not found: ${ours}`],
  ['1', 'no task with id "1" (taskId=1)', `no task with id "${ours}" (taskId=${ours})`],
  ['7', "Task with ID '7' was archived in 7 days", `Task with ID '${ours}' was archived in 7 days`],
  ['theirs-17', 'theirs-17 wants a number.', `${ours} wants a number.`],
  ['theirs-17', 'GET /tasks/theirs-17: gone, see /tasks/theirs-17.', `GET /tasks/${ours}: gone, see /tasks/${ours}.`],
  ['9b2f6c1e-77aa-4b8e-9a41-0c6f', '(9b2f6c1e-77aa-4b8e-9a41-0c6f)', `(${ours})`],
])("the task's id at the agent, %s, is replaced in the error text %j", (id, text, expected) => {
  expect(withOwnTaskId(text, id, ours)).toBe(expected);
});

it.each([
  ['1', 'Model gpt-4.1 answered HTTP 401 after 11 tries'],
  ['1', 'step 1 of 3 failed'],
  ['1', 'task 12, task 1.5, task-1'],
  ['401', 'Task failed with HTTP 401'],
  ['weather', 'the weather service is down'],
  ['forecasts', 'the forecasts are late'],
  ['12345678', 'account 12345678 is locked'],
  ['theirs-17', 'theirs-171, not-theirs-17, theirs-17.example.com'],
  ['task', 'the task failed'],
  ['a', 'a task is a task'],
])('the text %s stays in the error text %j, where it means something else', (id, text) => {
  expect(withOwnTaskId(text, id, ours)).toBe(text);
});

it("the task's id at the agent is replaced in metadata that is the id, and in field violations", () => {
  const error = new A2AError('invalidParams', 'task 1: no', {
    metadata: { taskId: '1', step: 'step 1' },
    violations: [{ field: 'message.parts[1]', description: 'task 1 has no part 1' }],
  });
  const told = errorForCaller(error, {
    upstreamTask: { id: '1', contextId: '' },
    taskId: ours,
    perCaller: false,
    addresses: [],
    hide: (text) => text,
  });
  expect(told.metadata).toEqual({ taskId: ours, step: 'step 1' });
  expect(told.violations).toEqual([{ field: 'message.parts[1]', description: `task ${ours} has no part 1` }]);
});

it("the details of an agent's error reach the caller with its own ids, and without addresses and credentials", () => {
  const help = {
    '@type': 'type.googleapis.com/google.rpc.Help',
    links: [{ url: 'http://10.0.0.7:9000/docs?key=hidden-key', description: 'Task theirs-17 with hidden-key' }],
    left: 3,
  };
  const error = new A2AError('internal', 'broke', { details: [help] });
  const mapped = errorForCaller(error, {
    upstreamTask: { id: 'theirs-17', contextId: 'theirs' },
    taskId: ours,
    perCaller: false,
    addresses: ['http://10.0.0.7:9000'],
    hide: (text) => text.replaceAll('hidden-key', '[secret]'),
  });
  expect(mapped.extraDetails).toEqual([
    {
      '@type': help['@type'],
      links: [{ url: 'the upstream agent', description: `Task ${ours} with [secret]` }],
      left: 3,
    },
  ]);
});
