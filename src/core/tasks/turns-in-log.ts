import type { Message, StreamResponse } from '../model/a2a.ts';
import type { LoggedEvent } from '../model/call.ts';
import { markerIn } from '../model/turns.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { isRest } from './task-log.ts';
import type { LoggedMessage } from './turn-messages.ts';

/** The messages of a task, as its log lists them. */
export interface TurnsInLog {
  /** Position of the message that the agent works on. Undefined if it works on none. */
  readonly inHand: number | undefined;
  /** Position at which the agent got that message. */
  readonly handedAt: number;
  /** Whether the log has no event of the agent since then. */
  readonly isUnanswered: boolean;
  /** Messages that the agent has taken in addition to it. */
  readonly taken: readonly LoggedMessage[];
  /** Messages that wait, in order of arrival. */
  readonly waiting: readonly LoggedMessage[];
}

/** Number of events in a page. */
const page = 500;

/** Replays a log for its messages. */
class Replayed {
  inHand: number | undefined;
  handedAt = 0;
  isUnanswered = true;
  taken: LoggedMessage[] = [];
  waiting: LoggedMessage[] = [];

  add({ seq, event }: LoggedEvent): void {
    if (event.message) this.#addMessage(seq, event.message);
    else if (seq > 1) this.#addEvent(seq, event);
    // The agent may have answered with a task that rests, in the event that opens the task.
    else if (!isRest(event)) this.#hand(1, 1);
  }

  #addMessage(seq: number, message: Message): void {
    // If the task rests, or no message is in hand, the agent gets the message at once.
    if (this.inHand === undefined) this.#hand(seq, seq);
    else this.waiting.push({ seq, id: message.messageId, message });
  }

  #addEvent(seq: number, event: StreamResponse): void {
    this.isUnanswered = false;
    if (isRest(event)) {
      this.inHand = undefined;
      this.taken = [];
      return;
    }
    const marker = markerIn(event.statusUpdate?.metadata);
    if (marker?.seq === undefined) return;
    const { taken = [] } = marker;
    this.taken.push(...this.waiting.filter((one) => taken.includes(one.seq)));
    this.waiting = this.waiting.filter((one) => one.seq !== marker.seq && !taken.includes(one.seq));
    if (marker.seq !== this.inHand) this.#hand(marker.seq, seq);
  }

  #hand(message: number, at: number): void {
    this.inHand = message;
    this.handedAt = at;
    this.isUnanswered = true;
    this.taken = [];
  }
}

/** Reads which messages of a task are in hand, and which wait. */
export async function readTurns(store: Pick<TaskStore, 'events'>, key: string): Promise<TurnsInLog> {
  const turns = new Replayed();
  for (let after = 0; ; ) {
    const events = await store.events(key, after, page);
    for (const logged of events) turns.add(logged);
    after = events.at(-1)?.seq ?? after;
    if (events.length < page && !events.isCut) return turns;
  }
}
