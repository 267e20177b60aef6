import type { Choice } from '../../client/choose.ts';
import { watchReply } from '../../core/middleware/tap-reply.ts';
import { operations } from '../../core/model/a2a.ts';
import { type BindingKind, type Call, type Invoke, isStream } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { rpcFacts, spanNames, statusFacts } from '../../core/telemetry/span-names.ts';
import { placed, type Span, type Tracing } from '../../core/telemetry/tracing.ts';
import { operations as ofKnowledge } from '../../gen/knowledge-v1/operations.ts';

const names = spanNames([...operations, ...ofKnowledge]);

/** Where calls go. */
export interface Way {
  /** Name of the agent in this gateway. */
  readonly agent: string;
  readonly choice: Choice;
  readonly url: URL;
}

/** Middleware: a span for each attempt to call an upstream, to the end of its answer; the upstream is told of it. */
export function traceUpstream(tracing: Tracing, { agent, choice, url }: Way): (next: Invoke) => Invoke {
  const { name: binding } = choice.binding;
  const port = url.port === '' ? undefined : Number(url.port);
  const place = {
    'gen_ai.agent.name': agent,
    'a2a.binding': binding,
    'a2a.dialect': choice.dialect.name,
    'server.address': url.hostname,
    'server.port': port,
  };
  return (next) => async (call) => {
    const { context, operation } = call;
    const known = names.get(operation);
    const span = tracing.begin({ name: known?.title ?? 'A2A', kind: 'client', parent: context });
    if (span.recording) {
      span.set({ ...rpcFacts(binding, known?.method), ...place, 'a2a.request.id': context.requestId });
    }
    try {
      const reply = await next({ ...call, context: placed(context, span.trace) } as Call);
      if (isStream(reply) && span.recording) {
        return watchReply(reply, {
          onEnd(thrown) {
            if (thrown !== undefined) fail(span, thrown, binding);
            span.end();
          },
        });
      }
      span.end();
      return reply;
    } catch (thrown) {
      fail(span, thrown, binding);
      span.end();
      throw thrown;
    }
  };
}

/** To whoever calls, every error is a failure; that the gateway itself gave up is none. */
function fail(span: Span, thrown: unknown, binding: BindingKind): void {
  if (!span.recording) return;
  const error = A2AError.from(thrown);
  const { kind } = error;
  if (kind === 'canceled') span.set({ 'error.type': kind });
  else span.fail(kind);
  span.set(statusFacts(binding, error));
}
