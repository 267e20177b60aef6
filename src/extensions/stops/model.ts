import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';

/** Kind of a stop: `root` is a task with all tasks below it. */
export type StopKind = 'caller' | 'agent' | 'root';

/** Caller, agent or tree that an operator has stopped. */
export interface Stop {
  readonly kind: StopKind;
  /** Id of the principal, name of the agent, or key of the task. */
  readonly subject: string;
  /** Reason for the callers whose calls are refused. */
  readonly reason: string;
  /** Id of the operator's principal. */
  readonly stoppedBy: string;
  /** Time of the stop: milliseconds, by the store's clock. */
  readonly stoppedAt: number;
}

const subjects: Readonly<Record<StopKind, (subject: string) => string>> = {
  caller: (id) => `the caller ${id}`,
  agent: (name) => `the agent ${name}`,
  root: (key) => `the task ${key} and all that it led to`,
};

/** Returns the message of the error for callers. */
export const stopText = ({ kind, subject, reason }: Stop): string =>
  `An operator has stopped ${subjects[kind](subject)}: ${reason}`;

export const stopError = (stop: Stop): A2AError =>
  new A2AError(stop.kind === 'agent' ? 'unavailable' : 'permissionDenied', stopText(stop));

/** All stops that this replica knows. */
export interface ActiveStops {
  readonly all: readonly Stop[];
  /** Whether one of the stops is of a tree. */
  readonly hasRoots: boolean;
  /**
   * Returns the stop because of which a call or a task may not go on. Undefined: it may. @param root root of its tree, if known
   */
  of(owner: Pick<TaskOwner, 'agent' | 'principal'>, root?: string): Stop | undefined;
}

/** Work in progress that stops end. */
export interface StopTargets {
  /** Ends the stopped tasks that this replica works on. Returns their number. */
  endOwnStopped(active: ActiveStops): number;
  /** Ends the tasks of a stop that no replica works on. Resolves with their number. */
  endStopped(stop: Stop): Promise<number>;
  /**
   * Ends the streams of stopped callers and agents. @param isOld whether a stop is so old that streams of its tasks should have
   * ended by themselves
   */
  endStreams(active: ActiveStops, isOld: (stop: Stop) => boolean): void;
}
