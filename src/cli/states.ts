import type { TaskState } from '../client/index.ts';

/** Task states as they are typed on the command line. */
const states = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
} as const satisfies Record<string, TaskState>;

export type StateWord = keyof typeof states;

export const stateWords = Object.keys(states) as StateWord[];

export const stateOf = (word: StateWord): TaskState => states[word];
