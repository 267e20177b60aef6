import type { TaskState } from '../model/a2a.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { TaskRecord } from './task-store.ts';

/** A task's row, as operators see it. Times are milliseconds. */
export interface TaskOverview
  extends TaskOwner,
    Pick<
      TaskRecord,
      'key' | 'id' | 'contextId' | 'state' | 'statusAt' | 'createdAt' | 'updatedAt' | 'seq' | 'dialect'
    > {
  /** Id of the replica that works on the task; '' while the task is at rest. */
  readonly replica: string;
  /** Key of the task whose agent opened this one, see `openerOf`; '' if a caller did. */
  readonly parent: string;
  /** Key of the task at the root of the tree; its own key if a caller opened it. */
  readonly root: string;
  /** The `traceparent` of the call that opened it. Absent: it had none. */
  readonly trace?: string;
  /** Binding of the call that opened it; '' if that is unknown. */
  readonly binding: string;
  /** The first line of the message; '' if it is unknown. At most 160 characters and an ellipsis. */
  readonly preview: string;
  /** The first line of the reason why the task failed, was rejected or canceled, or waits; shortened like `preview`. */
  readonly reason: string;
}

/** A text to search for in rows of tasks, whatever its case. */
export interface TextFilter {
  readonly text: string;
  /** Whether only ids and names are searched, not the texts of messages and agents. */
  readonly namesOnly: boolean;
}

/** Selects tasks of all owners. Absent members select everything. Times are in milliseconds. */
export interface TaskFilter extends Partial<TaskOwner> {
  /** Id of tasks, or key of one task. */
  readonly id?: string;
  readonly contextId?: string;
  /** Keys of tasks: selects tasks that their agents opened at other agents. */
  readonly parents?: readonly string[];
  /** Key of a task: selects it, and all tasks of the tree below it. */
  readonly root?: string;
  readonly states?: readonly TaskState[];
  /** Dialect of the owner's last use. */
  readonly dialect?: string;
  /** Binding of the call that opened the task. */
  readonly binding?: string;
  /**
   * Selects tasks with an id or key, context, principal or agent that begins or ends with the text, or with a preview
   * or reason that contains it. If words of messages are indexed: tasks with words that begin with those of the text,
   * anywhere, unless no task has them.
   */
  readonly text?: TextFilter | undefined;
  /** Reason of the tasks, as `foldedReason` has it; '': they have none. */
  readonly reason?: string;
  /** Time of change: this time or later. */
  readonly changedSince?: number;
  readonly changedBefore?: number;
}

/** A page of a search. It may be short, or empty, and still have a token with which the search continues. */
export interface TaskSearchPage {
  /** Tasks, the latest change first. */
  readonly tasks: readonly TaskOverview[];
  /** Token of the next page; '' on the last page. */
  readonly nextPageToken: string;
}

/** Position at which a list of changes continues: after the task with this time and key. */
export interface ChangePosition {
  readonly at: number;
  /** Key of the task; '': before all tasks that changed at the time. */
  readonly key: string;
}

/** Undelivered push notifications of one configuration. */
export interface UndeliveredPush {
  /** `dead`: given up; `waiting`: to be retried. */
  readonly state: 'dead' | 'waiting';
  readonly taskKey: string;
  readonly taskId: string;
  readonly configId: string;
  readonly agent: string;
  readonly principal: string;
  /** Scheme, host and port of the URL. */
  readonly receiver: string;
  /** Dialect of the configuration; '' if the configuration was deleted. */
  readonly dialect: string;
  /** Positions in the task's log: of the dead letters, or of the waiting events. */
  readonly first: number;
  readonly last: number;
  /** Number of attempts for the first waiting event. */
  readonly attempts: number;
  readonly reason: string;
  /** Milliseconds: the time of giving up, or of the next attempt. */
  readonly at: number;
}

/** A page of undelivered push notifications: the latest dead letters first, then those that are due first. */
export interface UndeliveredPage {
  readonly items: readonly UndeliveredPush[];
  /** Token of the next page; '' on the last page. */
  readonly nextPageToken: string;
}

/** Reads the tasks of all owners, and their push notifications, for operators. Rejects as TaskStore does. */
export interface AdminStore {
  /** Returns a page of at most `size` tasks. One call reads a bounded number of rows, whatever the filter. */
  searchTasks(filter: TaskFilter, size: number, token: string): Promise<TaskSearchPage>;
  /** Returns at most `limit` tasks whose last change is after a position, the earliest first. */
  changedTasks(after: ChangePosition, limit: number): Promise<TaskOverview[]>;
  /** Counts the tasks that wait for their callers, up to `limit`. @param state only those in this state */
  countWaiting(limit: number, state?: TaskState): Promise<number>;
  /** Counts the push notifications that were given up, as `listUndelivered` has them, up to `limit`. */
  countDead(limit: number): Promise<number>;
  overviewOf(key: string): Promise<TaskOverview | undefined>;
  /** @param taskId restricts the list to tasks with this id */
  listUndelivered(taskId: string | undefined, size: number, token: string): Promise<UndeliveredPage>;
  /**
   * Makes replicas retry dead and waiting notifications at once, from the first dead letter on, for as long as if all
   * of the events had just happened.
   *
   * @param taskId restricts the retry to tasks with this id
   * @param receiver restricts the retry to webhooks with this origin
   * @returns the number of configurations that are retried
   */
  retryUndelivered(taskId: string | undefined, receiver: string | undefined): Promise<number>;
}
