import type { AgentContext } from '../../core/agent.ts';
import { agentMessage } from '../../core/agent-events.ts';
import { isStream, type LoggedEvent, type Reply } from '../../core/call.ts';
import { A2AError } from '../../core/errors.ts';
import { fold } from '../../core/fold.ts';
import { isResting } from '../../core/lifecycle.ts';
import type { UpstreamTask } from '../../core/ports.ts';
import type { SendMessageRequest, SendMessageResponse, StreamResponse, Task } from '../../gen/a2a-v1/types.ts';
import { isNetworkFailure } from '../../net/failures.ts';
import type { Manner } from './difference.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { outgoing } from './outgoing.ts';
import { Patience } from './patience.ts';
import { backoff } from './poll.ts';
import { Reader } from './reader.ts';
import { Story } from './story.ts';
import { type RunBounds, TaskCalls } from './task-calls.ts';

export interface RunParts {
  readonly link: Link;
  readonly names: Names;
  readonly context: AgentContext;
  readonly bounds: RunBounds;
}

type Events<Result = void> = AsyncGenerator<StreamResponse, Result>;

/** One turn of an upstream task: says what there is to say, and follows what comes of it until the task rests. */
export class Run {
  readonly #parts: RunParts;
  readonly #calls: TaskCalls;
  readonly #stop = new AbortController();
  readonly #patience: Patience;
  readonly #named = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #story: Story;
  #successor: Run | undefined;
  /** When a task that rests as it did before the message is taken to do so; milliseconds since the epoch. */
  #settleBy = Number.POSITIVE_INFINITY;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { context, link, bounds, names } = parts;
    const signal = AbortSignal.any([context.signal, this.#stop.signal]);
    this.#patience = new Patience(signal);
    this.#calls = new TaskCalls(link, context, bounds, signal);
    this.#story = new Story(context, names, this.#named.resolve);
  }

  /** What the task is called there, once that is known. */
  get there(): UpstreamTask | undefined {
    return this.#story.there;
  }

  /** Resolves when the task's name there is known, or when the turn has ended without one. */
  get named(): Promise<void> {
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
  giveWay(successor: Run): Task {
    this.#successor = successor;
    this.#stop.abort(new A2AError('canceled', 'Another turn follows the task.'));
    return this.#story.known;
  }

  /** Looks at once how the task is. */
  look(): void {
    this.#patience.end();
  }

  /**
   * Says a message, and follows what comes of it.
   *
   * @param former the turn that follows the task by now
   */
  send(request: SendMessageRequest, former: Run | undefined): Events {
    return this.#whole(() => this.#send(request, former));
  }

  /** Goes on with a task that a dead gateway followed. */
  resume(task: Task): Events {
    return this.#whole(() => this.#resume(task));
  }

  /** What every turn has in common: it ends with the one that took over, and leaves nothing open. */
  async *#whole(work: () => Events): Events {
    try {
      yield* work();
    } catch (thrown) {
      if (!this.#successor) throw thrown;
    } finally {
      this.#stop.abort();
      this.#ended.resolve();
    }
    await this.#successor?.ended;
  }

  async *#resume(task: Task): Events {
    const { context, names } = this.#parts;
    const there = await names.task(context.key);
    if (!there) {
      const said = 'The gateway stopped before the upstream agent had answered; whether it works on this is not known.';
      throw new A2AError('upstreamUnreachable', said);
    }
    this.#story = new Story(context, names, this.#named.resolve, structuredClone(task));
    this.#story.is(there);
    yield* this.#followAgain(undefined);
  }

  async *#send(request: SendMessageRequest, former: Run | undefined): Events {
    const { context, names } = this.#parts;
    const { message } = request;
    const continues = context.task !== undefined;
    this.#story = context.task
      ? await this.#takeOver(context.task, request, former)
      : new Story(context, names, this.#named.resolve, undefined, message);
    const there = this.#story.there ?? { id: '', contextId: (await names.context(context.contextId)) ?? '' };
    const wanted = outgoing(request, there, await names.toTheirs(message.referenceTaskIds));
    let reply: Reply;
    try {
      reply = await this.#calls.say(wanted, continues);
    } catch (thrown) {
      if (!continues) throw thrown;
      yield* this.#refused(A2AError.from(thrown));
      return;
    }
    if (isStream(reply)) yield* this.#follow(reply.events);
    else yield* this.#answered(reply.value as SendMessageResponse, continues);
  }

  /** Goes on with a task where the turn before left it, or is. */
  async #takeOver(task: Task, { message }: SendMessageRequest, former: Run | undefined): Promise<Story> {
    const { context, names } = this.#parts;
    await former?.named;
    const there = await names.task(context.key);
    if (!there) throw new A2AError('invalidAgentResponse', 'The upstream agent does not know this task');
    const before = structuredClone(former?.giveWay(this) ?? task);
    const story = new Story(context, names, this.#named.resolve, fold(before, { message }));
    story.is(there);
    return story;
  }

  /** An answer that is no stream. */
  async *#answered({ message, task }: SendMessageResponse, continues: boolean): Events {
    const story = this.#story;
    if (message) yield await story.answer(message);
    else if (task) yield* story.adopt(task, 'pieces');
    else throw new A2AError('invalidAgentResponse', 'The upstream agent answered with neither a task nor a message');
    if (story.settled) return;
    // What was waited for says how the task is, also where it is as it was. Agents of two steps do not wait.
    if (continues && this.#parts.link.waits) this.#settleBy = 0;
    if (this.#isAsBefore()) yield story.restAgain();
    else yield* this.#poll();
  }

  /**
   * A message that continues a task was refused, or nobody knows whether it arrived. The task is what it is there: only
   * an agent that cannot be asked any more fails it.
   */
  async *#refused(error: A2AError): Events {
    const story = this.#story;
    if (error.kind === 'canceled' || error.kind === 'taskNotFound') throw error;
    const theirs = await this.#calls.read(story.there?.id ?? '', error).catch(() => {
      throw error;
    });
    yield* story.adopt(theirs, 'whole');
    if (story.settled) return;
    const { taskId, contextId } = this.#parts.context;
    const said = `The upstream agent did not take the message: ${error.message}`;
    yield story.restAgain(agentMessage(said, { taskId, contextId }));
    if (!story.settled) yield* this.#followAgain(undefined);
  }

  /** Follows the stream that a message began, and what comes after it. */
  async *#follow(events: AsyncIterable<LoggedEvent>): Events {
    const story = this.#story;
    let cause: A2AError | undefined;
    try {
      if (yield* this.#drain(events, false)) {
        yield* this.#poll();
        return;
      }
      // The agent itself says that there is no more to come.
      this.#settleBy = 0;
    } catch (thrown) {
      cause = A2AError.from(thrown);
      if (this.#patience.over || !story.there) throw cause;
      this.#settleSoon();
    }
    if (story.settled) return;
    if (!story.there)
      throw new A2AError('invalidAgentResponse', 'The stream of the upstream agent ended without a task');
    yield* this.#followAgain(cause);
  }

  /** Finds out what has become of the task, and follows it on: over another stream, or by asking. */
  async *#followAgain(cause: A2AError | undefined): Events {
    const story = this.#story;
    let last = cause;
    // Streams that bring nothing are worse than asking.
    for (let vain = 0; vain < 2; ) {
      yield* this.#lookOver('whole', last);
      if (story.settled) return;
      const events = await this.#calls.subscribe(story.there?.id ?? '');
      if (!events) break;
      const { news } = story;
      try {
        if (yield* this.#drain(events, true)) break;
      } catch (thrown) {
        last = A2AError.from(thrown);
        if (this.#patience.over) throw last;
      }
      if (story.settled) return;
      vain = story.news === news ? vain + 1 : 0;
    }
    yield* this.#poll();
  }

  /**
   * Tells what a stream says, until it ends or the task rests. Returns whether the task goes on without the stream
   * telling of it.
   *
   * @param again whether it took up a task that was followed before: what was missed may be said again, or not at all
   */
  async *#drain(events: AsyncIterable<LoggedEvent>, again: boolean): Events<boolean> {
    const story = this.#story;
    const { silence, quiet } = this.#parts.bounds;
    const reader = new Reader(events, this.#patience);
    /** Whether the stream told how the task was when it began. */
    let anchored = !again;
    let first = true;
    let wait = silence;
    try {
      for (;;) {
        const next = await reader.next(wait);
        if (next.kind === 'end') return false;
        if (next.kind === 'nothing') {
          const { news } = story;
          yield* this.#lookBehind(wait >= silence);
          if (story.settled) return false;
          if (story.news !== news) return true;
          wait = Math.min(wait * 2, silence);
          continue;
        }
        const { event } = next;
        if (story.isForeign(event)) continue;
        anchored ||= event.task !== undefined;
        const ends = endsTurn(event);
        // Only the task itself tells whether something was missed.
        if (again && (!anchored || ends)) yield* this.#lookOver('whole', undefined);
        if (anchored && !(ends && story.settled)) yield* story.take(event, first && !again);
        if (story.settled) return false;
        wait = first && event.task ? Math.min(quiet, silence) : silence;
        first = false;
      }
    } finally {
      reader.close();
    }
  }

  /**
   * A stream has said nothing for a while: is there a sign of life, or news that it does not tell?
   *
   * @param last whether it has been silent for as long as it may be
   */
  async *#lookBehind(last: boolean): Events {
    const story = this.#story;
    const { silence } = this.#parts.bounds;
    const silent = new A2AError('upstreamTimeout', `The upstream agent gave no sign of life for ${silence} ms`);
    if (!story.there) {
      if (last) throw silent;
      return;
    }
    const theirs = await this.#calls.glance(story.there.id).catch((thrown: unknown) => {
      if (this.#patience.over) throw thrown;
      if (last && isNetworkFailure(thrown)) throw silent;
      return undefined;
    });
    if (theirs) yield* story.adopt(theirs, 'whole');
    if (!story.settled && this.#isAsBefore()) yield story.restAgain();
  }

  /** Asks how the task is, and tells what is new. */
  async *#lookOver(manner: Manner, cause: A2AError | undefined): Events {
    const story = this.#story;
    yield* story.adopt(await this.#calls.read(story.there?.id ?? '', cause), manner);
    if (!story.settled && this.#isAsBefore()) yield story.restAgain();
  }

  /** Asks how the task is, again and again, until it rests. */
  async *#poll(): Events {
    const story = this.#story;
    this.#settleSoon();
    for (const pauses = backoff(); !story.settled; ) {
      await this.#patience.wait(pauses.next());
      const { news } = story;
      yield* this.#lookOver('pieces', undefined);
      if (story.news !== news) pauses.reset();
    }
  }

  /** An agent that has not begun with the message gets a moment to do so. */
  #settleSoon(): void {
    this.#settleBy = Math.min(this.#settleBy, Date.now() + this.#parts.bounds.settle);
  }

  /** Whether the task waits for its client as it did before the message, and is not about to begin. */
  #isAsBefore(): boolean {
    return isResting(this.#story.known.status.state) && Date.now() >= this.#settleBy;
  }
}

const endsTurn = ({ statusUpdate }: StreamResponse): boolean =>
  statusUpdate !== undefined && isResting(statusUpdate.status.state);
