import type { Message, StreamResponse } from '../model/a2a.ts';
import type { A2AError } from '../model/errors.ts';
import { type WaitingMessage, withWaiting } from '../model/turns.ts';

/**
 * An agent working on a task. A task has one run at a time; a run of an upstream agent may have several calls, each of which is
 * an AgentRun.
 */
export interface AgentRun {
  /** Position before the run's first event. */
  readonly after: number;
  /** Bytes that the run holds in memory. */
  readonly bytes: number;
  /** Key of the task at the root of the tree. */
  readonly root: string;
  abort(reason: A2AError): void;
  /** Fails the task. */
  fail(reason: A2AError): void;
  /** Called when a message waits that the run may take. */
  arrived?(): void;
  /** Called when the client has answered the run's question. The run is aborted if it does not end by itself. */
  answered?(): void;
}

/** A turn whose message waits until the earlier turns are over. */
export interface WaitingTurn extends WaitingMessage {
  readonly message: Message;
  /** Bytes of the message. */
  readonly bytes: number;
  /** Begins the turn in place of one that is over. */
  follow(former: AgentRun): void;
  /** Called if the turn never begins, because its task is over or goes on elsewhere. */
  discard(): void;
}

/**
 * The messages of a task that its agent is not working on: those that wait for their turns, and those that the agent has refused.
 */
export class TurnQueue {
  #waiting: readonly WaitingTurn[] = [];
  /** Ids of the messages that the agent has refused while it went on. */
  #refused: readonly string[] = [];
  /** Ids of messages that the agent gets as soon as they are durable. */
  readonly #unsent = new Set<string>();
  /** Messages that wait while the task has no run here, as the log lists them. */
  #atRest: readonly WaitingMessage[] = [];

  get waiting(): readonly WaitingTurn[] {
    return this.#waiting;
  }

  /** Bytes of the messages that wait. */
  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#waiting) sum += bytes;
    return sum;
  }

  /** @param isAnswer whether the turn comes before all that wait */
  add(run: WaitingTurn, isAnswer: boolean): void {
    this.#waiting = isAnswer ? [run, ...this.#waiting] : [...this.#waiting, run];
  }

  /** Removes and returns the next turn that waits, or the next whose message is after a position. */
  take(after = 0): WaitingTurn | undefined {
    const next = this.#waiting.find(({ seq }) => seq > after);
    if (next) this.#waiting = this.#waiting.filter((other) => other !== next);
    return next;
  }

  /** Remembers the waiting messages of a task without a run, as its log lists them, for the event that ends the task. */
  remember(waiting: readonly WaitingMessage[]): void {
    this.#atRest = waiting;
  }

  /**
   * Notes a message that the agent gets as soon as the message is durable. If the task ends before, its last event names the
   * message.
   */
  hold(id: string): void {
    this.#unsent.add(id);
  }

  /** Notes that a message is durable. */
  release(id: string): void {
    this.#unsent.delete(id);
  }

  /** Notes a message that the agent has refused, for the event that ends the task. */
  refuse(id: string): void {
    this.#refused = [...this.#refused, id];
  }

  /** An event of the task, with the messages that wait if the event brings the task to rest. */
  complete(event: StreamResponse, hasRuns: boolean): StreamResponse {
    const waiting = hasRuns ? this.#waiting : this.#atRest;
    const lost = [...this.#refused, ...this.#unsent];
    return waiting.length + lost.length === 0 ? event : withWaiting(event, waiting, lost);
  }

  /** Forgets the messages that wait. They stay in the log. */
  discard(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run.discard();
  }
}
