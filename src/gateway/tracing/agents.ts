import type { StreamResponse } from '../../core/model/a2a.ts';
import type { Agent, AgentContext } from '../../core/model/agent.ts';
import { requireEvents } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { stateOf } from '../../core/model/lifecycle.ts';
import { tapStream } from '../../core/model/streams.ts';
import type { TaskTraces } from '../../core/telemetry/trace-context.ts';
import { ActiveTrace, type Span, type SpanAttributes, type Tracing, withTrace } from '../../core/telemetry/tracing.ts';
import { addUsage, type Usage } from '../../core/telemetry/usage.ts';

/**
 * Wraps an agent so that each of its runs has a span. The span is a child of the call that began the run, which it may outlive,
 * and is the active span for the agent's own code.
 *
 * @param kind `client`: the agent is remote, and the spans of the attempts to call it are children of the run's span
 */
export function traceAgent(
  name: string,
  agent: Agent,
  kind: 'internal' | 'client',
  { tracing, turns }: { readonly tracing: Tracing; readonly turns: TaskTraces },
): Agent {
  const run = (
    context: AgentContext,
    resumed: boolean,
    begin: (context: AgentContext) => AsyncIterable<StreamResponse>,
  ) => {
    // Semantic conventions for agents of generative AI.
    const links = turns.linksOf(context.key, context);
    const span = tracing.begin({ name: `invoke_agent ${name}`, kind, parent: context, links });
    turns.note(context.key, span.trace);
    if (span.recording) {
      span.set({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        'gen_ai.agent.version': agent.card.version || undefined,
        'gen_ai.conversation.id': context.contextId,
        'a2a.task.id': context.taskId,
        'a2a.request.id': context.requestId,
        'a2a.task.resumed': resumed || undefined,
      });
    }
    return traceRun(tracing, span, () => begin(withTrace(context, span.trace)));
  };
  const { resume } = agent;
  const traced: Pick<Agent, 'execute' | 'resume'> = {
    execute: (request, context) => run(context, false, (inner) => agent.execute(request, inner)),
    ...(resume && {
      resume: (task, context, last) => run(context, true, (inner) => resume.call(agent, task, inner, last)),
    }),
  };
  const bound = new Map<string | symbol, unknown>(Object.entries(traced));
  // All other members are the agent's own, also those that come and go.
  return new Proxy({} as Agent, {
    has: (_, name) => name in agent,
    get(_, name) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(agent, name, agent);
      if (typeof value !== 'function') return value;
      const method: unknown = value.bind(agent);
      bound.set(name, method);
      return method;
    },
  });
}

/** The events of one run, each step of which is taken within its span. */
function traceRun(
  tracing: Tracing,
  span: Span,
  begin: () => AsyncIterable<StreamResponse>,
): AsyncIterable<StreamResponse> {
  const trace = new ActiveTrace(span.trace);
  const within = <T>(step: () => T): T => trace.run(() => tracing.within(span, step));
  const end = (thrown?: unknown): void => {
    if (thrown !== undefined) {
      const { kind } = A2AError.from(thrown);
      // A canceled run is not an error.
      if (kind === 'canceled') span.set({ 'a2a.task.state': 'TASK_STATE_CANCELED' });
      else span.fail(kind);
    }
    trace.end();
    span.end();
  };
  try {
    const source = within(() => requireEvents(begin())[Symbol.asyncIterator]());
    const traced: AsyncIterator<StreamResponse> = {
      next: () => within(() => source.next()),
      return: async () => (await within(() => source.return?.())) ?? { done: true, value: undefined },
    };
    if (!span.recording) return tapStream(traced, { onEnd: end });
    let usage: Usage | undefined;
    return tapStream(traced, {
      onValue(event) {
        setState(span, event);
        const before = usage;
        usage = addUsage(usage, event);
        if (usage && usage !== before) span.set(usageAttributes(usage));
      },
      onEnd: end,
    });
  } catch (thrown) {
    end(thrown);
    throw thrown;
  }
}

function setState(span: Span, event: StreamResponse): void {
  const state = stateOf(event);
  if (state === undefined) return;
  span.set({ 'a2a.task.state': state });
  if (state === 'TASK_STATE_FAILED') span.fail(state);
}

/** Attributes for the usage of a run. The conventions have no name for the cost; programs that display costs read this one. */
const usageAttributes = ({ inputTokens, outputTokens, cost, provider, model }: Usage): SpanAttributes => ({
  'gen_ai.usage.input_tokens': inputTokens,
  'gen_ai.usage.output_tokens': outputTokens,
  'gen_ai.usage.cost': cost,
  'gen_ai.provider.name': provider,
  'gen_ai.response.model': model,
});
