import type { Message, StreamResponse } from '../model/a2a.ts';
import type { A2AError } from '../model/errors.ts';
import { type WaitingMessage, withWaiting } from '../model/turns.ts';

/** An agent working on a task. */
export interface AgentRun {
  /** Position before the run's first event. */
  readonly after: number;
  /** Bytes of the task that the run holds in memory. */
  readonly bytes: number;
  /** Key of the task that its tree began with. */
  readonly root: string;
  abort(reason: A2AError): void;
  /** Fails the task. */
  fail(reason: A2AError): void;
  /** A message waits, which the run may take. */
  arrived?(): void;
  /** The client has answered what the run has asked: the run is aborted where it does not end by itself. */
  answered?(): void;
}

/** A turn whose message waits until the turns before it are over. */
export interface WaitingRun extends AgentRun, WaitingMessage {
  readonly message: Message;
  /** Begins the turn in the place of one that is over. */
  follow(former: AgentRun): void;
  /** The turn never comes: its task is over, or goes on elsewhere. */
  discard(): void;
}

const none: readonly never[] = [];

/**
 * The run of a task, and the messages that wait for it. A task has one run at a time, which works on one message; that of an
 * upstream agent may have several calls under way, a member each.
 */
export class TaskRuns {
  #working: readonly AgentRun[] = none;
  #waiting: readonly WaitingRun[] = none;
  /** Ids of the messages that the agent has refused while it went on. */
  #refused: readonly string[] = none;
  /** Messages that wait while the task waits for its client, as the task says it. */
  #atRest: readonly WaitingMessage[] = none;

  get working(): readonly AgentRun[] {
    return this.#working;
  }

  get waiting(): readonly WaitingRun[] {
    return this.#waiting;
  }

  get size(): number {
    return this.#working.length;
  }

  add(run: AgentRun): void {
    this.#working = [...this.#working, run];
  }

  remove(run: AgentRun): void {
    this.#working = this.#working.filter((other) => other !== run);
  }

  /** @param isAnswer whether it is worked on before all that wait */
  wait(run: WaitingRun, isAnswer = false): void {
    this.#waiting = isAnswer ? [run, ...this.#waiting] : [...this.#waiting, run];
    for (const working of this.#working) {
      if (isAnswer) working.answered?.();
      working.arrived?.();
    }
  }

  /** Takes the next message that waits, or the next that came after a position. */
  take(after = 0): WaitingRun | undefined {
    const next = this.#waiting.find(({ seq }) => seq > after);
    if (next) this.#waiting = this.#waiting.filter((other) => other !== next);
    return next;
  }

  /** Replaces a run that is over by the next one. */
  replace(run: AgentRun, next: AgentRun): void {
    this.#working = [...this.#working.filter((other) => other !== run), next];
  }

  /** Remembers what the task, which has no run here, says of waiting messages, for the event that ends it. */
  remember(waiting: readonly WaitingMessage[]): void {
    this.#atRest = waiting;
  }

  /** Notes a message that the agent has refused, for the event that ends the task. */
  refuse(id: string): void {
    this.#refused = [...this.#refused, id];
  }

  /** An event of the task, with the messages that wait where it brings the task to rest. */
  complete(event: StreamResponse): StreamResponse {
    const waiting = this.#working.length > 0 ? this.#waiting : this.#atRest;
    if (waiting.length + this.#refused.length === 0) return event;
    return withWaiting(event, waiting, this.#refused);
  }

  /** Ends all that is under way in this process. */
  abort(reason: A2AError): void {
    for (const run of this.#working) run.abort(reason);
    // An agent that ignores its signal must not keep the task in memory.
    this.#working = none;
    this.discardWaiting();
  }

  /** Forgets the messages that wait: the log has them. */
  discardWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = none;
    for (const run of waiting) run.discard();
  }
}
