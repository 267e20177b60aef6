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
  /** The task has ended and its log is closed (A2A 1.0.1 section 4.1.3). */
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

/** Whether the task has ended. */
export const isTerminal = (state: TaskState): boolean => lifecycle[state].terminal;

/** Whether the task waits for its client, or has ended. */
export const isResting = (state: TaskState): boolean => lifecycle[state].terminal || lifecycle[state].interrupted;

/**
 * Whether a resting task may go on without a message from its client: an agent that needs an authorization may get it
 * elsewhere (A2A 1.0.1 section 7.6.1).
 */
export const mayContinueWithoutClient = (state: TaskState): boolean => state === 'TASK_STATE_AUTH_REQUIRED';

/** Whether `to` may follow `from`. */
export const isLegal = (from: TaskState, to: TaskState): boolean => lifecycle[from].next.includes(to);

/** The state's name in older dialects, such as `input-required`. */
export const stateWord = (state: TaskState): string =>
  state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');

/** The task's state after an event; undefined where the event does not change it. */
export const stateOf = (event: StreamResponse): TaskState | undefined =>
  event.statusUpdate?.status.state ?? event.task?.status.state;
