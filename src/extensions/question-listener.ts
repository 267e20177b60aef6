import type { TaskOverview } from '../core/ports/admin-store.ts';
import type { OpenQuestion } from '../core/tasks/open-question.ts';

/** A question that is durable, and its task. */
export interface AskedQuestion {
  readonly task: TaskOverview;
  readonly question: OpenQuestion;
}

/** Reports questions. Each may be reported more than once, at several replicas, also after a restart. */
export interface AskedListener {
  wants(agent: string): boolean;
  asked(asked: AskedQuestion): Promise<void>;
  /** Called at one replica if there is no answer yet. */
  reminded(asked: AskedQuestion): Promise<void>;
}

/** A question for which there may be a link: where it is, when it was asked, and until when it takes answers. */
export interface AskedPosition {
  /** The task's key. */
  readonly key: string;
  /** Position of the event that asks, in the task's log. */
  readonly seq: number;
  /** Milliseconds. */
  readonly at: number;
  readonly until?: string | undefined;
  /** Id of the principal that decides by the link: about a call that waits for people, each has a link. Then `seq` is of the call. */
  readonly by?: string;
}

/** The listeners of all modules for questions. */
export interface AskedParts {
  listeners(): readonly AskedListener[];
  /** The link by which a question of an agent is answered. Undefined: there are no links. */
  linkTo(agent: string, question: AskedPosition): Promise<string | undefined>;
}
