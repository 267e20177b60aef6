import type { StreamResponse, Struct, Task } from './a2a.ts';
import { isObject } from './json.ts';
import { isInterrupted, isTerminal, stateOf } from './lifecycle.ts';

// Messages that reach a task while its agent works. Each is appended at once; the turn that works on it may follow later. The log
// says which one is in hand: by metadata of the status with which a waiting message is handed to the agent.

/** Metadata of a task: ids of the messages that its agent has not worked on, of a task that has ended. */
export const unansweredKey = 'a2a-gateway/unanswered';
/** Metadata of a task: the message in hand, and those that wait. Of interest while several messages have come. */
export const turnKey = 'a2a-gateway/turn';

/** A message of a log that waits for its turn. */
export interface WaitingMessage {
  /** Its position in the log. */
  readonly seq: number;
  /** Id of the message. */
  readonly id: string;
}

/** The messages in hand and waiting, as an event says it. */
export interface TurnMarker {
  /** Position of the message in hand; absent while the task waits for its client. */
  readonly seq?: number;
  /** Positions of the messages that the agent has taken besides it. */
  readonly taken?: readonly number[];
  readonly waiting: readonly WaitingMessage[];
}

const isWaiting = (value: unknown): value is WaitingMessage =>
  isObject(value) && Number.isSafeInteger(value.seq) && typeof value.id === 'string';

/** Reads the messages in hand from metadata. Undefined: the metadata name none. */
export function markerIn(metadata: Struct | undefined): TurnMarker | undefined {
  const marker = metadata?.[turnKey];
  if (!isObject(marker) || !Array.isArray(marker.waiting)) return undefined;
  const { seq, taken, waiting } = marker;
  return {
    ...(typeof seq === 'number' && { seq }),
    ...(Array.isArray(taken) && { taken: taken.filter(Number.isSafeInteger) as number[] }),
    waiting: waiting.filter(isWaiting),
  };
}

/** The messages that wait while a task waits for its client. */
export function waitingAtRest({ status, metadata }: Pick<Task, 'status' | 'metadata'>): readonly WaitingMessage[] {
  const marker = isInterrupted(status.state) ? markerIn(metadata) : undefined;
  return marker && marker.seq === undefined ? marker.waiting : [];
}

/** Ids of the messages of a task that its agent has not worked on. */
export function unansweredIn({ metadata }: Pick<Task, 'metadata'>): readonly string[] {
  const ids = metadata?.[unansweredKey];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** An event with metadata for its task. */
export function withTaskMetadata(event: StreamResponse, added: Struct): StreamResponse {
  const { task, statusUpdate } = event;
  if (task) return { task: { ...task, metadata: { ...task.metadata, ...added } } };
  if (!statusUpdate) return event;
  return { statusUpdate: { ...statusUpdate, metadata: { ...statusUpdate.metadata, ...added } } };
}

/**
 * An event with which a task rests, with the messages that wait: an end names them as unanswered, a question as waiting.
 *
 * @param refused ids of messages that the agent has refused while it went on
 */
export function withWaiting(
  event: StreamResponse,
  waiting: readonly WaitingMessage[],
  refused: readonly string[] = [],
): StreamResponse {
  const state = stateOf(event);
  if (state === undefined) return event;
  if (isTerminal(state)) {
    // An agent behind another gateway may name messages too.
    const named = unansweredIn(event.task ?? event.statusUpdate ?? {});
    const ids = new Set([...named, ...refused, ...waiting.map(({ id }) => id)]);
    return ids.size > 0 ? withTaskMetadata(event, { [unansweredKey]: [...ids] }) : event;
  }
  if (!isInterrupted(state) || waiting.length === 0) return event;
  return withTaskMetadata(event, { [turnKey]: { waiting: waiting.map(({ seq, id }) => ({ seq, id })) } });
}
