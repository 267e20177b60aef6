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
  /** The replica that works on the task; '' while the task is at rest. */
  readonly replica: string;
  /** Key of the task whose agent opened this one, see `openerOf`; '' where a caller did. */
  readonly parent: string;
  /** Key of the task that the tree began with; its own where a caller opened it. */
  readonly root: string;
  /** The `traceparent` of the call that opened it. Absent: it had none. */
  readonly trace?: string;
  /** Of the call that opened it; '' where that is unknown. */
  readonly binding: string;
  /** The first line of what was asked; '' where it is unknown. At most 160 characters and an ellipsis. */
  readonly preview: string;
  /** The same of why the task has failed, was rejected or canceled, or waits. */
  readonly reason: string;
}

/** A text that is looked for in rows of tasks, in upper and lower case. */
export interface TextFilter {
  readonly text: string;
  /** Whether it is looked for in ids and names alone, and not in what messages and agents say. */
  readonly namesOnly: boolean;
}

/** Which tasks of all owners are wanted. What is absent does not matter. Times are milliseconds. */
export interface TaskFilter extends Partial<TaskOwner> {
  /** The id of tasks, or the key of one. */
  readonly id?: string;
  readonly contextId?: string;
  /** Keys of tasks: those that their agents opened at other agents. */
  readonly parents?: readonly string[];
  /** Key of a task: it, and all tasks of the tree that began with it. */
  readonly root?: string;
  readonly states?: readonly TaskState[];
  /** Of the owner's last use. */
  readonly dialect?: string;
  /** Of the call that opened the task. */
  readonly binding?: string;
  /**
   * Only tasks with an id or key, context, principal or agent that begins or ends with the text, or with a preview or reason that
   * contains it. Where words of messages are indexed: with words that begin with those of the text, wherever they are, unless no
   * task has them.
   */
  readonly text?: TextFilter | undefined;
  /** Changed at this time or later. */
  readonly changedSince?: number;
  readonly changedBefore?: number;
}

/** A page of a search. It may be short, or empty, and have a token all the same: the search goes on there. */
export interface TaskSearchPage {
  /** The latest change first. */
  readonly tasks: readonly TaskOverview[];
  /** '' on the last page. */
  readonly nextPageToken: string;
}

/** Where a list of changes goes on: after the task with this time and key. */
export interface ChangePosition {
  readonly at: number;
  /** '': before all tasks that changed at the time. */
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
  /** '' where the configuration was deleted. */
  readonly dialect: string;
  /** Positions in the task's log: of the dead letters, or of the waiting events. */
  readonly first: number;
  readonly last: number;
  /** For the first waiting event. */
  readonly attempts: number;
  readonly reason: string;
  /** Milliseconds: when they were given up, or when the next attempt is due. */
  readonly at: number;
}

/** A page of undelivered push notifications: the latest dead letters first, then those that are due first. */
export interface UndeliveredPage {
  readonly items: readonly UndeliveredPush[];
  /** '' on the last page. */
  readonly nextPageToken: string;
}

/** What operators read of the tasks of all owners, and of their push notifications. Rejects as TaskStore does. */
export interface AdminStore {
  /** A page of at most `size` tasks. One call reads a bounded number of rows, whatever is wanted. */
  searchTasks(filter: TaskFilter, size: number, token: string): Promise<TaskSearchPage>;
  /** At most `limit` tasks whose last change is after a position, the earliest first. */
  changedTasks(after: ChangePosition, limit: number): Promise<TaskOverview[]>;
  /** The number of tasks that wait for their callers. Of more than `limit`, so many. */
  countWaiting(limit: number): Promise<number>;
  overviewOf(key: string): Promise<TaskOverview | undefined>;
  /** @param taskId only those of tasks with this id */
  listUndelivered(taskId: string | undefined, size: number, token: string): Promise<UndeliveredPage>;
  /**
   * Makes replicas retry dead and waiting notifications at once, from the first dead letter on, for as long as if all of the
   * events had just happened.
   *
   * @param taskId only those of tasks with this id
   * @param receiver only those of webhooks with this origin
   * @returns the number of configurations that are retried
   */
  retryUndelivered(taskId: string | undefined, receiver: string | undefined): Promise<number>;
}
