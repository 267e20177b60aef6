import type { TaskState } from '../../core/model/a2a.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';

/** In which states a status update of a stream is its last. */
export type EndsAt = (state: TaskState) => boolean;

/** A message/stream ends when the task rests. */
export const endsAtRest: EndsAt = isResting;

/** A tasks/resubscribe stays open until the task is over. */
export const endsWithTask: EndsAt = isTerminal;
