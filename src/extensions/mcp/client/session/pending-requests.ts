import type { ToolFailure } from '../failures.ts';
import type { PendingCall } from './fetch.ts';
import { keyOf } from './messages.ts';

/** The requests of a session that have no answer yet. */
export class PendingRequests {
  readonly calls = new Set<PendingCall>();
  /** The calls of the SDK's messages, by the ids of the messages. */
  readonly #byId = new Map<unknown, PendingCall | undefined>();
  /** The newest id of all messages. */
  #newest = -1;

  /** Notes that a message with an id is being sent, for the call if there is one. */
  sent(id: unknown, call: PendingCall | undefined): void {
    const key = keyOf(id);
    if (typeof key === 'number') this.#newest = Math.max(this.#newest, key);
    this.#byId.set(key, call);
  }

  callOf(id: unknown): PendingCall | undefined {
    return this.#byId.get(keyOf(id));
  }

  /** Notes the answer to a message. Returns whether a message with this id was ever sent. */
  answered(id: unknown): boolean {
    const key = keyOf(id);
    return this.#byId.delete(key) || (typeof key === 'number' && key >= 0 && key <= this.#newest);
  }

  /** Removes a call. Returns the ids of its messages without an answer. */
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
   * Fails a request that will not be answered. If `id` is unknown, that is the only pending request; if there are several,
   * all of them fail if an answer was certainly lost.
   */
  failUnanswered(failure: ToolFailure, id: number | undefined, certain = true): void {
    if (id !== undefined) this.callOf(id)?.fail(failure);
    else if (certain || this.calls.size === 1) this.failAll(failure);
  }
}
