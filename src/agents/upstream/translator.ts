import type { Message, SendMessageRequest, StreamResponse, Task } from '../../core/model/a2a.ts';
import { singleEvent, unloggedEvent } from '../../core/model/agent-events.ts';
import {
  type Call,
  type CallContext,
  type Invoke,
  isStream,
  type LoggedEvent,
  type Reply,
  type StreamReply,
} from '../../core/model/call.ts';
import { A2AError, markUndelivered } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import { isTerminal } from '../../core/model/lifecycle.ts';
import { streamOver } from '../../core/model/streams.ts';
import { originOf } from '../../core/tasks/run-context.ts';
import type { OperationName, RequestOf } from '../../gen/services.ts';
import { neverArrived } from '../../net/network-errors.ts';
import { provesNothingRan } from '../../net/nothing-ran.ts';
import { retry } from '../../net/retry.ts';
import { callUpstream, isUnsupported, upstreamValue } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import { withOneMessage } from './join-messages.ts';
import { withOneTask } from './one-task.ts';

/**
 * Passes calls on to an agent whose tasks the gateway does not keep (`keep: none`), with the agent's own ids and tasks, and only
 * the operations of its dialect. The gateway converts only messages, events and errors, and ids that one side chooses and the
 * other does not.
 *
 * @param timeout milliseconds that an answer, or the beginning of a stream, may take
 */
export function createTranslator(connection: UpstreamConnection, timeout: number): Invoke {
  const translator = new Translator(connection, timeout);
  return (call) => translator.call(call);
}

type SendCall = Call<'SendMessage' | 'SendStreamingMessage'>;

/** The task before a message, if it was read. */
interface PriorTask {
  readonly task: Task | undefined;
  /** Whether the agent does not know the task, so that the message opens it. */
  readonly isNew: boolean;
  /** Whether the caller's dialect needs the task before an event to encode the event. */
  readonly isShown: boolean;
}

const noPriorTask: PriorTask = { task: undefined, isNew: false, isShown: false };

class Translator {
  readonly #connection: UpstreamConnection;
  readonly #timeout: number;
  /** The operations whose calls or answers differ between dialects by more than their fields. */
  readonly #converted: { readonly [K in OperationName]?: (call: Call<K>) => Promise<Reply> } = {
    SendMessage: (call) => this.#send(call),
    SendStreamingMessage: (call) => this.#send(call),
    SubscribeToTask: (call) => this.#subscribe(call),
  };

  constructor(connection: UpstreamConnection, timeout: number) {
    this.#connection = connection;
    this.#timeout = timeout;
  }

  async call(call: Call): Promise<Reply> {
    const forCaller = (thrown: unknown): A2AError => this.#connection.errorForCaller(thrown, call.context);
    try {
      const reply = await this.#translate(call);
      return isStream(reply) ? { ...reply, events: mapEvents(reply.events, (event) => event, forCaller) } : reply;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      throw forCaller(provesNothingRan(error) ? markUndelivered(error) : error);
    }
  }

  #translate({ operation, request, context }: Call): Promise<Reply> {
    const convert = this.#converted[operation as OperationName] as ((call: Call) => Promise<Reply>) | undefined;
    if (convert) return convert({ operation, request, context } as Call);
    return this.#ask(operation, request as never, context);
  }

  /** Makes one call of the agent. It is repeated if it cannot have arrived. */
  #ask<K extends OperationName>(
    operation: K,
    { tenant: _, ...request }: RequestOf<K> & { readonly tenant?: string },
    context: CallContext,
    newTaskId?: string,
  ): Promise<Reply> {
    const connection = this.#connection;
    const { signal, deadline = Number.POSITIVE_INFINITY, replay, idempotencyKey } = context;
    const bounds = {
      signal,
      timeout: Math.max(1, Math.min(this.#timeout, deadline - Date.now())),
      ...(typeof replay === 'object' && { after: replay.after }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      newTaskId,
    };
    const attempt = () => callUpstream(connection, originOf(context), operation, request as RequestOf<K>, bounds);
    return retry(attempt, { repeatable: neverArrived, attempts: 3, signal, onRetry: connection.onRetry });
  }

  #getTask(id: string, context: CallContext): Promise<Task> {
    const bounds = { signal: context.signal, timeout: this.#timeout };
    return upstreamValue(this.#connection, originOf(context), 'GetTask', { id }, bounds);
  }

  async #send(call: SendCall): Promise<Reply> {
    const { operation, request, context } = call;
    const { semantics } = context;
    try {
      await this.#connection.open();
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
    const namesTasks = this.#connection.choice?.dialect.callersName === true;
    const message = namesTasks ? withTaskId(request.message) : request.message;
    const isLate = this.#connection.opensLate(operation);
    const isShown = semantics.needsBefore || isLate;
    // The caller chooses the ids of new tasks, and so does the agent.
    const mayBeNew = semantics.namesTask === true && !namesTasks;
    const readsPrior = message.taskId !== undefined && (isShown || mayBeNew);
    const prior = readsPrior ? await this.#priorOf(message, context, { isShown, mayBeNew }) : noPriorTask;
    const sent = { ...request, message: prior.isNew ? withoutTaskId(message) : message } as SendMessageRequest;
    const newTaskId = request.message.taskId === undefined ? message.taskId : undefined;
    const reply = await this.#ask(operation, sent, context, newTaskId);
    if (isStream(reply)) {
      const isKnown = prior.isNew || message.taskId === undefined || prior.task !== undefined;
      return this.#streamOf(reply, call, prior, isLate && isKnown);
    }
    if (!semantics.tasksOnly) return reply;
    return { ...reply, value: asTaskEvent(reply.value as StreamResponse, context) } as Reply;
  }

  async #priorOf(
    { taskId = '' }: Message,
    context: CallContext,
    { isShown, mayBeNew }: { readonly isShown: boolean; readonly mayBeNew: boolean },
  ): Promise<PriorTask> {
    try {
      return { task: await this.#getTask(taskId, context), isNew: false, isShown };
    } catch (thrown) {
      const isNew = mayBeNew && A2AError.from(thrown).kind === 'taskNotFound';
      return { task: undefined, isNew, isShown };
    }
  }

  /** @param misses whether the stream was opened after its message, and may lack events of a known task */
  #streamOf(reply: StreamReply, { request, context }: SendCall, prior: PriorTask, misses: boolean): Reply {
    const { message } = request;
    const taskOf = async (ids: Pick<Task, 'id' | 'contextId'>): Promise<Task> => {
      const opened = { ...ids, status: { state: 'TASK_STATE_SUBMITTED' as const }, history: [message] };
      return prior.task ?? (message.taskId ? this.#getTask(ids.id, context) : opened);
    };
    const get = (id: string): Promise<Task> => this.#getTask(id, context);
    const whole = withOneTask(reply.events, taskOf, misses ? { before: prior.task, get } : undefined);
    const events = context.semantics.tasksOnly
      ? mapEvents(withOneMessage(whole), (event) => asTaskEvent(event, context))
      : whole;
    return { ...reply, events, ...(prior.isShown && prior.task && { priorTask: prior.task }) };
  }

  /**
   * SubscribeToTask, also with the meaning of older dialects, in which the answer for a task that is over is the task and not an
   * error.
   */
  async #subscribe({ operation, request, context }: Call<'SubscribeToTask'>): Promise<Reply> {
    const { replay, endedToo } = context.semantics;
    const asStream = (task: Task): Reply => ({ events: singleEvent(unloggedEvent({ task }, 1, Date.now())) });
    if (replay === 'snapshot') return asStream(await this.#getTask(request.id, context));
    try {
      const reply = await this.#ask(operation, request, context);
      if (!isStream(reply) || typeof context.replay === 'object') return reply;
      const get = (id: string): Promise<Task> => this.#getTask(id, context);
      const late = this.#connection.opensLate(operation) ? { before: undefined, get } : undefined;
      return { ...reply, events: withOneTask(reply.events, ({ id }) => get(id), late) };
    } catch (thrown) {
      if (!isUnsupported(thrown) || (replay !== 'latest-turn' && !endedToo)) throw thrown;
      const task = await this.#getTask(request.id, context);
      if (!isTerminal(task.status.state)) throw thrown;
      return asStream(task);
    }
  }
}

/** A message for an agent that expects its caller to choose the ids of tasks and contexts. */
const withTaskId = (message: Message): Message =>
  message.taskId ? message : { ...message, taskId: newId(), contextId: message.contextId || newId() };

function withoutTaskId({ taskId: _, ...message }: Message): Message {
  return message;
}

/** An event for callers whose dialect has no direct Messages: a completed task, which the agent does not know. */
function asTaskEvent(event: StreamResponse, { notes }: CallContext): StreamResponse {
  const { message } = event;
  if (!message) return event;
  notes.losses.add('message');
  const { taskId: id = newId(), contextId = newId() } = message;
  const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp: new Date().toISOString(), message };
  return { task: { id, contextId, status } };
}

/** A stream whose events and errors are converted. */
function mapEvents(
  source: AsyncIterable<LoggedEvent>,
  map: (event: StreamResponse) => StreamResponse,
  errorOf: (thrown: unknown) => unknown = (thrown) => thrown,
): AsyncIterableIterator<LoggedEvent> {
  const events = source[Symbol.asyncIterator]();
  return streamOver(events, async () => {
    try {
      const step = await events.next();
      if (step.done) return step;
      const event = map(step.value.event);
      return event === step.value.event
        ? step
        : { done: false, value: unloggedEvent(event, step.value.seq, Date.now()) };
    } catch (thrown) {
      throw errorOf(thrown);
    }
  });
}
