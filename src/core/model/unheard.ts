import type { A2AError } from './errors.ts';

/** Errors of calls of which the agent provably heard nothing. */
const unheard = new WeakSet<A2AError>();

/** Marks an error: the agent heard nothing of the call, which may be made again. Returns the error. */
export function markUnheard(error: A2AError): A2AError {
  unheard.add(error);
  return error;
}

/** Whether the agent provably heard nothing of the call that failed with this error. */
export const isUnheard = (error: A2AError): boolean => unheard.has(error);
