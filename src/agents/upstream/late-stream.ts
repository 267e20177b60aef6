import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import { isNews, messagesOf, sameContent, unknownMessages } from '../../core/model/task-diff.ts';

/**
 * A stream that was opened after its message was sent, so that it lacks the events in between. Notes the content of the stream's
 * events, and finds in the whole task the content that they lack.
 */
export class LateStream {
  /** Ids of artifacts that the stream has delivered whole. They are later than anything before the stream. */
  readonly #artifacts = new Set<string>();
  #isSubmitted = false;
  #hasBegun = false;
  #isWhole = false;

  /** Notes an event of the stream. */
  note({ statusUpdate, artifactUpdate }: StreamResponse): void {
    if (artifactUpdate && !artifactUpdate.append) this.#artifacts.add(artifactUpdate.artifact.artifactId);
    if (this.#hasBegun || (!statusUpdate && !artifactUpdate)) return;
    const state = statusUpdate?.status.state;
    this.#hasBegun = state !== 'TASK_STATE_SUBMITTED';
    this.#isWhole = state === 'TASK_STATE_WORKING' && this.#isSubmitted;
    this.#isSubmitted = !this.#hasBegun;
  }

  /** Whether the stream contains the beginning of the work, so that nothing is missing. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * The agent's messages and artifacts that the stream lacks, as a report of the task while it works: `last` contains the state
   * and the message with which it comes to rest. Undefined if nothing is missing.
   *
   * @param known the task with the content of the stream so far
   * @param reported the task as its agent reports it
   * @param last the event that brings the task to rest, which is not part of `known` yet
   */
  missed(known: Task, reported: Task, last: StreamResponse): Task | undefined {
    const ours = messagesOf(known);
    const earlier = ours.slice(0, ours.findLastIndex(({ role }) => role === 'ROLE_USER') + 1);
    const said = reported.history?.filter(({ role }) => role === 'ROLE_AGENT') ?? [];
    const later = withoutLast(unknownMessages(earlier, said), last.statusUpdate?.status.message, ours);
    const state = isResting(known.status.state) ? 'TASK_STATE_WORKING' : known.status.state;
    const { id, contextId, metadata } = reported;
    const missed: Task = { id, status: { state }, history: [...earlier, ...later] };
    missed.artifacts = reported.artifacts?.filter(({ artifactId }) => !this.#artifacts.has(artifactId)) ?? [];
    if (contextId !== undefined) missed.contextId = contextId;
    const own = metadata && withoutOwnKeys(metadata);
    if (own) missed.metadata = own;
    return isNews({ ...known, status: { ...known.status, state } }, missed) ? missed : undefined;
  }
}

/** The agent's messages without the message of the last event, unless that message is already known. */
function withoutLast(
  said: readonly Message[],
  last: Message | undefined,
  ours: readonly Message[],
): readonly Message[] {
  if (!last || ours.some(({ messageId }) => messageId === last.messageId)) return said;
  const at = said.findLastIndex((message) => sameContent(message, last));
  return at < 0 ? said : said.toSpliced(at, 1);
}
