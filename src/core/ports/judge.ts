import type { Agent } from '../model/agent.ts';
import type { Call } from '../model/call.ts';
import type { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';

/** Facts of a task that a judge gets. */
export type JudgedTask = Pick<TaskOwner, 'agent' | 'principal'>;

/** Decides which calls and tasks may not go on at this replica, however they arrived. */
export interface Judge {
  /** Whether `task` needs the root of the task's tree, which may have to be read. */
  readonly needsRoot: boolean;
  /** Returns the reason why a call is refused, including calls from other replicas and on behalf of a task's owner. */
  call(call: Call, agent: Agent | undefined): A2AError | undefined;
  /** Returns the reason why a task is ended instead of being worked on. */
  task(task: JudgedTask, root: string | undefined): A2AError | undefined;
}

/** The active judge of the gateway. Undefined: nothing is refused. */
export interface ActiveJudge {
  readonly active: Judge | undefined;
}
