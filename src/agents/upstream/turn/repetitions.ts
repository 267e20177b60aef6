import type {
  Artifact,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from '../../../core/model/a2a.ts';
import { sha256 } from '../../../core/model/crypto.ts';
import { contentIdAt, historyId, splitContentId } from '../../../core/model/ids.ts';
import { sameJson } from '../../../core/model/json.ts';
import { isResting, isTerminal } from '../../../core/model/lifecycle.ts';
import { artifactIn, changedIn, messagesOf, sameContent, stateAfter } from '../../../core/model/task-diff.ts';

/** Facts about the stream of an event. */
export interface StreamFacts {
  /** Whether the task existed before this turn: the agent may repeat events of earlier turns. */
  readonly continues: boolean;
  /** Whether the stream continues a task that was followed before. The whole task is read before and after such a stream. */
  readonly resumed: boolean;
  /** Whether no event of this turn was new so far. */
  readonly opening: boolean;
}

/**
 * Parts that a resumed stream seems to repeat: their number so far, and the positions among the known parts at which they may
 * begin.
 */
interface Replay {
  readonly from: readonly number[];
  readonly count: number;
  /** Whether the agent began the artifact again instead of appending to it. */
  readonly anew: boolean;
}

/**
 * Recognizes events that an agent repeats. Some agents repeat their events in each stream.
 *
 * Messages are compared by id and content. In dialects without ids, ids are derived from time, role and parts, and from the
 * number of equal messages before it in the stream: the n-th of a resumed stream repeats the n-th of the earlier ones. A status
 * that is older than the known one is ignored. Chunks that equal known chunks, in order, count as a repetition until a chunk
 * differs: then all of them were new, and are reported together. Uncertain cases are decided by the whole task, which is read at
 * the end of a resumed stream.
 */
export class Repetitions {
  /** Hashes of artifact versions that later versions have replaced. */
  readonly #replaced = new Set<string>();
  readonly #replays = new Map<string, Replay>();
  /** Whether the agent's messages have no ids, and the task lists them. */
  #listsNameless = false;

  /** Number of messages before the stream, by content. */
  #before: Map<string, number> | undefined;
  /** Number of messages without an id that the stream has delivered, by content. */
  readonly #brought = new Map<string, number>();

  begin(): void {
    this.#replays.clear();
    this.#before = undefined;
    this.#brought.clear();
  }

  /**
   * The event of a stream with an id for its message, if the message has none. The id is made of the content and of the position
   * among equal messages. The n-th of a resumed stream is the n-th of the task; in any other stream nothing is a repetition.
   */
  named(known: Task, event: StreamResponse, resumed: boolean): StreamResponse {
    const { statusUpdate } = event;
    const message = statusUpdate?.status.message;
    const split = message && splitContentId(message.messageId);
    if (!statusUpdate || !message || !split) return event;
    const { content } = split;
    const at = split.at ?? this.#brought.get(content) ?? 0;
    if (split.at === undefined) this.#brought.set(content, at + 1);
    this.#before ??= resumed ? new Map() : countsOf(known);
    const current = known.status.message;
    const isCurrent =
      resumed &&
      current !== undefined &&
      sameContent(current, message) &&
      compareTimes(statusUpdate.status.timestamp, known.status.timestamp) === 'same';
    const messageId = isCurrent ? current.messageId : contentIdAt(content, at + (this.#before.get(content) ?? 0));
    return {
      statusUpdate: { ...statusUpdate, status: { ...statusUpdate.status, message: { ...message, messageId } } },
    };
  }

  /** Whether only the list of messages in the task shows if a message of a resumed stream is new. */
  isUncertain(known: Task, { statusUpdate }: StreamResponse): boolean {
    const message = statusUpdate?.status.message;
    if (!message || !splitContentId(message.messageId)) return false;
    return messagesOf(known).some((one) => sameContent(one, message));
  }

  /** Notes a report of the whole task, with the task's own id. */
  reported({ id, history = [] }: Task): void {
    this.#listsNameless ||= history.some(({ messageId }, at) => messageId === historyId(id, at));
  }

  /** The new part of a status update; undefined if nothing is new. */
  newStatus(known: Task, update: TaskStatusUpdateEvent, facts: StreamFacts): StreamResponse | undefined {
    const { status: before } = known;
    const { message, timestamp } = update.status;
    const state = stateAfter(before.state, update.status.state);
    const status = { ...update.status, state };
    const fresh: StreamResponse = { statusUpdate: { ...update, status } };
    const { message: _, ...withoutMessage } = status;
    const again = facts.resumed || facts.continues;
    const isSaid = message !== undefined && this.#isInHistory(known, message, facts);
    if (isTerminal(state) && state !== before.state)
      return isSaid && facts.resumed ? { statusUpdate: { ...update, status: withoutMessage } } : fresh;
    const age = again ? compareTimes(timestamp, before.timestamp) : undefined;
    if (age === 'earlier') {
      if (!message || isSaid || message.messageId === before.message?.messageId) return undefined;
      // The message was missed, and the state has changed since.
      const current = isResting(before.state) ? ('TASK_STATE_WORKING' as const) : before.state;
      return { statusUpdate: { ...update, status: { state: current, message } } };
    }
    if (update.metadata && changedIn(known.metadata, update.metadata)) return fresh;
    if (isSaid && age !== 'later') {
      if (again && (timestamp !== undefined || !facts.opening)) return undefined;
      if (state === before.state && !isResting(state)) return undefined;
    }
    if (state !== update.status.state) return message && !isSaid ? fresh : undefined;
    const isSame = state === before.state && sameJson(message, before.message);
    if (!isResting(state)) {
      if (isSaid) return state === before.state ? undefined : { statusUpdate: { ...update, status: withoutMessage } };
      // While the agent works, a status in which only the timestamp differs is not new.
      return isSame || (facts.resumed && !message && state === before.state) ? undefined : fresh;
    }
    // A turn may end in the state in which it began. It reports that once, with another time than the turn before.
    if (isSame && facts.continues && age === 'same') return undefined;
    const isLater =
      timestamp !== undefined && before.timestamp !== undefined && compareTimes(timestamp, before.timestamp) !== 'same';
    return isSame && !isLater && !facts.opening ? undefined : fresh;
  }

  /** The new part of an artifact update; undefined if nothing is new. */
  newArtifact(known: Task, update: TaskArtifactUpdateEvent, { resumed }: StreamFacts): StreamResponse | undefined {
    const { artifact, append = false, lastChunk = false } = update;
    const fresh: StreamResponse = { artifactUpdate: update };
    const before = artifactIn(known, artifact);
    if (!before) return fresh;
    if (!append) {
      this.#replays.delete(artifact.artifactId);
      if (sameJson(before, artifact)) return lastChunk && !resumed ? fresh : undefined;
      if (resumed && this.#replaced.has(versionOf(artifact))) return undefined;
      if (resumed && artifact.parts.length > 0 && continuesAt(before.parts, 0, artifact.parts)) {
        this.#replays.set(artifact.artifactId, { from: [0], count: artifact.parts.length, anew: true });
        return undefined;
      }
      this.#replaced.add(versionOf(before));
      return fresh;
    }
    return resumed && artifact.parts.length > 0 ? this.#newChunk(before, update) : fresh;
  }

  #newChunk(before: Artifact, update: TaskArtifactUpdateEvent): StreamResponse | undefined {
    const { artifact } = update;
    const { artifactId, parts } = artifact;
    const had = before.parts;
    const replay = this.#replays.get(artifactId) ?? { from: had.keys().toArray(), count: 0, anew: false };
    const from = replay.from.filter((start) => continuesAt(had, start + replay.count, parts));
    this.#replays.delete(artifactId);
    if (from.length > 0) {
      const over = Math.min(...from) + replay.count + parts.length - had.length;
      // The chunk extends beyond the known parts.
      if (over > 0) return { artifactUpdate: { ...update, artifact: { ...artifact, parts: parts.slice(-over) } } };
      this.#replays.set(artifactId, { ...replay, from, count: replay.count + parts.length });
      return undefined;
    }
    const first = replay.from[0] ?? 0;
    // All known parts were repeated before: this chunk is the first new one.
    if (replay.count === 0 || replay.from.some((start) => start + replay.count === had.length)) {
      return { artifactUpdate: update };
    }
    const swallowed = had.slice(first, first + replay.count);
    const all = { ...(replay.anew && before), ...artifact, parts: [...swallowed, ...parts] };
    return { artifactUpdate: { ...update, artifact: all, append: !replay.anew } };
  }

  /** Whether a message was delivered before the current one. */
  #isInHistory(known: Task, message: Message, { resumed }: StreamFacts): boolean {
    if (message.messageId === known.status.message?.messageId) return false;
    if (known.history?.some((one) => one.messageId === message.messageId && sameContent(one, message))) return true;
    return resumed && this.#listsNameless && messagesOf(known).some((one) => sameContent(one, message));
  }
}

/** Whether one task has made progress since another state of it: a new state, a new artifact, or new text. */
export function hasProgressed(before: Task, now: Task): boolean {
  if (now.status.state !== before.status.state || !sameJson(now.metadata, before.metadata)) return true;
  if (!sameJson(now.artifacts, before.artifacts)) return true;
  const had = messagesOf(before);
  const ids = new Set(had.map(({ messageId }) => messageId));
  return messagesOf(now).some((one) => !ids.has(one.messageId) && !had.some((other) => sameContent(one, other)));
}

/** Counts the messages of a task by content, in dialects whose messages have no ids. */
function countsOf(task: Task): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { messageId } of messagesOf(task)) {
    const content = splitContentId(messageId)?.content;
    if (content !== undefined) counts.set(content, (counts.get(content) ?? 0) + 1);
  }
  return counts;
}

const versionOf = (artifact: Artifact): string => sha256(JSON.stringify(artifact));

/** Whether parts equal the known parts from a position on, as far as the known parts reach. */
function continuesAt(known: readonly Part[], at: number, parts: readonly Part[]): boolean {
  if (at >= known.length) return false;
  return parts.every((part, i) => at + i >= known.length || sameJson(known[at + i], part));
}

function compareTimes(one: string | undefined, other: string | undefined): 'earlier' | 'same' | 'later' | undefined {
  const difference = Date.parse(one ?? '') - Date.parse(other ?? '');
  if (Number.isNaN(difference)) return undefined;
  return difference === 0 ? 'same' : difference < 0 ? 'earlier' : 'later';
}
