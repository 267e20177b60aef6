import type { StreamResponse, Struct } from '../model/a2a.ts';
import type { AskGateway } from '../model/agent.ts';
import type { CallContext, ParentFacts } from '../model/call.ts';
import type { A2AError } from '../model/errors.ts';

/** A run of an agent, as a part of a tree of calls. */
export interface TreeRun {
  /** Key of its task, also while there is none yet. */
  readonly key: string;
  readonly taskId: string;
  readonly agent: string;
  /** Who opened the task. Undefined: a caller did. */
  readonly parent: ParentFacts | undefined;
}

/** A run that has a task. */
export interface WatchedRun extends TreeRun {
  /** Of the task: milliseconds since the epoch. */
  readonly createdAt: number;
  /** Bytes of the task's events so far. */
  readonly bytes: () => number;
  /** Fails the task. */
  readonly fail: (reason: A2AError) => void;
}

/** A run that is counted until it leaves. */
export interface TreeMember {
  /** Counts what an event reports as its cost. */
  said(event: StreamResponse): void;
  /** @param isOver whether its task has ended, and with it all that its path was for */
  leave(isOver: boolean): void;
}

/** Trees of calls over agents and gateways, with their bounds. */
export interface Trees {
  /**
   * Counts a call that opens a task. Resolves with the metadata for the task, which say who opened it. Rejects where that would
   * be a circle, or a budget is used up.
   */
  enter(agent: string, context: CallContext): Promise<Struct | undefined>;
  /** The value of `A2A-Gateway-Path` for a call of another gateway. Undefined: the gateway sends none. Rejects like `enter`. */
  pathFrom(run: TreeRun, ask: AskGateway): Promise<string | undefined>;
  /** Whether the tree of a task has a budget. */
  hasBudget(task: Pick<TreeRun, 'key' | 'parent'>): boolean;
  /** Counts what a run does, and fails its task at the end of a budget. Undefined: the run's tree has none. */
  watch(run: WatchedRun): TreeMember | undefined;
  /** Counts a direct answer. */
  answered(run: TreeRun, event: StreamResponse): void;
}

/** What a run has besides, where trees are counted: the path for calls to another gateway. */
export interface PathOfRun {
  readonly path?: (ask: AskGateway) => Promise<string | undefined>;
}
