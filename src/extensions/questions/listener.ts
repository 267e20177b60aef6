import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { AskingTask, GivenAnswer } from '../../core/ports/questions.ts';
import type { OpenQuestion } from '../../core/tasks/open-question.ts';

/** A question that is durable, and its task. */
export interface AskedQuestion {
  readonly task: TaskOverview;
  readonly question: OpenQuestion;
}

/** Tells someone of questions. Each may be told more than once, at several replicas, also after a restart. */
export interface QuestionListener {
  /** Whether it wants to know of the questions of an agent. */
  wants(agent: string): boolean;
  asked(asked: AskedQuestion): Promise<void>;
  /** Nobody has answered yet. At one replica. */
  reminded(asked: AskedQuestion): Promise<void>;
  answered(task: AskingTask, answer: GivenAnswer): void;
  /** Nobody has answered in time, and the task has failed. */
  failed(task: AskingTask): void;
}
