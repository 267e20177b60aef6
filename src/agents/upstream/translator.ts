import type { Message, SendMessageRequest, StreamResponse, Task } from '../../core/model/a2a.ts';
import { singleEvent, unloggedEvent } from '../../core/model/agent-events.ts';
import {
  type Call,
  type CallContext,
  type Invoke,
  isStream,
  type LoggedEvent,
  type Reply,
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
 * Passes calls on to an agent whose tasks the gateway does not keep (`keep: none`): the agent's own ids, its own tasks,
 * and only the operations that its dialect has. What is left to the gateway is the conversion of messages, events, errors
 * and ids that one side chooses and the other does not.
 *
 * @param timeout milliseconds that an answer, or the beginning of a stream, may take
 */
export function createTranslator(connection: UpstreamConnection, timeout: number): Invoke {
  /** One call of the agent, repeated when it cannot have arrived. */
  const ask = async <K extends OperationName>(
    operation: K,
    { tenant: _, ...request }: RequestOf<K> & { readonly tenant?: string },
    context: CallContext,
    newTaskId?: string,
  ): Promise<Reply> => {
    const { signal, deadline = Number.POSITIVE_INFINITY, replay, idempotencyKey } = context;
    const bounds = {
      signal,
      timeout: Math.max(1, Math.min(timeout, deadline - Date.now())),
      ...(typeof replay === 'object' && { after: replay.after }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      newTaskId,
    };
    const attempt = () => callUpstream(connection, originOf(context), operation, request as RequestOf<K>, bounds);
    return retry(attempt, { repeatable: neverArrived, attempts: 3, signal, onRetry: connection.onRetry });
  };

  const getTask = async (id: string, context: CallContext): Promise<Task> => {
    const bounds = { signal: context.signal, timeout };
    return upstreamValue(connection, originOf(context), 'GetTask', { id }, bounds);
  };

  const send = async (call: Call<'SendMessage' | 'SendStreamingMessage'>): Promise<Reply> => {
    const { operation, request, context } = call;
    const { semantics } = context;
    try {
      await connection.open();
    } catch (thrown) {
      throw markUndelivered(A2AError.from(thrown));
    }
    const namesTasks = connection.choice?.dialect.callersName === true;
    const message = namesTasks ? withTaskId(request.message) : request.message;
    // The caller's dialect writes events with the help of the task as it was before them.
    const isLate = connection.opensLate(operation);
    const needsPrior = (semantics.needsBefore || isLate) && message.taskId !== undefined;
    // A caller that chooses the ids of new tasks meets an agent that chooses them itself.
    const mayBeNew = semantics.namesTask === true && !namesTasks && message.taskId !== undefined;
    let isNew = false;
    const onFailure = (thrown: unknown): undefined => {
      isNew = mayBeNew && A2AError.from(thrown).kind === 'taskNotFound';
    };
    const priorTask =
      needsPrior || mayBeNew ? await getTask(message.taskId ?? '', context).catch(onFailure) : undefined;
    const { taskId: __, ...untold } = message;
    const sent = { ...request, message: isNew ? untold : message } as SendMessageRequest;
    const newTaskId = request.message.taskId === undefined ? message.taskId : undefined;
    const reply = await ask(operation, sent, context, newTaskId);
    const asTask = (event: StreamResponse): StreamResponse => asTaskEvent(event, context);
    if (isStream(reply)) {
      const taskOf = async (ids: Pick<Task, 'id' | 'contextId'>): Promise<Task> => {
        const opened = { ...ids, status: { state: 'TASK_STATE_SUBMITTED' as const }, history: [request.message] };
        return priorTask ?? (request.message.taskId ? getTask(ids.id, context) : opened);
      };
      const isKnown = isNew || message.taskId === undefined || priorTask !== undefined;
      const get = (id: string): Promise<Task> => getTask(id, context);
      const late = isLate && isKnown ? { before: priorTask, get } : undefined;
      const whole = withOneTask(reply.events, taskOf, late);
      const events = semantics.tasksOnly ? mapEvents(withOneMessage(whole), asTask) : whole;
      return { ...reply, events, ...(needsPrior && priorTask && { priorTask }) };
    }
    return semantics.tasksOnly ? ({ ...reply, value: asTask(reply.value as StreamResponse) } as Reply) : reply;
  };

  /** SubscribeToTask, also as older dialects mean it: a task that is over is an answer and no error. */
  const subscribe = async ({ operation, request, context }: Call<'SubscribeToTask'>): Promise<Reply> => {
    const { replay, endedToo } = context.semantics;
    const asStream = async (): Promise<Reply> => ({
      events: singleEvent(unloggedEvent({ task: await getTask(request.id, context) }, 1, Date.now())),
    });
    if (replay === 'snapshot') return asStream();
    try {
      const reply = await ask(operation, request, context);
      if (!isStream(reply) || typeof context.replay === 'object') return reply;
      const get = (id: string): Promise<Task> => getTask(id, context);
      const late = connection.opensLate(operation) ? { before: undefined, get } : undefined;
      return { ...reply, events: withOneTask(reply.events, ({ id }) => get(id), late) };
    } catch (thrown) {
      if (!isUnsupported(thrown) || (replay !== 'latest-turn' && !endedToo)) throw thrown;
      const task = await getTask(request.id, context);
      if (!isTerminal(task.status.state)) throw thrown;
      return { events: singleEvent(unloggedEvent({ task }, 1, Date.now())) };
    }
  };

  /** The operations whose calls or answers differ between dialects by more than their fields. */
  const converted: { readonly [K in OperationName]?: (call: Call<K>) => Promise<Reply> } = {
    SendMessage: send,
    SendStreamingMessage: send,
    SubscribeToTask: subscribe,
  };
  const translate = ({ operation, request, context }: Call): Promise<Reply> => {
    const convert = converted[operation as OperationName] as ((call: Call) => Promise<Reply>) | undefined;
    if (convert) return convert({ operation, request, context } as Call);
    return ask(operation, request as never, context);
  };

  return async (call) => {
    const forCaller = (thrown: unknown): A2AError => connection.errorForCaller(thrown, call.context);
    try {
      const reply = await translate(call);
      return isStream(reply) ? { ...reply, events: mapEvents(reply.events, (event) => event, forCaller) } : reply;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      throw forCaller(provesNothingRan(error) ? markUndelivered(error) : error);
    }
  };
}

/** A message for an agent that expects its caller to choose the ids of tasks and contexts. */
const withTaskId = (message: Message): Message =>
  message.taskId ? message : { ...message, taskId: newId(), contextId: message.contextId || newId() };

/** For callers whose dialect has no direct Messages: a completed task, which the agent does not know. */
function asTaskEvent(event: StreamResponse, { notes }: CallContext): StreamResponse {
  const { message } = event;
  if (!message) return event;
  notes.losses.add('message');
  const { taskId: id = newId(), contextId = newId() } = message;
  const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp: new Date().toISOString(), message };
  return { task: { id, contextId, status } };
}

/** The same stream with other events and errors. */
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
