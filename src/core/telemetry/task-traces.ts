import { type TraceContext, traceOf } from './trace-context.ts';

/** Tasks whose trace context is retained; the oldest are dropped. */
const maxTasks = 10_000;

/** The trace context of each task's latest turn, so that later work, such as push notifications, joins the trace. */
export class TaskTraces {
  readonly #traces = new Map<string, TraceContext>();

  /** Stores the trace context of a task's turn; a turn without a trace removes the former context. */
  note(key: string, turn: TraceContext): void {
    this.#traces.delete(key);
    if (turn.traceparent === undefined) return;
    this.#traces.set(key, traceOf(turn));
    if (this.#traces.size <= maxTasks) return;
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined) this.#traces.delete(oldest);
  }

  /** Empty where the turn was not traced or is not known. */
  of(key: string): TraceContext {
    return this.#traces.get(key) ?? {};
  }
}
