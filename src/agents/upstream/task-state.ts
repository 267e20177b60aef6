import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { AgentContext, UpstreamTask } from '../../core/model/agent.ts';
import type { TaskIds } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { fold } from '../../core/model/fold.ts';
import { isResting, isTerminal, mayContinueWithoutClient, stateOf } from '../../core/model/lifecycle.ts';
import { type IdMapping, idsIn, messageWithIds, referencedTasksIn, withOwnIds } from './id-mapping.ts';
import { type DiffStyle, difference, jsonEqual, mergeTasks, stateAfter } from './task-diff.ts';

/** Where a state begins. */
export interface InitialState {
  /** The task as it was, with the message that the turn is about. */
  readonly known?: Task;
  /** The message that opens a new task. */
  readonly opening?: Message | undefined;
}

/**
 * What one turn tells of a task: takes what the upstream says, in whatever order and however often, and gives back what
 * of it is news, under our ids. Knows the task as it has been told so far.
 */
export class UpstreamTaskState {
  /** The task as it has been told. */
  known: Task;
  /** What the task is called there, or is to be called. */
  upstreamTask: UpstreamTask | undefined;
  /** The same once the core knows it, which makes it durable before anything that is told from then on. */
  boundTask: UpstreamTask | undefined;
  /** Whether the turn has brought the task to rest, or has been answered with a message. */
  resting = false;
  /** How many events were news. */
  eventCount = 0;
  readonly #ids: TaskIds;
  readonly #bindTask: AgentContext['bind'];
  readonly #names: IdMapping;
  readonly #onNamed: () => void;
  /** Whether the task was there before this turn. */
  readonly #continues: boolean;

  /**
   * @param onNamed called when it is known what the task is called there
   */
  constructor(
    { taskId, contextId, bind }: AgentContext,
    names: IdMapping,
    onNamed: () => void,
    { known, opening }: InitialState = {},
  ) {
    this.#ids = { taskId, contextId };
    this.#bindTask = bind;
    this.#names = names;
    this.#continues = known !== undefined;
    this.known = known ?? startOf(this.#ids, opening);
    this.#onNamed = onNamed;
  }

  /** Whether the task rests, in whoever's turn it came to it, with nothing more to come in this one. */
  get settled(): boolean {
    return this.resting || isTerminal(this.known.status.state);
  }

  /** Whether there is nothing more to hear of the task: it rests, and goes on with its client alone. */
  get done(): boolean {
    return this.settled && !mayContinueWithoutClient(this.known.status.state);
  }

  /** The task is called so there, as the core knows. */
  bindTo(upstreamTask: UpstreamTask): void {
    this.upstreamTask = upstreamTask;
    this.boundTask = upstreamTask;
    this.#onNamed();
  }

  /** The task will be called so there, if it comes into being. */
  expect(upstreamTask: UpstreamTask): void {
    this.upstreamTask = upstreamTask;
  }

  /** Whether an event is about another task than this one. */
  isForOtherTask(event: StreamResponse): boolean {
    const { id } = idsIn(event);
    return id !== '' && this.boundTask !== undefined && id !== this.boundTask.id;
  }

  /**
   * News in one event of a stream.
   *
   * @param opens whether it is the first of a stream that a message began: a message is the whole answer then
   */
  async *applyEvent(event: StreamResponse, opens: boolean): AsyncGenerator<StreamResponse, void> {
    if (event.task) yield* this.applyTask(event.task, 'whole');
    else if (event.message && opens) yield await this.applyMessage(event.message);
    else if (!this.done) {
      this.#bind(event);
      const own = await this.#rename(event);
      const told = this.#newsIn(own.message ? this.#within(own.message) : own);
      if (told) yield this.record(told);
    }
  }

  /** News in the task as the upstream has it. */
  async *applyTask(theirs: Task, manner: DiffStyle): AsyncGenerator<StreamResponse, void> {
    if (this.boundTask && theirs.id !== this.boundTask.id) {
      throw new A2AError('invalidAgentResponse', 'The upstream agent answered about another task');
    }
    this.#bind({ task: theirs });
    const { task = theirs } = await this.#rename({ task: theirs });
    const leads = !this.#continues && this.eventCount === 0;
    if (leads && (manner === 'whole' || !isResting(task.status.state))) {
      yield this.record({ task: mergeTasks(this.known, task) });
      return;
    }
    for (const event of difference(this.known, task, manner)) yield this.#tellOfLook(event);
  }

  /** A message that is the whole answer. */
  async applyMessage(message: Message): Promise<StreamResponse> {
    const { contextId } = this.#ids;
    if (!this.upstreamTask) await this.#names.bindContext(contextId, message.contextId ?? '');
    this.resting = true;
    const tasks = await this.#names.toOurs(message.referenceTaskIds ?? []);
    return { message: messageWithIds(message, { contextId }, tasks) };
  }

  /** The task waits for its client again, as before: that is news to whoever sent the message. */
  stayAtRest(message?: Message): StreamResponse {
    const { message: _, ...status } = this.known.status;
    return this.record({ statusUpdate: { ...this.#ids, status: { ...status, ...(message && { message }) } } });
  }

  /**
   * Counts an event that a look at the task gave: a task that rests as it did before the message may not have begun with
   * it, whatever else is new.
   */
  #tellOfLook(event: StreamResponse): StreamResponse {
    const { resting: rests, known } = this;
    const status = event.statusUpdate?.status ?? event.task?.status;
    const said = status?.message?.messageId;
    const heard = [...(known.history ?? []), ...(known.status.message ? [known.status.message] : [])];
    const isNew = said !== undefined && !heard.some(({ messageId }) => messageId === said);
    const isAsBefore = this.#continues && status?.state === known.status.state && !isNew;
    this.record(event);
    if (isAsBefore) this.resting = rests;
    return event;
  }

  /** Counts an event as told. */
  record(event: StreamResponse): StreamResponse {
    this.eventCount += 1;
    this.known = fold(this.known, event);
    const state = stateOf(event);
    if (state !== undefined) this.resting = isResting(state);
    return event;
  }

  /** A message within a task is something that the agent says while it works. */
  #within(message: Message): StreamResponse {
    const { state } = this.known.status;
    const status = { state: isResting(state) ? ('TASK_STATE_WORKING' as const) : state, message };
    return { statusUpdate: { ...this.#ids, status } };
  }

  /** The event, unless it says what was said, or nothing. */
  #newsIn(event: StreamResponse): StreamResponse | undefined {
    const { statusUpdate: update } = event;
    if (!update) return event;
    const { status: before } = this.known;
    const status = { ...update.status, state: stateAfter(before.state, update.status.state) };
    const told: StreamResponse = { statusUpdate: { ...update, status } };
    if (update.metadata) return told;
    if (status.state !== update.status.state) return status.message ? told : undefined;
    const { timestamp } = status;
    const isAgain = status.state === before.state && jsonEqual(status.message, before.message);
    // An agent that is still at work has nothing to say with the time alone.
    if (!isResting(status.state)) return isAgain ? undefined : told;
    const isTimed = timestamp !== undefined && before.timestamp !== undefined && timestamp !== before.timestamp;
    // A turn that brings the task to rest as it was before says so, once.
    return isAgain && !isTimed && this.eventCount > 0 ? undefined : told;
  }

  /** Tells the core what the task and its context are called there, before it is told anything else. */
  #bind(event: StreamResponse): void {
    const { id, contextId } = idsIn(event);
    const bound = this.boundTask;
    if (id === '' || (bound && (bound.contextId !== '' || contextId === ''))) return;
    const known = { id, contextId: contextId || (this.upstreamTask?.contextId ?? '') };
    this.#bindTask(known);
    // An agent may have named a task itself that was to be called otherwise.
    this.bindTo(known);
  }

  async #rename(event: StreamResponse): Promise<StreamResponse> {
    return withOwnIds(event, this.#ids, await this.#names.toOurs(referencedTasksIn(event)));
  }
}

const startOf = ({ taskId, contextId }: TaskIds, opening: Message | undefined): Task => ({
  id: taskId,
  contextId,
  status: { state: 'TASK_STATE_SUBMITTED' },
  ...(opening && { history: [opening] }),
});
