import { type Call, type CallContext, type Invoke, isStream, type Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { type ReplyTap, tapReply } from '../../core/model/streams.ts';
import { type AnsweredTask, shortenedId, taskIdIn, taskIn } from '../../core/telemetry/call-fields.ts';
import { rpcAttributes, spanNames, statusAttributes } from '../../core/telemetry/span-names.ts';
import { ActiveTrace, type Span, type SpanAttributes, type Tracing, withTrace } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';

/** Largest number of paths of losses in one span event. */
const mostLosses = 64;

/**
 * Middleware: a span for each call, from when its request was read until its answer was written, streams included. Work that the
 * call starts becomes part of it. An error counts as the server's own if its HTTP status is 500 or above.
 */
export function traceCalls(tracing: Tracing, operations: readonly Operation[]): (next: Invoke) => Invoke {
  const names = spanNames(operations);
  return (next) => async (call) => {
    const { context, operation } = call;
    const known = names.get(operation);
    const name = known?.title ?? 'A2A';
    // A call within this process has no span on a wire.
    const remote = context.binding !== undefined;
    const span = tracing.begin({ name, kind: remote ? 'server' : 'internal', parent: context, remote });
    if (span.recording) span.set({ ...rpcAttributes(context.binding, known?.method), ...factsOf(call) });
    const traced = { ...call, context: withTrace(context, span.trace) } as Call;
    const work = new ActiveTrace(span.trace);
    try {
      const run = (): Promise<Reply> => tracing.within(span, () => next(traced));
      const reply = await work.run(run);
      if (!span.recording) return reply;
      if (!isStream(reply) && !reply.taskFacts) span.set(taskFacts(taskIn(reply.value)));
      return tapReply(reply, watchOf(span, work, context, isStream(reply)));
    } catch (thrown) {
      fail(span, thrown, context);
      work.end();
      span.end();
      throw thrown;
    }
  };
}

function watchOf(span: Span, work: ActiveTrace, context: CallContext, streams: boolean): ReplyTap {
  const { notes } = context;
  let recorded = 0;
  let first = true;
  const recordLosses = (): void => {
    const { losses } = notes;
    if (losses.size === recorded) return;
    const paths = [...losses].slice(recorded, recorded + mostLosses);
    recorded = losses.size;
    // The losses of a stream are recorded when they happen.
    if (streams) span.event('a2a.loss', { 'a2a.losses': paths });
    else span.set({ 'a2a.losses': paths });
  };
  return {
    onEvent(event) {
      if (first) span.set({ 'a2a.task.id': shortenedId(taskIdIn(event)) });
      first = false;
      recordLosses();
    },
    onEnd(thrown) {
      recordLosses();
      if (thrown !== undefined) fail(span, thrown, context);
      work.end();
      span.end();
    },
  };
}

function fail(span: Span, thrown: unknown, { binding }: CallContext): void {
  if (!span.recording) return;
  const error = A2AError.from(thrown);
  const { kind, row } = error;
  // A caller's error is not a failure of the server (semantic conventions, recording errors).
  if (row.http >= 500) span.fail(kind);
  else span.set({ 'error.type': kind });
  span.set(statusAttributes(binding, row));
}

function factsOf({ context, request }: Call): SpanAttributes {
  const { id, taskId, message } = request as TaskReference;
  return {
    'a2a.binding': context.binding ?? 'local',
    'a2a.dialect': context.dialect,
    'a2a.request.id': context.requestId,
    'gen_ai.agent.name': context.agent,
    'a2a.task.id': shortenedId(message ? message.taskId : (taskId ?? id)),
    'gen_ai.conversation.id': shortenedId(message?.contextId),
    'a2a.hops': context.hops || undefined,
  };
}

/** Members of requests that identify their task. */
interface TaskReference {
  readonly id?: string;
  readonly taskId?: string;
  readonly message?: { readonly taskId?: string; readonly contextId?: string };
}

const taskFacts = (task: AnsweredTask | undefined): SpanAttributes =>
  task
    ? {
        'a2a.task.id': shortenedId(task.id),
        'gen_ai.conversation.id': shortenedId(task.contextId),
        'a2a.task.state': task.status.state,
      }
    : {};
