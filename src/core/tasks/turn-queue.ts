import type { Message, StreamResponse } from '../model/a2a.ts';
import type { A2AError } from '../model/errors.ts';
import { type WaitingMessage, withWaiting } from '../model/turns.ts';

/** An agent working on a task. A task has one run at a time; a run of an upstream agent may have several calls, a member each. */
export interface AgentRun {
  /** Position before the run's first event. */
  readonly after: number;
  /** Bytes that the run holds in memory. */
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
export interface WaitingTurn extends WaitingMessage {
  readonly message: Message;
  /** Bytes of the message. */
  readonly bytes: number;
  /** Begins the turn in the place of one that is over. */
  follow(former: AgentRun): void;
  /** The turn never comes: its task is over, or goes on elsewhere. */
  discard(): void;
}

/** The messages of a task that its agent does not work on: they wait for their turns, or the agent has refused them. */
export class TurnQueue {
  #waiting: readonly WaitingTurn[] = [];
  /** Ids of the messages that the agent has refused while it went on. */
  #refused: readonly string[] = [];
  /** Ids of messages that the agent gets as soon as they are durable. */
  readonly #unsent = new Set<string>();
  /** Messages that wait while the task has no run here, as its log says it. */
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

  /** @param isAnswer whether it is worked on before all that wait */
  add(run: WaitingTurn, isAnswer: boolean): void {
    this.#waiting = isAnswer ? [run, ...this.#waiting] : [...this.#waiting, run];
  }

  /** Takes the next message that waits, or the next that came after a position. */
  take(after = 0): WaitingTurn | undefined {
    const next = this.#waiting.find(({ seq }) => seq > after);
    if (next) this.#waiting = this.#waiting.filter((other) => other !== next);
    return next;
  }

  /** Remembers what the log of a task without a run says of waiting messages, for the event that ends it. */
  remember(waiting: readonly WaitingMessage[]): void {
    this.#atRest = waiting;
  }

  /** Notes that the agent gets a message as soon as that is durable. If the task ends before, its end names the message. */
  hold(id: string): void {
    this.#unsent.add(id);
  }

  /** The message is durable. */
  release(id: string): void {
    this.#unsent.delete(id);
  }

  /** Notes a message that the agent has refused, for the event that ends the task. */
  refuse(id: string): void {
    this.#refused = [...this.#refused, id];
  }

  /** An event of the task, with the messages that wait where it brings the task to rest. */
  complete(event: StreamResponse, hasRuns: boolean): StreamResponse {
    const waiting = hasRuns ? this.#waiting : this.#atRest;
    const lost = [...this.#refused, ...this.#unsent];
    return waiting.length + lost.length === 0 ? event : withWaiting(event, waiting, lost);
  }

  /** Forgets the messages that wait: the log has them. */
  discard(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run.discard();
  }
}
