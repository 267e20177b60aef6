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
  /** Facts about a task that the turn opens. Absent: the turn continues a task. */
  readonly opening?: RunProgress['opening'];
  /** The task's key. It is known before there is a task. */
  readonly key: string;
  readonly owner: TaskOwner;
  readonly services: RunServices;
  /** The hooks of the configuration that is active when the run begins. */
  readonly hooks?: RunHooks | undefined;
  /** Records which trace the turn belongs to. */
  readonly traces?: TaskTraces | undefined;
  /** The idempotency key of the call that begins the turn. */
  readonly call?: CallKey | undefined;
  /** Whether the answer can only be a task. */
  readonly tasksOnly?: boolean | undefined;
  /** Metadata in the message that are for its task. */
  readonly taskMetadata?: Struct | undefined;
  /** The parent of the task, for a turn that continues a task. */
  readonly parent?: ParentFacts | undefined;
}

/** The state of a turn that its parts share. */
export interface TurnState {
  readonly deps: TurnDeps;
  /** The task; undefined until there is one. */
  readonly live: LiveTask | undefined;
  /** Position before the first event of the turn. */
  readonly after: number;
  /** Reason why the run may not append anything any more. */
  readonly aborted: A2AError | undefined;
  /** The parent of the task, from the task's metadata. A task event of the agent must not replace it. */
  parent: ParentFacts | undefined;
  /** Metadata for the task from the message and the hooks. */
  taskMetadata: Struct | undefined;
  /** Outcome of the run, if the task's state does not show it. */
  readonly outcome: RunOutcome | undefined;
  /** The run in the form that the hooks get. */
  readonly run: Run;
  fail(reason: A2AError): boolean;
}

/** Contribution of all hooks to a run that begins. */
export interface BegunRun {
  /** Whether the task must be stored before the agent gets the message. */
  readonly storedFirst: boolean;
  /** Parts that replace those of the message. */
  readonly parts: Part[] | undefined;
  /** People who must agree before the agent gets the message. */
  readonly asks: readonly Ask[];
}

/** A turn in the form that the hooks of its configuration get. */
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
   * Calls `begin` of the hooks, before anything of the run is stored. Rejects if a hook refuses the run. Afterwards the turn is
   * opened or continued, or discarded.
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

  /** Calls `end` of the hooks whose `begin` was called. */
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
