import type { StreamResponse, TaskState } from './a2a.ts';

/** Phases of states. `interrupted`: the task waits for its client. `terminal`: its log is closed (section 4.1.3). */
export const lifecycle: Readonly<Record<TaskState, 'unknown' | 'active' | 'interrupted' | 'terminal'>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'active',
  TASK_STATE_WORKING: 'active',
  TASK_STATE_INPUT_REQUIRED: 'interrupted',
  TASK_STATE_AUTH_REQUIRED: 'interrupted',
  TASK_STATE_COMPLETED: 'terminal',
  TASK_STATE_FAILED: 'terminal',
  TASK_STATE_CANCELED: 'terminal',
  TASK_STATE_REJECTED: 'terminal',
};

/** Whether a state is one that a task can enter: agents may send others. */
export const isKnownState = (state: TaskState | undefined): boolean =>
  state !== undefined && Object.hasOwn(lifecycle, state) && lifecycle[state] !== 'unknown';

export const isTerminal = (state: TaskState): boolean => lifecycle[state] === 'terminal';

/** Whether the task waits for its client. */
export const isInterrupted = (state: TaskState): boolean => lifecycle[state] === 'interrupted';

/** The states in which a task waits for its client. */
export const interruptedStates = (Object.keys(lifecycle) as TaskState[]).filter(isInterrupted);

/** Whether the task waits for its client, or has ended. */
export const isResting = (state: TaskState): boolean =>
  lifecycle[state] === 'terminal' || lifecycle[state] === 'interrupted';

/** Whether a status in this state should explain itself: the task waits, or ended without completing. */
export const hasReason = (state: TaskState): boolean => isResting(state) && state !== 'TASK_STATE_COMPLETED';

/** Whether a resting task may go on without its client: an agent may get an authorization elsewhere (section 7.6.1). */
export const mayContinueWithoutClient = (state: TaskState): boolean => state === 'TASK_STATE_AUTH_REQUIRED';

/** Whether `to` may follow `from`. A working task is not submitted again. */
export const isLegal = (from: TaskState, to: TaskState): boolean =>
  !isTerminal(from) && isKnownState(to) && !(from === 'TASK_STATE_WORKING' && to === 'TASK_STATE_SUBMITTED');

/** The state's name in older dialects, such as `input-required`. */
export const stateWord = (state: TaskState): string =>
  state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');

/** Returns the task's state after an event; undefined if the event does not change it. */
export const stateOf = (event: StreamResponse): TaskState | undefined =>
  event.statusUpdate?.status.state ?? event.task?.status.state;
