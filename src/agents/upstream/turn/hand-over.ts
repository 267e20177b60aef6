import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamResponse, Task } from '../../../core/model/a2a.ts';
import { isTerminal, stateOf } from '../../../core/model/lifecycle.ts';

/** Milliseconds in which the earlier messages must arrive when the agent reports the end of the task. */
const deliveryTimeout = 5_000;

/** The members of a turn that the other turns of its run use. */
interface RunTurn {
  /** Resolves when the turn is over. */
  readonly ended: Promise<void>;
  /** The task with all events that the turn has seen. */
  readonly task: Task;
  readonly handOver: HandOver;
}

/**
 * The state of a turn among the turns of its run. A message that arrives while the agent works begins another turn, which follows
 * the task from then on. The earlier turn goes on until its answer shows whether the agent has received its message.
 */
export class HandOver {
  /** The turn that has taken the task over. Undefined: this turn follows it. */
  successor: RunTurn | undefined;
  /** Whether the message has failed after the hand-over, so that the turn has an event of its own to report. */
  hasFailed = false;
  /** The part of the answer that will show that the agent has the message. Undefined: it has arrived, or nothing is sent. */
  #awaits: 'answer' | 'event' | undefined;
  /** Earlier turns of the run, whose messages may not have arrived yet. */
  #earlier: readonly RunTurn[] = [];

  /** Whether the answer has shown that the agent has the message, or nothing is sent. */
  get isDelivered(): boolean {
    return this.#awaits === undefined;
  }

  /** Whether earlier messages of the run may not have arrived yet. */
  get hasEarlier(): boolean {
    return this.#earlier.length > 0;
  }

  /** The turn that follows the task now, after the hand-over. */
  get last(): RunTurn | undefined {
    return this.successor?.handOver.last ?? this.successor;
  }

  /** Notes that the message is about to be sent. */
  sends(): void {
    this.#awaits = 'answer';
  }

  /** Notes that the agent has answered. A stream shows by its first event that the agent has the message. */
  answered(isStream: boolean): void {
    this.#awaits = isStream ? 'event' : undefined;
  }

  /** Notes that an event of the answer has arrived. */
  read(): void {
    if (this.#awaits === 'event') this.#awaits = undefined;
  }

  /** Notes that the message has failed. */
  failed(): void {
    this.#awaits = undefined;
  }

  /** Notes that this turn follows the task after a former turn of the run. */
  follow(former: RunTurn): void {
    const { handOver } = former;
    this.#earlier = handOver.isDelivered ? handOver.#earlier : [...handOver.#earlier, former];
  }

  /**
   * Called before the event that ends the task. Resolves when it is known whether the agent has received the earlier messages.
   */
  async untilDelivered(event: StreamResponse): Promise<void> {
    const state = stateOf(event);
    if (state === undefined || !isTerminal(state)) return;
    const ends = this.#earlier.map(({ ended }) => ended);
    this.#earlier = [];
    await Promise.race([Promise.all(ends), sleep(deliveryTimeout, undefined, { ref: false })]);
  }
}
