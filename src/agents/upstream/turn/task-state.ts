import type { Message, StreamResponse, Task, TaskStatus } from '../../../core/model/a2a.ts';
import type { AgentContext, UpstreamTask } from '../../../core/model/agent.ts';
import type { TaskIds } from '../../../core/model/agent-events.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { fold } from '../../../core/model/fold.ts';
import { isResting, isTerminal, mayContinueWithoutClient, stateOf } from '../../../core/model/lifecycle.ts';
import { difference, hasMessage, isNews, mergeTasks, messagesOf } from '../../../core/model/task-diff.ts';
import { withTimeout } from '../../../core/model/timing.ts';
import { type IdMapping, idsIn, messageWithIds, noMapping, referencedTasksIn, withOwnIds } from '../ids.ts';
import { joinMessages } from '../join-messages.ts';
import { UnreadPieces, unreadableState } from '../unread.ts';
import { Repetitions } from './repetitions.ts';

/** Milliseconds that the end of a canceled task waits for the agent's answer to the cancellation. */
const answerTime = 1_000;

/** Events of a task under the gateway's ids. */
export type Events<Result = void> = AsyncGenerator<StreamResponse, Result>;

/** Opening events of a new task whose first report finds it at rest: the whole task, or the updates that lead to it. */
export type OpensWith = 'whole' | 'pieces';

/**
 * The state of an upstream task during one turn. It takes the agent's reports, in any order and with repetitions, and returns the
 * events that are new, with the gateway's ids.
 *
 * ```
 *            send()
 *  opened ──────────► sent ──── a Message ─────────────────────────────► settled
 *    │ resume()        │                                                   ▲
 *    │                 ├── a stream ─► following by stream ── at rest ─────┤
 *    │                 │                 │ breaks, ends or is silent       │
 *    │                 │                 ▼                                 │
 *    └─────────────────┼───────────► get once ── at rest ──────────────────┤
 *                      │                 │ subscribe: ─► following by stream
 *                      │                 ▼ no stream to be had             │
 *                      └── a Task ─► following by polling ── at rest ──────┘
 *                                        │
 *                                        ▼ no sign of life for `silence` ms, or an error that will not pass
 *                                     given up: the turn throws, and the task fails
 * ```
 *
 * A settled turn is done, unless the task may continue without its client (auth-required): such a task is still watched. A
 * message to an existing task may leave it at rest; after `settle` ms the task counts as settled nevertheless.
 */
export class UpstreamTaskState {
  /** The task with all events of this turn so far. */
  known: Task;
  /** The task's ids at the agent: known, or chosen by the gateway and not yet confirmed. */
  upstreamTask: UpstreamTask | undefined;
  /** The task's ids at the agent once the core knows them; the core stores them before any later event. */
  boundTask: UpstreamTask | undefined;
  /** Whether this turn has brought the task to rest, or was answered with a Message. */
  #isResting = false;
  /** Whether this turn expects no more events: the task has come to rest in it, or is in a terminal state. */
  settled: boolean;
  /** Whether the task cannot continue before its client sends a message. */
  done: boolean;
  /** The agent's answer to a cancellation; undefined if it refuses. */
  cancellation: Promise<TaskStatus | undefined> | undefined;
  /** The state that the agent reported last, as JSON, if it cannot be read. */
  unreadable: string | undefined;
  /** A message with the reason why the turn's message may have had no effect, for a task that stays at rest. */
  doubt: Message | undefined;
  /** Whether the message came while the agent worked on an earlier one. A Message as the answer does not end that work. */
  isFurther = false;
  /** Event of the Message with which the agent has answered such a message. The task itself does not contain it. */
  word: StreamResponse | undefined;
  /** Number of new events in this turn. */
  eventCount = 0;
  readonly #context: AgentContext;
  readonly #taskIds: TaskIds;
  readonly #bindTask: AgentContext['bind'];
  readonly #ids: IdMapping;
  readonly #bound: { reach(): void };
  /** Whether the task existed before this turn. */
  readonly #continues: boolean;
  readonly #repetitions = new Repetitions();
  readonly #unread: UnreadPieces;

  /**
   * @param bound reached when the task's ids at the agent are known
   * @param known the existing task, including the message of this turn
   * @param opening the message that opens a new task
   */
  constructor(context: AgentContext, ids: IdMapping, bound: { reach(): void }, known?: Task, opening?: Message) {
    const { taskId, contextId, bind } = context;
    this.#context = context;
    this.#taskIds = { taskId, contextId };
    this.#unread = new UnreadPieces(context.log);
    this.#bindTask = bind;
    this.#ids = ids;
    this.#bound = bound;
    this.#continues = known !== undefined;
    const history = opening && { history: [opening] };
    this.known = known ?? { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' }, ...history };
    this.settled = isTerminal(this.known.status.state);
    this.done = this.settled;
  }

  /** Sets whether the task is at rest in the state of `known`. */
  #rest(isResting: boolean): void {
    const { state } = this.known.status;
    this.#isResting = isResting;
    this.settled = isResting || isTerminal(state);
    this.done = this.settled && !mayContinueWithoutClient(state);
  }

  /** Sets the ids that the core already knows. */
  bindTo(upstreamTask: UpstreamTask): void {
    this.upstreamTask = upstreamTask;
    this.boundTask = upstreamTask;
    this.#bound.reach();
  }

  /** Whether the agent has opened the task in this turn and has reported nothing else about it. */
  get isOnlyOpened(): boolean {
    return !this.#continues && this.eventCount === 1 && !isResting(this.known.status.state) && saysNothing(this.known);
  }

  beginStream(): void {
    this.#repetitions.begin();
  }

  /** Whether the task must be read to know if an event of a resumed stream is new. */
  isUncertain(event: StreamResponse): boolean {
    return this.#repetitions.isUncertain(this.known, event);
  }

  /** Checks whether an event is about another task. Such an event is left out, and named in the metadata. */
  skipsOther(event: StreamResponse): boolean {
    const { id } = idsIn(event);
    if (id === '' || this.boundTask === undefined || id === this.boundTask.id) return false;
    this.#unread.add(`an event about another task was left out: ${JSON.stringify(id).slice(0, 80)}`);
    return true;
  }

  /** Notes in the task's metadata that the content before its stream could not be read. */
  missBefore(): void {
    this.#unread.add('the task could not be read at its end: what it had before its stream was opened is left out');
  }

  /**
   * Converts an event of a stream to an event of the task; undefined if it repeats known content. Events with the whole task are
   * for `applyTask`.
   *
   * @param resumed whether the stream continues a task that was followed before
   */
  async applyEvent(event: StreamResponse, resumed: boolean): Promise<StreamResponse | undefined> {
    if (this.done) return undefined;
    this.#bind(event);
    if (event.statusUpdate) this.unreadable = unreadableState(event.statusUpdate);
    const own = await this.#withOwnIds(this.#unread.addTo(event, this.known));
    const update = own.message ? this.#asStatusUpdate(own.message) : own;
    const fresh = this.#withoutRepetition(this.#repetitions.named(this.known, update, resumed), resumed);
    if (!fresh) return undefined;
    return this.record(this.cancellation ? await this.#withCancelMessage(fresh, this.cancellation) : fresh);
  }

  /** The new events in the task as the agent reports it, recorded one by one as they are read. */
  async *applyTask(reported: Task, opensWith: OpensWith): Events {
    for (const event of await this.newEvents(reported, opensWith)) yield this.take(event);
  }

  /** The new events in the task as the agent reports it. Each must be recorded with `take` before it is passed on. */
  async newEvents(reported: Task, opensWith: OpensWith): Promise<StreamResponse[]> {
    if (this.boundTask && reported.id !== this.boundTask.id) {
      throw new A2AError('invalidAgentResponse', 'The upstream agent answered about another task');
    }
    this.#bind({ task: reported });
    this.#repetitions.reported(reported);
    this.unreadable = unreadableState(reported);
    const own = await this.#withOwnIds(this.#unread.addTo({ task: reported }, this.known));
    const { task = reported } = this.cancellation ? await this.#withCancelMessage(own, this.cancellation) : own;
    const isFirst = !this.#continues && this.eventCount === 0;
    if (isFirst && opensWith === 'pieces' && isResting(task.status.state)) return difference(this.known, task);
    // The core converts a later report to updates.
    return isFirst || isNews(this.known, task) ? [{ task: mergeTasks(this.known, task) }] : [];
  }

  /** The event for a Message that is the whole answer. */
  async applyMessage(message: Message): Promise<StreamResponse> {
    const { contextId } = this.#taskIds;
    if (this.isFurther) {
      const status = { state: 'TASK_STATE_WORKING' as const, message: { ...message, ...this.#taskIds } };
      this.word = this.record({ statusUpdate: { ...this.#taskIds, status } });
      return this.word;
    }
    this.#unread.addTo({ message }, this.known);
    if (!this.upstreamTask) await this.#ids.bindContext(contextId, message.contextId ?? '');
    this.#rest(true);
    return { message: messageWithIds(message, { contextId }, await this.#ids.toOurs(message.referenceTaskIds)) };
  }

  /** The event for the Messages that are the whole answer. Several Messages are joined into one, with the parts of all. */
  async applyMessages(messages: readonly [Message, ...Message[]]): Promise<StreamResponse> {
    if (messages.length > 1) {
      const fields = { messages: messages.length };
      this.#context.log.warn('the agent answered with several messages; they were joined into one message', fields);
      if (new Set(messages.map(({ messageId }) => messageId)).size > 1) this.#context.drop('message.messageId');
    }
    return this.applyMessage(joinMessages(messages));
  }

  /** The event that ends a turn which leaves the task at rest in its state. */
  stayAtRest(message = this.doubt): StreamResponse {
    const { message: _, ...status } = this.known.status;
    return this.record({ statusUpdate: { ...this.#taskIds, status: { ...status, ...(message && { message }) } } });
  }

  record(event: StreamResponse): StreamResponse {
    this.eventCount += 1;
    const state = stateOf(event);
    // Nothing is folded into a task that is over, so it needs no copy.
    this.known = event.task && state !== undefined && isTerminal(state) ? event.task : fold(this.known, event);
    if (state !== undefined) this.#rest(isResting(state));
    return event;
  }

  /**
   * Records one of the new events in a task. A task that rests in the same state as before the message may not have begun with
   * the message yet. Such an event does not settle the turn, even if it contains something new.
   */
  take(event: StreamResponse): StreamResponse {
    if (!this.#continues) return this.record(event);
    const { known } = this;
    const wasResting = this.#isResting;
    const status = event.statusUpdate?.status ?? event.task?.status;
    const messageId = status?.message?.messageId;
    const isNew = messageId !== undefined && !messagesOf(known).some((message) => message.messageId === messageId);
    const isUnchanged = status?.state === known.status.state && !isNew;
    this.record(event);
    if (isUnchanged) this.#rest(wasResting);
    return event;
  }

  /** A Message in the middle of a task, as a status update of the task. */
  #asStatusUpdate(message: Message): StreamResponse {
    const { state } = this.known.status;
    const status = { state: isResting(state) ? ('TASK_STATE_WORKING' as const) : state, message };
    return { statusUpdate: { ...this.#taskIds, status } };
  }

  /** The event; undefined if it repeats known content. */
  #withoutRepetition(event: StreamResponse, resumed: boolean): StreamResponse | undefined {
    const { statusUpdate, artifactUpdate } = event;
    const facts = { continues: this.#continues, resumed, opening: this.eventCount === 0 };
    if (statusUpdate) return this.#repetitions.newStatus(this.known, statusUpdate, facts);
    if (artifactUpdate) return this.#repetitions.newArtifact(this.known, artifactUpdate, facts);
    return event;
  }

  /**
   * The event that ends a canceled task. If it has no message, it gets that of the agent's answer to the cancellation: in some
   * dialects the message is nowhere else. In streams, the event often arrives before that answer.
   */
  async #withCancelMessage(
    event: StreamResponse,
    cancellation: Promise<TaskStatus | undefined>,
  ): Promise<StreamResponse> {
    const { task, statusUpdate } = event;
    const status = (task ?? statusUpdate)?.status;
    if (status?.state !== 'TASK_STATE_CANCELED' || status.message) return event;
    const message = (await withTimeout(cancellation, answerTime))?.message;
    if (!message || hasMessage(this.known, message)) return event;
    const changed = { status: { ...status, message } };
    return task
      ? { task: { ...task, ...changed } }
      : { statusUpdate: { ...statusUpdate, ...this.#taskIds, ...changed } };
  }

  /** Passes the task's ids at the agent to the core, before any event that follows. */
  #bind(event: StreamResponse): void {
    const { id, contextId } = idsIn(event);
    const bound = this.boundTask;
    if (id === '' || (bound && (bound.contextId !== '' || contextId === ''))) return;
    const known = { id, contextId: contextId || (this.upstreamTask?.contextId ?? '') };
    this.#bindTask(known);
    // The agent may have chosen another id than the one that it was given.
    this.bindTo(known);
  }

  async #withOwnIds(event: StreamResponse): Promise<StreamResponse> {
    const referenced = referencedTasksIn(event);
    return withOwnIds(event, this.#taskIds, referenced.length === 0 ? noMapping : await this.#ids.toOurs(referenced));
  }
}

/** Whether a task contains nothing except messages of its client, and is submitted or has failed without a message. */
export function saysNothing({ status: { state, message }, artifacts = [], history = [] }: Task): boolean {
  const isEmpty = state === 'TASK_STATE_SUBMITTED' || state === 'TASK_STATE_FAILED';
  return isEmpty && !message && artifacts.length === 0 && !history.some(({ role }) => role === 'ROLE_AGENT');
}
