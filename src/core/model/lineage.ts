import type { Struct } from './a2a.ts';
import { A2AError } from './errors.ts';
import { isObject } from './json.ts';

// Lineage of a task: the task whose agent opened it by a call of another agent, and the tasks above that.

/**
 * Metadata key of a task that an agent opened at another agent: the key of the parent task. Callers cannot set the gateway's own
 * keys.
 */
export const parentKey = 'a2a-gateway/parent';

/** The parent of a task: the task whose agent opened it. */
export interface ParentFacts {
  readonly agent: string;
  readonly task: string;
  /** The task's key in the store, if it is not its id. */
  readonly key?: string;
  /** `hops` of the call that opened the task: calls by agents are counted even after a restart. */
  readonly hops: number;
  /** Name of the gateway that has the parent, if it is another one. */
  readonly gateway?: string;
  /** Key of the task at the root of the tree. Absent: written by a version that did not record it. */
  readonly root?: string;
  /** The ancestors of the parent, the root first. Absent: the parent is the root. */
  readonly above?: readonly Ancestor[];
  /** Id of the budget of this part of the tree, if it is not the whole tree's budget. */
  readonly budget?: string;
}

/** A task on the way from the root of a tree to another task. */
export interface Ancestor {
  /** Name of the gateway that has the task, if it is another one. */
  readonly gateway?: string;
  readonly agent: string;
  readonly task: string;
}

/** Returns the parent of a task from its metadata. Undefined: no agent opened the task. */
export function parentOf(metadata: Struct | undefined): ParentFacts | undefined {
  const facts = metadata?.[parentKey];
  return isObject(facts) && typeof facts.task === 'string' ? (facts as unknown as ParentFacts) : undefined;
}

/** Returns the ancestors of a task, from the root to its parent. */
export const pathTo = (parent: ParentFacts | undefined): readonly Ancestor[] =>
  parent ? [...(parent.above ?? []), stepOf(parent)] : [];

const stepOf = ({ gateway, agent, task }: Ancestor): Ancestor => ({ ...(gateway && { gateway }), agent, task });

/**
 * Throws `invalidRequest` if an agent would be called on behalf of itself, which might never end.
 *
 * @param path the tasks that led to the call
 * @param reentries number of times that an agent may recur in the path
 */
export function requireNoCircle(path: readonly Ancestor[], agent: string, reentries = 0): void {
  const isSame = (step: Ancestor): boolean => !step.gateway && step.agent === agent;
  if (path.filter(isSame).length <= reentries) return;
  const names = path
    .slice(path.findIndex(isSame))
    .map((step) => (step.gateway ? `${step.agent} at ${step.gateway}` : step.agent));
  const circle = [...names, agent].join(' -> ');
  const text = `The agent ${agent} would be called on behalf of itself: ${circle}. limits.root.reentries sets how often this is allowed`;
  throw new A2AError('invalidRequest', text);
}

/** Returns the key of the task that opened a task; `GATEWAY/ID` if it is at another gateway. */
export const openerOf = ({ gateway, key, task }: ParentFacts): string =>
  gateway ? `${gateway}/${task}` : (key ?? task);

/**
 * Returns the root of the tree that a task belongs to: the key of its first task, or its own key if no agent opened it.
 */
export const rootOf = (parent: ParentFacts | undefined, key: string): string =>
  parent ? (parent.root ?? parent.key ?? parent.task) : key;
