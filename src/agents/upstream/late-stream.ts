import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import { isNews, messagesOf, sameContent, unknownMessages } from '../../core/model/task-diff.ts';

/**
 * A stream that was opened after its message was sent: what the agent did in between is no event of it. Notes what it brings, and
 * finds in the whole task what it did not bring.
 */
export class LateStream {
  /** Ids of artifacts that are whole in its events: these are later than anything that came before the stream. */
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

  /** Whether the stream has shown the beginning of the work: the agent had done nothing before. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * The agent's messages and artifacts that the stream did not bring, as a report of the task while it works: how the task comes
   * to rest, and with which words, is said by `last`. Undefined: there are none.
   *
   * @param known the task with what the stream has brought
   * @param reported the task as its agent has it
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

/** The agent's messages without the one that the last event brings, unless that is known already. */
function withoutLast(
  said: readonly Message[],
  last: Message | undefined,
  ours: readonly Message[],
): readonly Message[] {
  if (!last || ours.some(({ messageId }) => messageId === last.messageId)) return said;
  const at = said.findLastIndex((message) => sameContent(message, last));
  return at < 0 ? said : said.toSpliced(at, 1);
}
