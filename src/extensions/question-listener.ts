import type { TaskOverview } from '../core/ports/admin-store.ts';
import type { OpenQuestion } from '../core/tasks/open-question.ts';

/** Question that is stored, and its task. */
export interface AskedQuestion {
  readonly task: TaskOverview;
  readonly question: OpenQuestion;
}

/** Reports questions. A question may be reported several times, at several replicas, also after a restart. */
export interface AskedListener {
  wants(agent: string): boolean;
  asked(asked: AskedQuestion): Promise<void>;
  /** Called at one replica while the question has no answer. */
  reminded(asked: AskedQuestion): Promise<void>;
}

/** Position and times of a question for which there may be a link. */
export interface AskedPosition {
  /** Key of the task. */
  readonly key: string;
  /** Position in the task's log of the event that asks. */
  readonly seq: number;
  /** Time of the question: milliseconds since the epoch. */
  readonly at: number;
  readonly until?: string | undefined;
  /**
   * Id of the principal who decides with the link about a held call. Each such person has a link. `seq` is the position of the
   * call then.
   */
  readonly by?: string;
}

/** Listeners of all modules for questions. */
export interface AskedParts {
  listeners(): readonly AskedListener[];
  /** Returns the link at which an agent's question can be answered. Undefined: there are no links. */
  linkTo(agent: string, question: AskedPosition): Promise<string | undefined>;
}
