import type { ToolFailure } from '../failures.ts';
import type { PendingCall } from './fetch.ts';
import { keyOf } from './messages.ts';

/** The unanswered requests of a session. */
export class PendingRequests {
  readonly calls = new Set<PendingCall>();
  /** Calls by the ids of the messages that the SDK sent for them. */
  readonly #byId = new Map<unknown, PendingCall | undefined>();
  /** The highest id of all messages. */
  #newest = -1;

  /** Records that a message is being sent, and the call to which it belongs. */
  sent(id: unknown, call: PendingCall | undefined): void {
    const key = keyOf(id);
    if (typeof key === 'number') this.#newest = Math.max(this.#newest, key);
    this.#byId.set(key, call);
  }

  callOf(id: unknown): PendingCall | undefined {
    return this.#byId.get(keyOf(id));
  }

  /** Records the answer to a message. Returns whether a message with this id was ever sent. */
  answered(id: unknown): boolean {
    const key = keyOf(id);
    return this.#byId.delete(key) || (typeof key === 'number' && key >= 0 && key <= this.#newest);
  }

  /** Removes a call. Returns the ids of its unanswered messages. */
  remove(call: PendingCall): unknown[] {
    this.calls.delete(call);
    const ids = [...this.#byId].flatMap(([id, one]) => (one === call ? [id] : []));
    for (const id of ids) this.#byId.delete(id);
    return ids;
  }

  failAll(failure: ToolFailure): void {
    for (const call of this.calls) call.fail(failure);
  }

  /**
   * Fails a request that will not be answered. Without an `id`, this is the only pending request; if several are
   * pending, all of them fail, provided that a response was certainly lost.
   */
  failUnanswered(failure: ToolFailure, id: number | undefined, certain = true): void {
    if (id !== undefined) this.callOf(id)?.fail(failure);
    else if (certain || this.calls.size === 1) this.failAll(failure);
  }
}
