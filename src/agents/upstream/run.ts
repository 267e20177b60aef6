import type { AgentContext } from '../../core/agent.ts';
import { agentMessage, type TaskIds } from '../../core/agent-events.ts';
import { isStream, type LoggedEvent } from '../../core/call.ts';
import { A2AError, type ErrorKind } from '../../core/errors.ts';
import { fold } from '../../core/fold.ts';
import { isResting, isTerminal, stateOf } from '../../core/lifecycle.ts';
import type { UpstreamTask } from '../../core/ports.ts';
import type { SendMessageRequest, StreamResponse, Task } from '../../gen/a2a-v1/types.ts';
import { isNetworkFailure, neverArrived } from '../../net/failures.ts';
import { retry } from '../../net/retry.ts';
import { Calls } from './calls.ts';
import { difference, type Manner, merge, stateAfter } from './difference.ts';
import type { Link } from './link.ts';
import { type Names, namesIn, referredIn, renameEvent, renameMessage } from './names.ts';
import { outgoing } from './outgoing.ts';
import { backoff } from './poll.ts';
import { type Next, Reader } from './reader.ts';
import { same } from './same.ts';

/** How long things may take, and how often they are tried. Milliseconds. */
export interface RunBounds {
  /** Without a sign of life. */
  readonly silence: number;
  /** Of one short call. */
  readonly call: number;
  /** Attempts at what may be repeated, the first included. */
  readonly attempts: number;
  /** The longest wait between two of them. */
  readonly pause: number;
  /** After which a stream that has said nothing is looked behind. */
  readonly quiet: number;
}

export interface RunParts {
  readonly link: Link;
  readonly names: Names;
  readonly context: AgentContext;
  readonly bounds: RunBounds;
  /** Whether the agent streams; told when it turns out that it does not. */
  readonly streams: { get(): boolean; refused(): void };
}

/** Errors with which an agent says that it does not do something at all, having done nothing. */
const cannot: ReadonlySet<ErrorKind> = new Set(['unsupportedOperation', 'methodNotFound', 'routeNotFound']);

type Events = AsyncGenerator<StreamResponse, void>;

/** One turn of an upstream task: says what there is to say, and follows what comes of it until the task rests. */
export class Run {
  readonly #parts: RunParts;
  readonly #calls: Calls;
  readonly #ids: TaskIds;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #bound = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #there: UpstreamTask | undefined;
  #known: Task | undefined;
  /** Whether this turn has brought the task to rest. */
  #rests = false;
  #begun = false;
  #successor: Run | undefined;
  #look: (() => void) | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { taskId, contextId, signal } = parts.context;
    this.#ids = { taskId, contextId };
    this.#calls = new Calls(parts.link, parts.context);
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  /** The task as far as this turn has told of it. */
  get known(): Task | undefined {
    return this.#known;
  }

  /** What the task is called there, once that is known. */
  get there(): UpstreamTask | undefined {
    return this.#there;
  }

  /** Resolves when the task's name there is known, or when the turn has ended without one. */
  get named(): Promise<void> {
    return Promise.race([this.#bound.promise, this.#ended.promise]);
  }

  /** Resolves when the turn is over. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Another turn of the same task takes over: this one tells nothing more, and ends when that one does. */
  giveWay(successor: Run): void {
    this.#successor = successor;
    this.#stop.abort(new A2AError('canceled', 'Another turn follows the task.'));
  }

  /** Looks at once how the task is. */
  look(): void {
    this.#look?.();
  }

  /** Says a message, and follows what comes of it. */
  async *send(request: SendMessageRequest, former: Run | undefined): Events {
    yield* this.#whole(() => this.#send(request, former));
  }

  /** Goes on with a task that a dead gateway followed. */
  async *resume(task: Task): Events {
    yield* this.#whole(() => this.#resume(task));
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
    this.#known = structuredClone(task);
    this.#there = await this.#parts.names.task(this.#parts.context.key);
    if (!this.#there) {
      const said = 'The gateway stopped before the upstream agent had answered; whether it works on this is not known.';
      throw new A2AError('upstreamUnreachable', said);
    }
    this.#begun = true;
    yield* this.#followAgain(undefined);
  }

  async *#send(request: SendMessageRequest, former: Run | undefined): Events {
    const { context, names } = this.#parts;
    const { task } = context;
    const { message } = request;
    if (task) {
      await former?.named;
      this.#known = fold(structuredClone(former?.known ?? task), { message });
      this.#there = await names.task(context.key);
      if (!this.#there) throw new A2AError('invalidAgentResponse', 'The upstream agent does not know this task.');
      former?.giveWay(this);
      this.#begun = true;
    } else {
      this.#known = { ...startOf(this.#ids), history: [message] };
    }
    const before = this.#known.status;
    const there = this.#there ?? { id: '', contextId: (await names.context(context.contextId)) ?? '' };
    const wanted = outgoing(request, there, await names.toTheirs(message.referenceTaskIds));
    let reply: Awaited<ReturnType<Calls['invoke']>>;
    try {
      reply = await this.#say(wanted, task === undefined);
    } catch (thrown) {
      if (!task) throw thrown;
      yield* this.#refused(A2AError.from(thrown));
      return;
    }
    if (isStream(reply)) {
      yield* this.#follow(reply.events);
      return;
    }
    const { message: said, task: made } = reply.value as { message?: StreamResponse['message']; task?: Task };
    if (said) yield* this.#answer({ message: said });
    else if (made) yield* this.#adopt(made, 'pieces');
    else throw new A2AError('invalidAgentResponse', 'The upstream agent answered with neither a task nor a message');
    if (this.#rests) return;
    // An answer that was waited for says how the task is, also where it is as it was.
    if (task && isResting(before.state) && this.#known.status.state === before.state && !this.#isTwoStep()) {
      yield this.#told({ statusUpdate: { ...this.#ids, status: { ...this.#known.status } } });
      return;
    }
    yield* this.#poll();
  }

  /** Sends the message: once, unless it cannot have arrived. */
  async #say(request: SendMessageRequest, opens: boolean) {
    const { streams, bounds, link } = this.#parts;
    await link.open();
    const timeout = bounds.silence;
    const once = async () => {
      if (streams.get()) {
        try {
          return await this.#calls.invoke('SendStreamingMessage', request, { signal: this.#signal, timeout });
        } catch (thrown) {
          if (!cannot.has(A2AError.from(thrown).kind)) throw thrown;
          streams.refused();
        }
      }
      // What continues a task is waited for: a task that still rests may rest anew, or may not have moved yet.
      const configuration = { ...request.configuration, returnImmediately: opens };
      return this.#calls.invoke('SendMessage', { ...request, configuration }, { signal: this.#signal, timeout });
    };
    return retry(once, { repeatable: neverArrived, attempts: 3, signal: this.#signal });
  }

  /**
   * A message that continues a task was refused, or nobody knows whether it arrived. The task is what it is there: only
   * an agent that cannot be asked any more fails it.
   */
  async *#refused(error: A2AError): Events {
    if (error.kind === 'canceled' || error.kind === 'taskNotFound') throw error;
    let theirs: Task;
    try {
      theirs = await this.#read(error);
    } catch {
      throw error;
    }
    yield* this.#adopt(theirs, 'whole');
    if (this.#rests) return;
    const { state } = this.#now().status;
    const said = `The upstream agent did not take the message: ${error.message}`;
    const status = { state, message: agentMessage(said, this.#ids) };
    yield this.#told({ statusUpdate: { ...this.#ids, status } });
    if (!this.#rests) yield* this.#followAgain(undefined);
  }

  /** Follows the stream that a message began, and what comes after it. */
  async *#follow(events: AsyncIterable<LoggedEvent>): Events {
    const reader = this.#reader(events);
    let cause: A2AError | undefined;
    try {
      yield* this.#drain(reader, false);
    } catch (thrown) {
      cause = A2AError.from(thrown);
      if (this.#signal.aborted || !this.#there) throw cause;
    } finally {
      reader.close();
    }
    if (this.#rests) return;
    if (!this.#there)
      throw new A2AError('invalidAgentResponse', 'The stream of the upstream agent ended without a task');
    yield* this.#followAgain(cause);
  }

  /** Finds out what has become of the task, and follows it on: over another stream, or by asking. */
  async *#followAgain(cause: A2AError | undefined): Events {
    let last = cause;
    for (let vain = 0; vain < 2; ) {
      yield* this.#adopt(await this.#read(last), 'whole');
      if (this.#settled()) return;
      const before = this.#known;
      const reader = await this.#subscribe();
      if (!reader) break;
      const heard = this.#heard;
      try {
        yield* this.#drain(reader, true);
      } catch (thrown) {
        last = A2AError.from(thrown);
        if (this.#signal.aborted) throw last;
      } finally {
        reader.close();
      }
      if (this.#rests) return;
      // A stream that brings nothing is worse than asking.
      vain = this.#heard === heard && before !== undefined ? vain + 1 : 0;
    }
    yield* this.#poll();
  }

  /** Events that were news so far. */
  #heard = 0;

  async #subscribe(): Promise<Reader | undefined> {
    const { streams, bounds } = this.#parts;
    if (!streams.get() || !this.#there) return undefined;
    try {
      const bound = { signal: this.#signal, timeout: bounds.silence };
      const reply = await this.#calls.invoke('SubscribeToTask', { id: this.#there.id }, bound);
      return isStream(reply) ? this.#reader(reply.events) : undefined;
    } catch (thrown) {
      if (this.#signal.aborted) throw thrown;
      // Asking for the task tells whether the agent is gone.
      return undefined;
    }
  }

  #reader(events: AsyncIterable<LoggedEvent>): Reader {
    return new Reader(events, this.#signal);
  }

  /**
   * Tells what a stream says, until it ends or the task rests.
   *
   * @param again whether it took up a task that was followed before: then what was missed may be said again or not at all
   */
  async *#drain(reader: Reader, again: boolean): Events {
    const { silence, quiet } = this.#parts.bounds;
    let leads = true;
    /** Whether the stream tells of the task as it was when it began. */
    let anchored = !again;
    let wait = Math.min(quiet, silence);
    let waited = 0;
    for (;;) {
      const next: Next = await reader.next(wait, (look) => {
        this.#look = look;
      });
      if (next.kind === 'end') return;
      if (next.kind === 'event') {
        waited = 0;
        const { event } = next.value;
        if (this.#isForeign(event, leads && !again)) continue;
        if (event.task) anchored = true;
        if (anchored && !(again && endsTask(event))) yield* this.#take(event);
        // What came before was missed, or may be: the task tells.
        else yield* this.#adopt(await this.#read(undefined), 'whole');
        if (again && endsTask(event) && !this.#settled()) yield* this.#take(event);
        if (this.#rests) return;
        wait = leads && event.task ? Math.min(quiet, silence) : silence;
        leads = false;
        continue;
      }
      waited += wait;
      if (!this.#there) {
        if (waited >= silence) throw this.#silent();
        continue;
      }
      // Nothing for a while: is there a sign of life?
      const heard = this.#heard;
      yield* this.#adopt(await this.#glance(), 'whole');
      if (this.#rests) return;
      // It goes on without the stream telling of it.
      if (this.#heard !== heard) return;
      waited = 0;
      wait = Math.min(wait * 2, silence);
    }
  }

  #silent(): A2AError {
    const { silence } = this.#parts.bounds;
    return new A2AError('upstreamTimeout', `The upstream agent gave no sign of life for ${silence} ms`);
  }

  /** Whether an event is about another task; a first answer about another task is nonsense. */
  #isForeign(event: StreamResponse, first: boolean): boolean {
    const { id } = namesIn(event);
    if (id === '' || !this.#there || id === this.#there.id) return false;
    if (first && event.task) {
      throw new A2AError('invalidAgentResponse', 'The upstream agent answered about another task');
    }
    return true;
  }

  /** Tells of one event of a stream. */
  async *#take(event: StreamResponse): Events {
    if (event.message && !event.message.taskId && !this.#begun) {
      yield* this.#answer(event);
      return;
    }
    if (event.message && !this.#begun && !this.#there) {
      yield* this.#answer(event);
      return;
    }
    if (event.task) {
      yield* this.#adopt(event.task, 'whole');
      return;
    }
    await this.#bind(event);
    const known = this.#now();
    if (isTerminal(known.status.state)) return;
    const own = await this.#rename(event);
    const told = own.message ? this.#within(own.message) : own;
    const { statusUpdate } = told;
    if (!statusUpdate) {
      yield this.#told(told);
      return;
    }
    const status = { ...statusUpdate.status, state: stateAfter(known.status.state, statusUpdate.status.state) };
    const unchanged = status.state === known.status.state && same(status.message, known.status.message);
    const { timestamp: at } = known.status;
    const timed = status.timestamp === undefined || at === undefined || status.timestamp === at;
    // Said again, or saying nothing.
    if (unchanged && timed && this.#begun && !statusUpdate.metadata && (this.#heard > 0 || !isResting(status.state))) {
      return;
    }
    const held = status.state !== statusUpdate.status.state && !status.message && !statusUpdate.metadata;
    if (held) return;
    yield this.#told({ statusUpdate: { ...statusUpdate, status } });
  }

  /** A message within a task is something that the agent says while it works. */
  #within(message: NonNullable<StreamResponse['message']>): StreamResponse {
    const { state } = this.#now().status;
    const status = { state: isResting(state) ? ('TASK_STATE_WORKING' as const) : state, message };
    return { statusUpdate: { ...this.#ids, status } };
  }

  /** A message that is the whole answer. */
  async *#answer({ message }: StreamResponse): Events {
    const { context, names } = this.#parts;
    if (!message) return;
    if (!this.#there) await names.bindContext(context.contextId, message.contextId ?? '');
    const tasks = await names.toOurs(message.referenceTaskIds ?? []);
    this.#rests = true;
    yield { message: renameMessage(message, { contextId: context.contextId }, tasks) };
  }

  /** Tells how the task is other than it was known to be. */
  async *#adopt(theirs: Task, manner: Manner): Events {
    await this.#bind({ task: theirs });
    const { task } = await this.#rename({ task: theirs });
    if (!task) return;
    const known = this.#now();
    const first = !this.#begun;
    this.#begun = true;
    if (first && (manner === 'whole' || !isResting(task.status.state))) {
      yield this.#told({ task: merge(known, task) });
      return;
    }
    for (const event of difference(known, task, manner)) yield this.#told(event);
  }

  /** Asks how the task is, again and again, until it rests. */
  async *#poll(): Events {
    const pauses = backoff();
    while (!this.#rests) {
      await this.#pause(pauses.next());
      const heard = this.#heard;
      yield* this.#adopt(await this.#read(undefined), 'pieces');
      if (this.#settled()) return;
      if (this.#heard !== heard) pauses.reset();
    }
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const abort = (): void => reject(A2AError.from(this.#signal.reason));
    this.#look = resolve;
    this.#signal.addEventListener('abort', abort, { once: true });
    if (this.#signal.aborted) abort();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', abort);
    });
  }

  /** The task as the agent has it. What may pass is tried again; then the error says what is wrong, and why it matters. */
  async #read(cause: A2AError | undefined): Promise<Task> {
    const { attempts, pause: cap } = this.#parts.bounds;
    try {
      return await retry(() => this.#glance(), {
        repeatable: (error) => isNetworkFailure(error) || (error instanceof A2AError && passing.has(error.kind)),
        attempts,
        base: 250,
        cap,
        signal: this.#signal,
      });
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind === 'taskNotFound') {
        throw new A2AError('invalidAgentResponse', 'The upstream agent no longer knows this task', { cause: error });
      }
      throw cause && cannot.has(error.kind) ? cause : error;
    }
  }

  #glance(): Promise<Task> {
    const { call, silence } = this.#parts.bounds;
    const bounds = { signal: this.#signal, timeout: Math.min(call, silence) };
    return this.#calls.value('GetTask', { id: this.#there?.id ?? '' }, bounds);
  }

  /** Remembers what the task is called there, durably, before anybody hears of it. */
  async #bind(event: StreamResponse): Promise<void> {
    const { id, contextId } = namesIn(event);
    const there = this.#there;
    if (id === '' || (there && (there.contextId !== '' || contextId === ''))) return;
    this.#there = { id: there?.id ?? id, contextId };
    await this.#parts.names.bind(this.#parts.context.key, this.#ids, this.#there);
    this.#bound.resolve();
  }

  async #rename(event: StreamResponse): Promise<StreamResponse> {
    return renameEvent(event, this.#ids, await this.#parts.names.toOurs(referredIn(event)));
  }

  #told(event: StreamResponse): StreamResponse {
    this.#begun = true;
    this.#heard += 1;
    this.#known = fold(this.#now(), event);
    const state = stateOf(event);
    if (state !== undefined) this.#rests = isResting(state);
    return event;
  }

  /** Whether the task rests, in whoever's turn it came to it, and nothing more is to come of this one. */
  #settled(): boolean {
    return this.#rests || isTerminal(this.#now().status.state);
  }

  #now(): Task {
    this.#known ??= startOf(this.#ids);
    return this.#known;
  }

  #isTwoStep(): boolean {
    return this.#parts.link.choice?.dialect.jsonrpc?.calls.get('SendMessage')?.next !== undefined;
  }
}

const passing: ReadonlySet<ErrorKind> = new Set(['unavailable', 'tooManyRequests']);

const endsTask = (event: StreamResponse): boolean => {
  const state = event.statusUpdate?.status.state;
  return state !== undefined && isResting(state);
};

const startOf = ({ taskId, contextId }: TaskIds): Task => ({
  id: taskId,
  contextId,
  status: { state: 'TASK_STATE_SUBMITTED' },
});
