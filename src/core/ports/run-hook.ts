import type { Part, StreamResponse, Struct, Task, TaskStatus } from '../model/a2a.ts';
import type { Ask } from '../model/ask.ts';
import type { Call } from '../model/call.ts';
import type { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { ParentFacts } from '../model/lineage.ts';
import type { AskingTask, GivenAnswer, Question } from '../model/question.ts';

/** One run of an agent, which may still have no task. */
export interface Run {
  /** The task's key, also while there is no task yet. */
  readonly key: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: string;
  readonly owner: TaskOwner;
  /** The task whose agent opened the run's task. Undefined: a caller did. */
  readonly parent: ParentFacts | undefined;
  /** Key of the task that its tree began with. */
  readonly root: string;
  /** Whether its message opens a task. False: the message continues one, or the run is continued after a takeover. */
  readonly opens: boolean;
  /** Of the task, or of the run while there is no task: milliseconds since the epoch, by the store's clock. */
  readonly createdAt: number;
  /** Bytes of the task's events so far. */
  size(): number;
  /** Fails the task, and has the agent cancel its part. Without a task, does nothing, and returns false. */
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
  /** Parts that take the place of those of the message, before it is stored. */
  readonly parts?: Part[] | undefined;
  /** People who must agree before the agent gets the message. */
  readonly asks?: readonly Ask[] | undefined;
  /** Whether the task is to be durable before the agent gets the message: it may have to be failed from its beginning on. */
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
 * Takes part in the runs of agents. The hooks of a configuration are one list, in whose order they are called; a member that no
 * hook of the list has costs nothing. If `begin` has resolved, `end` is called once.
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
   * A run begins: nothing of it is stored, and its agent has not got the message. Throws to refuse the call.
   *
   * @param call that begins it, with the parts that hooks before this one have left. Undefined: a run of a dead replica is
   *   continued, or a message that waited
   */
  begin?(run: Run, call: Call | undefined): RunStart | undefined | Promise<RunStart | undefined>;
  /**
   * The agent begins to answer. Returns the events that take the place of its events, before any of them counts; undefined: they
   * stay. The result may read ahead, and ends the agent's events when it is ended.
   */
  stream?(run: Run, events: AsyncIterator<StreamResponse>): AsyncIterator<StreamResponse> | undefined;
  /**
   * The agent has yielded an event, which is complete and not appended yet. Returns the events that take its place, in order;
   * undefined: it stays. Of a direct Message, or of a Task within a task, the first one of its kind counts.
   */
  event?(run: Run, event: StreamResponse): Iterable<StreamResponse> | Promise<Iterable<StreamResponse>> | undefined;
  /** An event with which the task waits for its client. Returns the event that is appended. Must not throw. */
  asked?(run: Run, event: StreamResponse): StreamResponse;
  /** The agent has canceled a task, with a status of its own. Resolves with the status that the task gets. */
  canceled?(task: CanceledTask, status: TaskStatus): Promise<TaskStatus>;
  /** A message has answered a question, is durable, and goes to the agent. Must not throw. */
  answered?(task: AskingTask, question: Question, answer: GivenAnswer): void;
  /** The value of `A2A-Gateway-Path` for a call of another gateway by the run. Undefined: none. */
  path?(run: Run): Promise<string | undefined>;
  /** The run is over. Must not throw. */
  end?(run: Run, outcome: RunOutcome): void;
}
