import type { Agent, AgentContext, AgentDescription, AgentHealth } from '../core/agent.ts';
import type { Knowledge } from '../core/agent-knowledge.ts';
import type { SendMessageRequest, StreamResponse, Task } from '../gen/a2a-v1/types.ts';
import { heldKnowledge } from './held-knowledge.ts';
import { Uses } from './uses.ts';

type Cancel = NonNullable<Agent['cancel']>;
type Resume = NonNullable<Agent['resume']>;

/**
 * An agent of the configuration whose runs are counted: when the configuration changes, they finish with the agent that
 * they began with, which is closed then.
 */
export class HeldAgent implements Agent {
  readonly resume?: Resume;
  readonly cancel?: Cancel;
  /** What is under way. */
  readonly uses = new Uses();
  readonly #agent: Agent;
  /** How many runs a task has here, by its key. */
  readonly #runs = new Map<string, number>();
  /** What this takes the place of, while something is under way there. */
  #former: HeldAgent | undefined;

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

  get knowledge(): Knowledge | undefined {
    const { knowledge } = this.#agent;
    return knowledge && heldKnowledge(knowledge, this.uses);
  }

  get forwards(): boolean {
    return this.#agent.forwards ?? false;
  }

  get restart(): boolean {
    return this.#agent.restart ?? false;
  }

  /** Runs of this one may still have to be canceled. */
  takeThePlaceOf(former: HeldAgent): void {
    this.#former = former;
    void former.uses.idle().then(() => {
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
    if (this.#runs.has(context.key)) return this.#ask(task, context);
    for (let former = this.#former; former; former = former.#former) {
      if (former.#runs.has(context.key)) return former.#ask(task, context);
    }
    return this.#ask(task, context);
  }

  #ask(task: Task, context: AgentContext): ReturnType<Cancel> {
    return this.#agent.cancel?.(task, context) ?? Promise.resolve(undefined);
  }

  #counted(key: string, begin: () => AsyncIterable<StreamResponse>): AsyncIterable<StreamResponse> {
    const events = begin();
    return {
      [Symbol.asyncIterator]: () => {
        this.#runs.set(key, (this.#runs.get(key) ?? 0) + 1);
        return this.uses.iterate(events[Symbol.asyncIterator](), () => this.#left(key));
      },
    };
  }

  #left(key: string): void {
    const others = (this.#runs.get(key) ?? 1) - 1;
    if (others > 0) this.#runs.set(key, others);
    else this.#runs.delete(key);
  }
}
