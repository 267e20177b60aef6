import type { Part, Struct, Task } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { TaskIds } from '../model/agent-events.ts';
import type { Ask } from '../model/ask.ts';
import type { Call } from '../model/call.ts';
import type { A2AError } from '../model/errors.ts';
import type { CallKey, TaskOwner } from '../model/ids.ts';
import { type ParentFacts, parentOf, rootOf } from '../model/lineage.ts';
import type { Run, RunOutcome } from '../ports/run-hook.ts';
import type { TaskTraces } from '../telemetry/trace-context.ts';
import type { LiveTask } from './live-tasks.ts';
import type { RunProgress, RunServices } from './run-context.ts';
import { type RunHooks, withMetadata } from './run-hooks.ts';

export interface TurnDeps {
  readonly agent: Agent;
  readonly ids: TaskIds;
  /** Of a turn that opens a task. */
  readonly opening?: RunProgress['opening'];
  /** The task's key, also while there is no task yet. */
  readonly key: string;
  readonly owner: TaskOwner;
  readonly services: RunServices;
  /** Of the configuration as it is when the run begins. */
  readonly hooks?: RunHooks | undefined;
  /** Records which trace the turn belongs to. */
  readonly traces?: TaskTraces | undefined;
  /** The idempotency key of the call that begins the turn. */
  readonly call?: CallKey | undefined;
  /** Whether the answer can only be a task. */
  readonly tasksOnly?: boolean | undefined;
  /** Metadata that the message brings for its task. */
  readonly taskMetadata?: Struct | undefined;
  /** Who opened the task, of a turn that continues one. */
  readonly parent?: ParentFacts | undefined;
}

/** The state of a turn that its parts share. */
export interface TurnState {
  readonly deps: TurnDeps;
  /** The task, once there is one. */
  readonly live: LiveTask | undefined;
  /** Position before the first event of the turn. */
  readonly after: number;
  /** Why the run may append nothing any more. */
  readonly aborted: A2AError | undefined;
  /** Who opened the task, as its metadata say: an agent's own task event must not replace it. */
  parent: ParentFacts | undefined;
  /** Metadata that the message, and the hooks, bring for its task. */
  taskMetadata: Struct | undefined;
  /** How the run ended, where its task does not say it. */
  readonly outcome: RunOutcome | undefined;
  /** The run as the hooks see it. */
  readonly run: Run;
  fail(reason: A2AError): boolean;
}

/** Contribution of all hooks to a run that begins. */
export interface BegunRun {
  /** Whether the task is to be stored first. */
  readonly storedFirst: boolean;
  /** Parts that take the place of those of the message. */
  readonly parts: Part[] | undefined;
  /** People who must agree before the agent gets the message. */
  readonly asks: readonly Ask[];
}

/** A turn as the hooks of its configuration see it. */
export class HookedRun implements Run {
  readonly #turn: TurnState;
  #hasBegun = false;
  #begunAt: number | undefined;

  constructor(turn: TurnState) {
    this.#turn = turn;
  }

  get root(): string {
    return rootOf(this.parent, this.key);
  }

  get key(): string {
    return this.#turn.deps.key;
  }

  get taskId(): string {
    return this.#turn.deps.ids.taskId;
  }

  get contextId(): string {
    return this.#turn.deps.ids.contextId;
  }

  get agent(): string {
    return this.owner.agent;
  }

  get owner(): TaskOwner {
    return this.#turn.deps.owner;
  }

  get parent(): ParentFacts | undefined {
    return this.#turn.parent;
  }

  get opens(): boolean {
    return this.#turn.deps.opening !== undefined;
  }

  get createdAt(): number {
    this.#begunAt ??= this.#turn.live?.record.createdAt ?? this.#turn.deps.services.store.now();
    return this.#begunAt;
  }

  size(): number {
    return this.#turn.live?.log.size ?? 0;
  }

  fail(reason: A2AError): boolean {
    return this.#turn.fail(reason);
  }

  async latest(): Promise<Task | undefined> {
    return this.#turn.live?.journal.latest();
  }

  async stored(): Promise<void> {
    await this.#turn.live?.journal.written();
  }

  /**
   * Lets the hooks begin the run, before anything of it is stored. Rejects where one refuses it. Afterwards the turn is opened or continued, or discarded.
   */
  async begin(call: Call | undefined): Promise<BegunRun> {
    const turn = this.#turn;
    let isFirst = false;
    let replaced: Part[] | undefined;
    const asks: Ask[] = [];
    await turn.deps.hooks?.begin(this, call, ({ metadata, storedFirst, parts, asks: more = [] }) => {
      replaced = parts ?? replaced;
      asks.push(...more);
      isFirst ||= storedFirst === true;
      turn.taskMetadata = withMetadata(turn.taskMetadata, metadata);
      turn.parent = parentOf(metadata) ?? turn.parent;
    });
    this.#hasBegun = true;
    return { storedFirst: isFirst, parts: replaced, asks };
  }

  /** Lets the hooks end the run, where they know of it. */
  end(): void {
    if (!this.#hasBegun) return;
    this.#hasBegun = false;
    this.#turn.deps.hooks?.end(this, this.#turn.outcome ?? this.#outcomeOfTask());
  }

  #outcomeOfTask(): RunOutcome {
    const { live, after } = this.#turn;
    if (!live) return 'refused';
    if (live.log.isTerminal) return 'ended';
    return live.log.hasRested(after) ? 'rests' : 'handedOver';
  }
}
