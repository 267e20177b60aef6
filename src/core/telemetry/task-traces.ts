import { type TraceContext, traceOf } from './trace-context.ts';

/** Tasks that are remembered; of those before, nobody knows any more which call brought their events. */
const most = 10_000;

/**
 * Where the latest turn of each task is in a trace, as far as this process has seen it: what happens later on behalf of
 * a task, such as push notifications, is part of the same trace.
 */
export class TaskTraces {
  readonly #traces = new Map<string, TraceContext>();

  /** Remembers a turn by its task's key. One that is in no trace takes the place of one that was. */
  note(key: string, turn: TraceContext): void {
    this.#traces.delete(key);
    if (turn.traceparent === undefined) return;
    this.#traces.set(key, traceOf(turn));
    if (this.#traces.size <= most) return;
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined) this.#traces.delete(oldest);
  }

  /** Nothing where the turn was in no trace, or is not known. */
  of(key: string): TraceContext {
    return this.#traces.get(key) ?? {};
  }
}
