import type { Part, StreamResponse, Struct, Task, TaskStatus } from '../model/a2a.ts';
import type { Ask } from '../model/ask.ts';
import type { Call } from '../model/call.ts';
import type { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { ParentFacts } from '../model/lineage.ts';
import type { AskingTask, GivenAnswer, Question } from '../model/question.ts';

/** One run of an agent, which may still have no task. */
export interface Run {
  /** The task's key. It is known before there is a task. */
  readonly key: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: string;
  readonly owner: TaskOwner;
  /** The task whose agent opened the run's task. Undefined: a caller opened it. */
  readonly parent: ParentFacts | undefined;
  /** Key of the task at the root of the tree. */
  readonly root: string;
  /** Whether its message opens a task. False: the message continues one, or the run is continued after a takeover. */
  readonly opens: boolean;
  /** Time when the task was created, or the run while there is no task: milliseconds since the epoch, by the store's clock. */
  readonly createdAt: number;
  /** Bytes of the task's events so far. */
  size(): number;
  /** Fails the task, and has the agent cancel its part. Without a task, it does nothing and returns false. */
  fail(reason: A2AError): boolean;
  /** The task with all of its events so far. Undefined: there is no task yet. */
  latest(): Promise<Task | undefined>;
  /** Resolves when all events of the task so far are durable. */
  stored(): Promise<void>;
}

/** A hook's contribution to a run that begins. */
export interface RunStart {
  /** Metadata for the task that the run opens. */
  readonly metadata?: Struct | undefined;
  /** Parts that replace those of the message, before it is stored. */
  readonly parts?: Part[] | undefined;
  /** People who must agree before the agent gets the message. */
  readonly asks?: readonly Ask[] | undefined;
  /** Whether the task must be durable before the agent gets the message, because it may have to fail from the beginning. */
  readonly storedFirst?: boolean;
}

/**
 * Outcome of a run. `answered`: with a direct Message. `refused`: no task remains of it. `ended`: its task is over.
 * `rests`: its task waits for its client. `handedOver`: the task goes on elsewhere, or later.
 */
export type RunOutcome = 'answered' | 'refused' | 'ended' | 'rests' | 'handedOver';

/** A task that its agent has canceled. */
export interface CanceledTask {
  readonly owner: TaskOwner;
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * Takes part in the runs of agents. The hooks of a configuration are called in the order of one list. A member that no hook
 * implements costs nothing. If `begin` has resolved, `end` is called once.
 *
 * ```ts
 * import { A2AError } from 'a2a-gateway';
 *
 * const running = new Set<string>();
 * export const oneRunEach: RunHook = {
 *   begin: ({ agent }) => {
 *     if (running.has(agent)) throw new A2AError('unavailable', `${agent} is busy`);
 *     running.add(agent);
 *     return undefined;
 *   },
 *   end: ({ agent }) => void running.delete(agent),
 * };
 * ```
 */
export interface RunHook {
  /**
   * Called when a run begins, before anything is stored and before the agent gets the message. Throws to refuse the call.
   *
   * @param call the call that begins the run, with the parts as earlier hooks have left them. Undefined: the run of a dead
   *   replica, or a message that waited, is continued
   */
  begin?(run: Run, call: Call | undefined): RunStart | undefined | Promise<RunStart | undefined>;
  /**
   * Called when the agent begins to answer. Returns the events that replace the agent's events, before any of them takes effect;
   * undefined keeps them. The result may read ahead, and must end the agent's events when it is ended.
   */
  stream?(run: Run, events: AsyncIterator<StreamResponse>): AsyncIterator<StreamResponse> | undefined;
  /**
   * Called when the agent has yielded an event, which is complete and not appended yet. Returns the events that replace it, in
   * order; undefined keeps it. For a direct Message, or a Task within a task, only the first returned event of that kind is used.
   */
  event?(run: Run, event: StreamResponse): Iterable<StreamResponse> | Promise<Iterable<StreamResponse>> | undefined;
  /** Called with an event after which the task waits for its client. Returns the event that is appended. Must not throw. */
  asked?(run: Run, event: StreamResponse): StreamResponse;
  /** Called when the agent has canceled a task with a status of its own. Resolves with the task's status. */
  canceled?(task: CanceledTask, status: TaskStatus): Promise<TaskStatus>;
  /** Called when a message that answers a question is durable and goes to the agent. Must not throw. */
  answered?(task: AskingTask, question: Question, answer: GivenAnswer): void;
  /** Returns the value of `A2A-Gateway-Path` for a call of the run to another gateway. Undefined: no header. */
  path?(run: Run): Promise<string | undefined>;
  /** Called when the run is over. Must not throw. */
  end?(run: Run, outcome: RunOutcome): void;
}
