import { type AnsweredTask, taskIdIn, taskIn } from '../../core/middleware/logging.ts';
import { type ReplyTap, tapReply } from '../../core/middleware/tap-reply.ts';
import { type Call, type CallContext, type Invoke, isStream, type Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { rpcAttributes, spanNames, statusAttributes } from '../../core/telemetry/span-names.ts';
import { ActiveTrace, type Span, type SpanAttributes, type Tracing, withTrace } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';

/** Paths of losses that one span tells of. */
const mostLosses = 64;

/**
 * Middleware: a span for each call, from when its request was read until its answer was written, streams included. What
 * the call leads to becomes part of the span. A failure counts as the server's own where its HTTP status would say so.
 */
export function traceCalls(tracing: Tracing, operations: readonly Operation[]): (next: Invoke) => Invoke {
  const names = spanNames(operations);
  return (next) => async (call) => {
    const { context, operation } = call;
    const known = names.get(operation);
    const name = known?.title ?? 'A2A';
    const span = tracing.begin({ name, kind: 'server', parent: context, remote: true });
    if (span.recording) span.set({ ...rpcAttributes(context.binding, known?.method), ...factsOf(call) });
    const traced = { ...call, context: withTrace(context, span.trace) } as Call;
    const work = new ActiveTrace(span.trace);
    try {
      const run = (): Promise<Reply> => tracing.within(span, () => next(traced));
      const reply = await work.run(run);
      if (!span.recording) return reply;
      if (!isStream(reply)) span.set(taskFacts(taskIn(reply.value)));
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
  let told = 0;
  let first = true;
  const tellLosses = (): void => {
    const { losses } = notes;
    if (losses.size === told) return;
    const paths = [...losses].slice(told, told + mostLosses);
    told = losses.size;
    // Of a stream each loss is told when it happens: its header has long been sent.
    if (streams) span.event('a2a.loss', { 'a2a.losses': paths });
    else span.set({ 'a2a.losses': paths });
  };
  return {
    onEvent(event) {
      if (first) span.set({ 'a2a.task.id': short(taskIdIn(event)) });
      first = false;
      tellLosses();
    },
    onEnd(thrown) {
      tellLosses();
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
  // A caller's mistake is no failure of the server's (semantic conventions, recording errors), and is named all the same.
  if (row.http >= 500) span.fail(kind);
  else span.set({ 'error.type': kind });
  span.set(statusAttributes(binding, error));
}

/** Ids that callers chose may be long. */
const mostCharacters = 128;

const short = (text: string | undefined): string | undefined => text?.slice(0, mostCharacters) || undefined;

function factsOf({ context, request }: Call): SpanAttributes {
  const asked = request as { readonly id?: string; readonly taskId?: string; readonly message?: AskedMessage };
  return {
    'a2a.binding': context.binding ?? 'local',
    'a2a.dialect': context.dialect,
    'a2a.request.id': context.requestId,
    'gen_ai.agent.name': context.agent,
    'a2a.task.id': short(asked.message ? asked.message.taskId : (asked.taskId ?? asked.id)),
    'gen_ai.conversation.id': short(asked.message?.contextId),
    'a2a.hops': context.hops || undefined,
  };
}

interface AskedMessage {
  readonly taskId?: string;
  readonly contextId?: string;
}

const taskFacts = (task: AnsweredTask | undefined): SpanAttributes =>
  task
    ? {
        'a2a.task.id': short(task.id),
        'gen_ai.conversation.id': short(task.contextId),
        'a2a.task.state': task.status.state,
      }
    : {};
