import type { SendMessageRequest, SendMessageResponse, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { AgentContext, UpstreamTask } from '../../core/model/agent.ts';
import { agentMessage } from '../../core/model/agent-events.ts';
import { isStream, type Reply } from '../../core/model/call.ts';
import { A2AError, isUndelivered, markUndelivered } from '../../core/model/errors.ts';
import { fold } from '../../core/model/fold.ts';
import { newId } from '../../core/model/ids.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import { neverArrived, neverTried } from '../../net/network-errors.ts';
import { TaskCalls, type TurnTimes } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';
import { errorForCaller } from './error-mapping.ts';
import type { IdMapping } from './id-mapping.ts';
import { outgoing } from './request.ts';
import { InterruptibleWait } from './stream-reader.ts';
import { backoff, TaskFollower } from './task-follower.ts';
import { UpstreamTaskState } from './task-state.ts';

export interface UpstreamTurnOptions {
  readonly link: UpstreamConnection;
  readonly names: IdMapping;
  readonly context: AgentContext;
  readonly bounds: TurnTimes;
}

type Events<Result = void> = AsyncGenerator<StreamResponse, Result>;

/** Why what a turn has left open is given up at its end; made once, since every turn has one. */
const over = new A2AError('canceled', 'The turn is over.');

/** One turn of an upstream task: says what there is to say, and follows what comes of it until the task rests. */
export class UpstreamTurn {
  readonly #parts: UpstreamTurnOptions;
  readonly #calls: TaskCalls;
  readonly #stop = new AbortController();
  readonly #abort = (): void => this.#stop.abort(this.#parts.context.signal.reason);
  readonly #wait: InterruptibleWait;
  readonly #named = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #state: UpstreamTaskState;
  #successor: UpstreamTurn | undefined;

  constructor(parts: UpstreamTurnOptions) {
    this.#parts = parts;
    const { context, link, bounds } = parts;
    const { signal } = this.#stop;
    this.#listen();
    this.#wait = new InterruptibleWait(signal);
    this.#calls = new TaskCalls(link, context, bounds, signal);
    this.#state = this.#tell();
  }

  /** What the task is called there, once that is known. */
  get there(): UpstreamTask | undefined {
    return this.#state.upstreamTask;
  }

  /** The same once the core knows it, which makes it durable before what is told from then on. */
  get boundTask(): UpstreamTask | undefined {
    return this.#state.boundTask;
  }

  /** Resolves when the task's name there is known, or when the turn has ended without one. */
  get idKnown(): Promise<void> {
    return Promise.race([this.#named.promise, this.#ended.promise]);
  }

  /** Resolves when the turn is over. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Another turn of the same task takes over: this one tells nothing more, and ends when that one does. Returns the task
   * as it was told, which may be ahead of what is durable.
   */
  handOverTo(successor: UpstreamTurn): Task {
    this.#successor = successor;
    this.#stop.abort(new A2AError('canceled', 'Another turn follows the task.'));
    return this.#state.known;
  }

  /** Looks at once how the task is. */
  pollNow(): void {
    this.#wait.interrupt();
  }

  /**
   * Says a message, and follows what comes of it.
   *
   * @param former the turn that follows the task by now
   */
  send(request: SendMessageRequest, former: UpstreamTurn | undefined): Events {
    return this.#whole(() => this.#send(request, former));
  }

  /** Goes on with a task that a dead gateway followed. */
  resume(task: Task): Events {
    return this.#whole(() => this.#resume(task));
  }

  /** Hears when the turn is to end before its time. What AbortSignal.any does, at an eighth of its price. */
  #listen(): void {
    const { signal } = this.#parts.context;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  #deafen(): void {
    this.#parts.context.signal.removeEventListener('abort', this.#abort);
  }

  /** What every turn has in common: it ends with the one that took over, and leaves nothing open. */
  async *#whole(work: () => Events): Events {
    try {
      yield* work();
      if (!this.#state.done) yield* this.#follower().watchAtRest();
    } catch (thrown) {
      if (!this.#successor) throw thrown;
    } finally {
      this.#deafen();
      this.#stop.abort(over);
      this.#ended.resolve();
    }
    await this.#successor?.ended;
  }

  async *#resume(task: Task): Events {
    const { context, names } = this.#parts;
    const upstreamTask = await names.task(context.key);
    if (!upstreamTask) {
      const said = 'The gateway stopped before the upstream agent had answered; whether it works on this is not known.';
      throw new A2AError('upstreamUnreachable', said);
    }
    this.#state = this.#tell({ known: structuredClone(task) });
    this.#state.bindTo(upstreamTask);
    const follower = this.#follower();
    // The last message may never have arrived there: what has not begun with it by now rests as before.
    if (isResting(task.status.state)) follower.settleNow();
    yield* follower.resubscribe(undefined);
  }

  async *#send(request: SendMessageRequest, former: UpstreamTurn | undefined): Events {
    const { context, names, link } = this.#parts;
    const { message } = request;
    let wanted: SendMessageRequest;
    try {
      if (context.task) this.#state = await this.#takeOver(context.task, request, former);
      else this.#state = this.#tell({ opening: message });
      await link.open();
      const there = this.#state.upstreamTask ?? (await this.#placeForNew());
      wanted = outgoing(request, there, await names.toTheirs(message.referenceTaskIds));
      if (!this.#state.upstreamTask && there.id !== '') this.#state.expect(there);
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
    let reply: Reply | undefined;
    try {
      reply = yield* this.#say(wanted);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (neverArrived(error) || neverTried(error)) markUndelivered(error);
      if (context.task) yield* this.#refused(error);
      else yield* this.#unanswered(error);
      return;
    }
    if (!reply) return;
    if (isStream(reply)) yield* this.#follower().followStream(reply.events);
    else yield* this.#answered(reply.value as SendMessageResponse);
  }

  /** Where a new task goes: into its context, if that is known there. Agents that do not name tasks get names from us. */
  async #placeForNew(): Promise<UpstreamTask> {
    const { names, link } = this.#parts;
    const { contextId, newContext } = this.#parts.context;
    const context = newContext ? undefined : await names.context(contextId);
    if (link.choice?.dialect.callersName) return { id: newId(), contextId: context ?? newId() };
    return { id: '', contextId: context ?? '' };
  }

  /** Goes on with a task where the turn before left it, or is. */
  async #takeOver(
    task: Task,
    { message }: SendMessageRequest,
    former: UpstreamTurn | undefined,
  ): Promise<UpstreamTaskState> {
    await former?.idKnown;
    const there = former?.boundTask ?? (await this.#parts.names.task(this.#parts.context.key));
    if (!there) throw new A2AError('invalidAgentResponse', 'The upstream agent does not know this task');
    const state = this.#tell({ known: fold(structuredClone(former?.handOverTo(this) ?? task), { message }) });
    state.bindTo(there);
    return state;
  }

  /**
   * Sends the message. While an agent without streams works on its answer, and the task's name is known, the task is
   * looked at again and again. Returns the answer, or nothing when the task has come to rest meanwhile.
   */
  async *#say(request: SendMessageRequest): Events<Reply | undefined> {
    const state = this.#state;
    const { upstreamTask: there } = state;
    const sending = this.#calls.send(request, there !== undefined);
    if (!there || this.#parts.link.streams) return sending;
    let answered = false;
    const done = sending.then(
      () => undefined,
      () => undefined,
    );
    void done.then(() => {
      answered = true;
    });
    for (const pauses = backoff(); ; ) {
      await Promise.race([done, this.#wait.for(pauses.next())]);
      this.#wait.interrupt();
      if (answered) return sending;
      const { eventCount: news } = state;
      // An agent may know nothing of the task before it is done.
      const theirs = await this.#calls.getOnce(there.id).catch(() => undefined);
      if (answered) return sending;
      if (theirs) yield* state.applyTask(theirs, 'pieces');
      if (state.settled) return undefined;
      if (state.eventCount !== news) pauses.reset();
    }
  }

  /** An answer that is no stream. */
  async *#answered({ message, task }: SendMessageResponse): Events {
    const state = this.#state;
    // Nothing is open now, and what is told is the end most often: then there is nothing to hear.
    this.#deafen();
    if (message) yield await state.applyMessage(message);
    else if (task) yield* state.applyTask(task, this.#parts.context.awaited ? 'whole' : 'pieces');
    else throw new A2AError('invalidAgentResponse', 'The upstream agent answered with neither a task nor a message');
    if (!state.done) this.#listen();
    if (state.settled) return;
    const follower = this.#follower();
    // What was waited for says how the task is, also where it is as it was. Agents of two steps do not wait.
    if (this.#parts.context.task && this.#parts.link.answersAtRest) follower.settleNow();
    if (follower.isUnchanged()) yield state.stayAtRest();
    else yield* follower.poll();
  }

  /** A message that opens a task was not answered: only where we have named the task, it can be asked for. */
  async *#unanswered(error: A2AError): Events {
    const state = this.#state;
    const lost = !state.upstreamTask || error.kind === 'canceled' || (state.eventCount === 0 && neverArrived(error));
    if (lost) throw error;
    try {
      yield* this.#follower().resubscribe(error);
    } catch (thrown) {
      throw state.eventCount === 0 ? error : thrown;
    }
  }

  /**
   * A message that continues a task was refused, or nobody knows whether it arrived. The task is what it is there: only
   * an agent that cannot be asked any more fails it.
   */
  async *#refused(error: A2AError): Events {
    const state = this.#state;
    if (error.kind === 'canceled' || error.kind === 'taskNotFound') throw error;
    const theirs = await this.#calls.getWithRetry(state.upstreamTask?.id ?? '', error).catch(() => {
      throw error;
    });
    yield* state.applyTask(theirs, 'whole');
    if (state.settled) return;
    const { context, link } = this.#parts;
    const { taskId, contextId } = context;
    const told = errorForCaller(error, {
      upstreamTask: state.upstreamTask,
      taskId,
      ...link.errorMappingOf(context),
    }).message;
    const said = `The upstream agent did not take the message: ${told}`;
    if (isUndelivered(error)) await context.unheard();
    yield state.stayAtRest(agentMessage(said, { taskId, contextId }));
    if (!state.settled) yield* this.#follower().resubscribe(undefined);
  }

  #follower(): TaskFollower {
    return new TaskFollower(this.#state, this.#calls, this.#wait, this.#parts.bounds);
  }

  #tell(from: ConstructorParameters<typeof UpstreamTaskState>[3] = {}): UpstreamTaskState {
    return new UpstreamTaskState(this.#parts.context, this.#parts.names, this.#named.resolve, from);
  }
}
