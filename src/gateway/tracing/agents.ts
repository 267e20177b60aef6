import type { StreamResponse } from '../../core/model/a2a.ts';
import type { Agent, AgentContext } from '../../core/model/agent.ts';
import { requireEvents } from '../../core/model/agent-failure.ts';
import { A2AError } from '../../core/model/errors.ts';
import { stateOf } from '../../core/model/lifecycle.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { TaskTraces } from '../../core/telemetry/task-traces.ts';
import { ActiveTrace, type Span, type Tracing, withTrace } from '../../core/telemetry/tracing.ts';

/**
 * An agent each of whose runs is a span: a child of the call that began it, which it may outlive. The agent's own code
 * finds it as the active span.
 */
function traceAgent(name: string, agent: Agent, tracing: Tracing, turns: TaskTraces): Agent {
  const run = (
    context: AgentContext,
    resumed: boolean,
    begin: (context: AgentContext) => AsyncIterable<StreamResponse>,
  ) => {
    // Semantic conventions for agents of generative AI.
    const span = tracing.begin({ name: `invoke_agent ${name}`, kind: 'internal', parent: context });
    turns.note(context.key, span.trace);
    if (span.recording) {
      span.set({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        'gen_ai.conversation.id': context.contextId,
        'a2a.task.id': context.taskId,
        'a2a.request.id': context.requestId,
        'a2a.task.resumed': resumed || undefined,
      });
    }
    return new TracedRun(tracing, span, () => begin(withTrace(context, span.trace)));
  };
  const { resume } = agent;
  const traced: Pick<Agent, 'execute' | 'resume'> = {
    execute: (request, context) => run(context, false, (inner) => agent.execute(request, inner)),
    ...(resume && { resume: (task, context) => run(context, true, (inner) => resume.call(agent, task, inner)) }),
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

/** The same agents, with a span for each run. The directory may change. */
export function traceDirectory(agents: AgentDirectory, tracing: Tracing, turns: TaskTraces): AgentDirectory {
  const cache = new WeakMap<Agent, Agent>();
  const tracedOf = (name: string, agent: Agent): Agent => {
    const traced = cache.get(agent) ?? traceAgent(name, agent, tracing, turns);
    cache.set(agent, traced);
    return traced;
  };
  return {
    get defaultName() {
      return agents.defaultName;
    },
    get names() {
      return agents.names;
    },
    get(name) {
      const agent = agents.get(name);
      return agent && tracedOf(name, agent);
    },
    forHost: (host) => agents.forHost(host),
  };
}

/** The events of one run. Each step runs within the span. */
class TracedRun implements AsyncIterableIterator<StreamResponse> {
  readonly #tracing: Tracing;
  readonly #span: Span;
  readonly #work: ActiveTrace;
  readonly #source: AsyncIterator<StreamResponse>;
  #over = false;

  constructor(tracing: Tracing, span: Span, begin: () => AsyncIterable<StreamResponse>) {
    this.#tracing = tracing;
    this.#span = span;
    this.#work = new ActiveTrace(span.trace);
    try {
      this.#source = this.#within(() => requireEvents(begin())[Symbol.asyncIterator]());
    } catch (thrown) {
      this.#fail(thrown);
      throw thrown;
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamResponse>> {
    try {
      const step = await this.#within(() => this.#source.next());
      if (step.done) this.#end();
      else this.#note(step.value);
      return step;
    } catch (thrown) {
      this.#fail(thrown);
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<StreamResponse>> {
    this.#end();
    await this.#within(() => this.#source.return?.());
    return { done: true, value: undefined };
  }

  #within<T>(step: () => T): T {
    return this.#work.run(() => this.#tracing.within(this.#span, step));
  }

  #note(event: StreamResponse): void {
    if (this.#over || !this.#span.recording) return;
    const state = stateOf(event);
    if (state === undefined) return;
    this.#span.set({ 'a2a.task.state': state });
    if (state === 'TASK_STATE_FAILED') this.#span.fail(state);
  }

  #fail(thrown: unknown): void {
    if (this.#over) return;
    const { kind } = A2AError.from(thrown);
    // A run that was canceled has not failed.
    if (kind === 'canceled') this.#span.set({ 'a2a.task.state': 'TASK_STATE_CANCELED' });
    else this.#span.fail(kind);
    this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#work.end();
    this.#span.end();
  }
}
