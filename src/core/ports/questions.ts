import type { StreamResponse } from '../model/a2a.ts';
import type { TaskOwner } from '../model/ids.ts';
import type { AnswerFacts, Question } from '../model/question.ts';

/** The task that a question belongs to. */
export interface AskingTask extends TaskOwner {
  readonly key: string;
  readonly id: string;
  readonly contextId: string;
}

/** Who answered a question, and how. `message`: its owner, with a message. */
export type GivenAnswer = Pick<AnswerFacts, 'by'> & { readonly way: AnswerFacts['way'] | 'message' };

/** What an extension does with the questions of tasks. None of it may throw. */
export interface TaskQuestions {
  /**
   * An agent asks. Returns the event with what is configured for questions of this agent.
   *
   * @param stored resolves when the event is durable; to be called in a later turn of the event loop
   */
  asked(event: StreamResponse, task: Pick<AskingTask, 'key' | 'agent'>, stored: () => Promise<void>): StreamResponse;
  /** A message has answered a question, and goes to the agent. */
  answered(task: AskingTask, question: Question, answer: GivenAnswer): void;
}
