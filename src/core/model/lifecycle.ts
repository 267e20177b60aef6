import type { StreamResponse, TaskState } from './a2a.ts';

const anyButUnspecified: readonly TaskState[] = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
];

interface StateRow {
  /** The task is over and its log closed (A2A 1.0.1 section 4.1.3). */
  readonly terminal: boolean;
  /** The task waits for its client. */
  readonly interrupted: boolean;
  /** States that may follow. */
  readonly next: readonly TaskState[];
}

const row = (terminal: boolean, interrupted: boolean, next: readonly TaskState[]): StateRow => ({
  terminal,
  interrupted,
  next,
});

/** The table of legal transitions. Terminal states are final. */
export const lifecycle: Readonly<Record<TaskState, StateRow>> = {
  TASK_STATE_UNSPECIFIED: row(false, false, anyButUnspecified),
  TASK_STATE_SUBMITTED: row(false, false, anyButUnspecified),
  TASK_STATE_WORKING: row(
    false,
    false,
    anyButUnspecified.filter((state) => state !== 'TASK_STATE_SUBMITTED'),
  ),
  TASK_STATE_INPUT_REQUIRED: row(false, true, anyButUnspecified),
  TASK_STATE_AUTH_REQUIRED: row(false, true, anyButUnspecified),
  TASK_STATE_COMPLETED: row(true, false, []),
  TASK_STATE_FAILED: row(true, false, []),
  TASK_STATE_CANCELED: row(true, false, []),
  TASK_STATE_REJECTED: row(true, false, []),
};

/** Whether the task is over. */
export const isTerminal = (state: TaskState): boolean => lifecycle[state].terminal;

/** Whether nothing happens to the task until its client does something: over, or waiting for input. */
export const isResting = (state: TaskState): boolean => lifecycle[state].terminal || lifecycle[state].interrupted;

/**
 * Whether a task at rest may go on without its client, who is to do something elsewhere: an agent that wants an
 * authorization may get it from somebody else (A2A 1.0.1 section 7.6.1).
 */
export const mayContinueWithoutClient = (state: TaskState): boolean => state === 'TASK_STATE_AUTH_REQUIRED';

/** Whether `to` may follow `from`. */
export const isLegal = (from: TaskState, to: TaskState): boolean => lifecycle[from].next.includes(to);

/** The state in words that callers of every generation know: `input-required`, say. */
export const stateWord = (state: TaskState): string =>
  state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');

/** The state that an event brings its task into; undefined where it does not change it. */
export const stateOf = (event: StreamResponse): TaskState | undefined =>
  event.statusUpdate?.status.state ?? event.task?.status.state;
