import type { TaskOwner } from '../model/ids.ts';

/** Id of the state that an agent stores for a task, or for a context. */
export interface StateSpaceId {
  readonly owner: TaskOwner;
  readonly kind: 'task' | 'context';
  /** The task's key, or the context's id. */
  readonly id: string;
}

/**
 * Outcome of a change. `lost`: another replica works on the task, and nothing was changed. With `size`: the bytes that
 * the space would have had, which exceed its limit; nothing was changed.
 */
export type StateOutcome = 'done' | 'lost' | { readonly size: number };

/**
 * Small values that agents store, by names. A task's values are deleted with the task; those of a context when it has
 * no task left and nothing was written within the retention time.
 */
export interface AgentStates {
  /** Returns JSON text; undefined if there is no such value. */
  readState(space: StateSpaceId, name: string): Promise<string | undefined>;
  /**
   * Writes or deletes a value; the change is durable when the promise resolves.
   *
   * @param json the value as JSON text; undefined deletes it
   * @param limit bytes that the names and values of the space may have together
   */
  writeState(space: StateSpaceId, name: string, json: string | undefined, limit: number): Promise<StateOutcome>;
}
