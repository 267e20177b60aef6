import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskState } from '../../../src/core/model/a2a.ts';
import { isLegal, isResting, isTerminal, lifecycle } from '../../../src/core/model/lifecycle.ts';

const states = Object.keys(lifecycle) as TaskState[];
const anyState = fc.constantFrom(...states);

test('nothing follows a terminal state, and nothing becomes unspecified', () => {
  fc.assert(
    fc.property(anyState, anyState, (from, to) => {
      if (isTerminal(from) || to === 'TASK_STATE_UNSPECIFIED') expect(isLegal(from, to)).toBe(false);
      if (isTerminal(from)) expect(isResting(from)).toBe(true);
    }),
  );
});

test('every state that is under way can reach every terminal one', () => {
  const terminal = states.filter(isTerminal);
  for (const from of states.filter((state) => !isTerminal(state))) {
    for (const to of terminal) expect(isLegal(from, to)).toBe(true);
  }
});

test('the terminal and the interrupted states are those of the specification', () => {
  expect(states.filter(isTerminal)).toEqual([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ]);
  expect(states.filter((state) => lifecycle[state] === 'interrupted')).toEqual([
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
  ]);
});
