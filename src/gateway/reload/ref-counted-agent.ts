import type { SendMessageRequest, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { Agent, AgentContext, AgentDescription, AgentHealth } from '../../core/model/agent.ts';
import { requireEvents } from '../../core/model/agent-failure.ts';
import type { AgentKnowledge } from '../../core/model/agent-knowledge.ts';
import { RefCount } from './ref-count.ts';

type Cancel = NonNullable<Agent['cancel']>;
type Resume = NonNullable<Agent['resume']>;

/**
 * An agent of the configuration whose runs are counted: when the configuration changes, they finish with the agent that
 * they began with, which is closed then.
 */
export class RefCountedAgent implements Agent {
  readonly resume?: Resume;
  readonly cancel?: Cancel;
  /** What is under way. */
  readonly refs = new RefCount();
  readonly #agent: Agent;
  readonly #runs = new Set<Run>();
  /** What this takes the place of, while something is under way there. */
  #former: RefCountedAgent | undefined;

  constructor(agent: Agent) {
    this.#agent = agent;
    const { resume } = agent;
    if (resume) this.resume = (task, context) => this.#counted(context.key, () => resume.call(agent, task, context));
    if (agent.cancel) this.cancel = (task, context) => this.#cancel(task, context);
  }

  get card(): AgentDescription {
    return this.#agent.card;
  }

  get extendedCard(): AgentDescription | undefined {
    return this.#agent.extendedCard;
  }

  get knowledge(): AgentKnowledge | undefined {
    const { knowledge } = this.#agent;
    return knowledge && refCountedKnowledge(knowledge, this.refs);
  }

  get forwards(): boolean {
    return this.#agent.forwards ?? false;
  }

  get restart(): boolean {
    return this.#agent.restart ?? false;
  }

  /** Runs of this one may still have to be canceled. */
  replaces(former: RefCountedAgent): void {
    this.#former = former;
    void former.refs.idle().then(() => {
      if (this.#former === former) this.#former = undefined;
    });
  }

  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse> {
    return this.#counted(context.key, () => this.#agent.execute(request, context));
  }

  open(): void {
    this.#agent.open?.();
  }

  async close(): Promise<void> {
    await this.#agent.close?.();
  }

  health(): AgentHealth {
    return this.#agent.health?.() ?? { state: 'ok' };
  }

  /** Whoever works on the task is asked. */
  #cancel(task: Task, context: AgentContext): ReturnType<Cancel> {
    if (this.#worksOn(context.key)) return this.#ask(task, context);
    for (let former = this.#former; former; former = former.#former) {
      if (former.#worksOn(context.key)) return former.#ask(task, context);
    }
    return this.#ask(task, context);
  }

  #ask(task: Task, context: AgentContext): ReturnType<Cancel> {
    return this.#agent.cancel?.(task, context) ?? Promise.resolve(undefined);
  }

  #worksOn(key: string): boolean {
    // Every run is in the set and few tasks are canceled: so it is they who look.
    return this.#runs.values().some((run) => run.key === key);
  }

  #counted(key: string, begin: () => AsyncIterable<StreamResponse>): AsyncIterable<StreamResponse> {
    return new Run(key, requireEvents(begin()), this.refs, this.#runs);
  }
}

/** A run of an agent, counted from the moment when somebody asks for its events until they are over. */
class Run implements AsyncIterable<StreamResponse>, AsyncIterator<StreamResponse> {
  /** Of the run's task. */
  readonly key: string;
  readonly #events: AsyncIterable<StreamResponse>;
  readonly #uses: RefCount;
  readonly #runs: Set<Run>;
  #source: AsyncIterator<StreamResponse> | undefined;

  constructor(key: string, events: AsyncIterable<StreamResponse>, uses: RefCount, runs: Set<Run>) {
    this.key = key;
    this.#events = events;
    this.#uses = uses;
    this.#runs = runs;
  }

  /** Once: a run has one reader. */
  [Symbol.asyncIterator](): this {
    this.#source = this.#events[Symbol.asyncIterator]();
    this.#runs.add(this);
    this.#uses.retain();
    return this;
  }

  async next(): Promise<IteratorResult<StreamResponse>> {
    try {
      const step = await this.#begun.next();
      if (step.done) this.#end();
      return step;
    } catch (thrown) {
      this.#end();
      throw thrown;
    }
  }

  async return(value?: unknown): Promise<IteratorResult<StreamResponse>> {
    this.#end();
    return (await this.#begun.return?.(value)) ?? { done: true, value };
  }

  get #begun(): AsyncIterator<StreamResponse> {
    this.#source ??= this.#events[Symbol.asyncIterator]();
    return this.#source;
  }

  #end(): void {
    if (this.#runs.delete(this)) this.#uses.end();
  }
}

/** The same knowledge, whose calls and subscriptions are counted. */
export function refCountedKnowledge(knowledge: AgentKnowledge, uses: RefCount): AgentKnowledge {
  return {
    languages: knowledge.languages,
    query: (request, context) => uses.hold(knowledge.query(request, context)),
    update: (request, context) => uses.hold(knowledge.update(request, context)),
    async subscribe(request, context) {
      const changes = await uses.hold(knowledge.subscribe(request, context));
      const { after } = changes;
      const iterate = () => uses.iterate(changes[Symbol.asyncIterator]());
      return { ...(after !== undefined && { after }), [Symbol.asyncIterator]: iterate };
    },
    ...(knowledge.close && { close: () => knowledge.close?.() ?? Promise.resolve() }),
  };
}
