import { type Linked, LinkedList } from '../collections/linked-list.ts';
import type { SendMessageRequest, StreamResponse, Task } from '../model/a2a.ts';
import type {
  Agent,
  AgentContext,
  AgentDescription,
  AgentHealth,
  AskGateway,
  UpstreamCard,
  WhileRunning,
} from '../model/agent.ts';
import { type Call, type Invoke, isStream, type Reply } from '../model/call.ts';

/** Counts active work, so that its owner can be closed when none is left. */
export class RefCount {
  #count = 0;
  readonly #idle = new Set<() => void>();

  get size(): number {
    return this.#count;
  }

  /** Counts one piece of work. Call `release` once at its end. */
  retain(): void {
    this.#count += 1;
  }

  release(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  /** Counts the work until it settles. */
  hold<T>(work: Promise<T>): Promise<T> {
    this.retain();
    const release = (): void => this.release();
    work.then(release, release);
    return work;
  }

  /** Wraps an iteration so that it counts until it is over. Its steps take no longer than before. */
  iterate<T>(source: AsyncIterator<T>): AsyncIterator<T> {
    this.retain();
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      this.release();
    };
    return {
      next() {
        const step = source.next();
        step.then(({ done }) => {
          if (done) end();
        }, end);
        return step;
      },
      return(value) {
        end();
        return source.return?.(value) ?? Promise.resolve({ done: true, value });
      },
    };
  }

  /** Resolves when no work is running. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.add(resolve));
  }
}

/** An object that a reload has replaced, and that is closed once no work is active in it. */
export interface Replaced {
  /** Name for the log. */
  readonly name: string;
  readonly refs: RefCount;
  close(): Promise<void>;
}

/** A run under way. */
interface AgentRun extends Linked<AgentRun> {
  readonly key: string;
}

type Cancel = NonNullable<Agent['cancel']>;
type Resume = NonNullable<Agent['resume']>;
type SkillOf = NonNullable<Agent['skillOf']>;

/**
 * An agent of the configuration whose runs are counted. After a reload its runs go on, and it is closed when the last has
 * ended.
 */
export class RefCountedAgent implements Agent {
  readonly resume?: Resume;
  readonly cancel?: Cancel;
  readonly invoke?: Invoke;
  readonly skillOf?: SkillOf;
  readonly whileRunning: WhileRunning | undefined;
  readonly refs = new RefCount();
  readonly #agent: Agent;
  readonly #runs = new LinkedList<AgentRun>();
  /** The agent that this one has replaced. Undefined once the runs of that agent are over. */
  #former: RefCountedAgent | undefined;

  /** @param whileRunning the configured value. Default: the agent's own */
  constructor(agent: Agent, whileRunning = agent.whileRunning) {
    this.#agent = agent;
    this.whileRunning = whileRunning;
    const { resume } = agent;
    if (resume) this.resume = resume.bind(agent);
    const { invoke, skillOf } = agent;
    if (skillOf) this.skillOf = skillOf.bind(agent);
    if (invoke) this.invoke = (call) => refCountedCall(invoke, call, this.refs);
    if (agent.cancel) this.cancel = (task, context) => this.#runner(context.key).#cancel(task, context);
  }

  /**
   * Returns the agent that a counted agent wraps, for members that extensions add to agents, with the count in which calls of
   * these members take part. Undefined: calls of the agent are not counted.
   */
  static behind(agent: Agent): { readonly agent: Agent; readonly refs: RefCount | undefined } {
    return #agent in agent ? { agent: agent.#agent, refs: agent.refs } : { agent, refs: undefined };
  }

  get card(): AgentDescription {
    return this.#agent.card;
  }

  get extendedCard(): AgentDescription | undefined {
    return this.#agent.extendedCard;
  }

  get upstreamCard(): UpstreamCard | undefined {
    return this.#agent.upstreamCard;
  }

  get forwards(): boolean {
    return this.#agent.forwards ?? false;
  }

  get enforcesExtensions(): boolean {
    return this.#agent.enforcesExtensions ?? true;
  }

  get holdsTask(): boolean {
    return this.#agent.holdsTask ?? false;
  }

  get restart(): boolean {
    return this.#agent.restart ?? false;
  }

  /** Cancellations of the former agent's runs go to the former agent. */
  replaces(former: RefCountedAgent): void {
    this.#former = former;
    void former.refs.idle().then(() => {
      if (this.#former === former) this.#former = undefined;
    });
  }

  beginRun(key: string): () => void {
    const run: AgentRun = { key, previous: undefined, next: undefined };
    this.#runs.add(run);
    this.refs.retain();
    return () => {
      this.#runs.delete(run);
      this.refs.release();
    };
  }

  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse> {
    return this.#agent.execute(request, context);
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

  gateways(): readonly AskGateway[] {
    return this.#agent.gateways?.() ?? [];
  }

  #cancel(task: Task, context: AgentContext): ReturnType<Cancel> {
    return this.#agent.cancel?.(task, context) ?? Promise.resolve(undefined);
  }

  /** The agent that runs the task: this one or one that it replaced. */
  #runner(key: string): RefCountedAgent {
    for (let agent: RefCountedAgent | undefined = this; agent; agent = agent.#former) {
      // A search, since every run is in the list and few tasks are canceled.
      for (const run of agent.#runs) if (run.key === key) return agent;
    }
    return this;
  }
}

/** A call of an agent that keeps its tasks itself, counted until its answer or its stream is over. */
async function refCountedCall(invoke: Invoke, call: Call, refs: RefCount): Promise<Reply> {
  const reply = await refs.hold(invoke(call));
  if (!isStream(reply)) return reply;
  const events = refs.iterate(reply.events[Symbol.asyncIterator]());
  return { ...reply, events: { [Symbol.asyncIterator]: () => events } };
}
