import { A2AError } from './errors.ts';
import { isObject, parsedJson } from './json.ts';

/** Reason why a row of the store cannot be read; its message may be shown to callers. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';
}

/**
 * Returns the error of a call about stored data that cannot be read.
 *
 * @param what name of the stored object, as operators know it
 */
export const unreadable = (what: string, why: string): A2AError =>
  new A2AError('unavailable', `${what} cannot be read from the store: ${why}`, { cause: new UnreadableRow(why) });

/** Whether a call failed because stored data cannot be read. */
export const isUnreadable = (thrown: unknown): boolean =>
  thrown instanceof UnreadableRow || (thrown instanceof A2AError && thrown.cause instanceof UnreadableRow);

/** Handler for `catch` that leaves out one unreadable item, so that the others can be returned. */
export function leaveOut(thrown: unknown): undefined {
  if (!isUnreadable(thrown)) throw thrown;
}

/**
 * Whether a call failed because the store is unavailable. Data that cannot be read is no outage: it cannot be read
 * later either.
 */
export const isOutage = (thrown: unknown): boolean =>
  A2AError.from(thrown).kind === 'unavailable' && !isUnreadable(thrown);

/**
 * Parses a JSON object of the store. Stored data is a format: an object has the number of its form under `form`, and
 * objects without one have form 1. A reader knows all forms that were ever written, and refuses those of newer
 * programs.
 *
 * @param what name of the stored object, as operators know it
 * @param newest the newest form that this program reads, which is the one that it writes
 * @throws A2AError `unavailable`, caused by an UnreadableRow
 */
export function readStored<T extends object>(what: string, text: string, newest = 1): T & { readonly form?: number } {
  const value = parsedJson(text);
  if (!isObject(value)) throw unreadable(what, 'it is not a JSON object');
  const { form = 1 } = value;
  if (typeof form === 'number' && form <= newest) return value as T;
  throw newerForm(what, `form ${form}`, `form ${newest}`);
}

/** Returns the error for data that a newer version of the gateway has stored. */
export function newerForm(what: string, its: string, own: string): A2AError {
  const problem = `${what} is stored in ${its}, which a newer version of the gateway wrote`;
  const cause = new UnreadableRow(`it is stored in ${its}; this version of the gateway reads up to ${own}`);
  return new A2AError('unavailable', `${problem}; this one reads up to ${own}: upgrade it`, { cause });
}
