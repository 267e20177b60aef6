import type { ReadBudget } from '../model/call.ts';
import { type AnswerFacts, answerKey, type Question, questionOf } from '../model/question.ts';
import type { TaskRecord, TaskStore } from '../ports/task-store.ts';

/** A question as it stands in the log. */
export interface OpenQuestion extends Question {
  /** The task's generation when it asked: an answer that names it is given once. */
  readonly generation: number;
}

type Reader = Pick<TaskStore, 'events' | 'load'>;

/** The question that a task asks; undefined: none. Reads the last event alone where that asks, as it does nearly always. */
export async function readQuestion(
  store: Reader,
  { key, seq }: Pick<TaskRecord, 'key' | 'seq'>,
  room?: ReadBudget,
): Promise<OpenQuestion | undefined> {
  const [last] = await store.events(key, seq - 1, 1, room);
  const status = last?.event.statusUpdate?.status ?? last?.event.task?.status;
  const stored = status ? undefined : await store.load(key, room);
  const question = questionOf({ status: status ?? stored?.task.status ?? { state: 'TASK_STATE_UNSPECIFIED' } });
  const generation = status ? last?.generation : stored?.generation;
  return question && { ...question, generation: generation ?? 0 };
}

/** Who sent the last message to a task, where it was not its owner. */
export async function readAnswerer(
  store: Pick<TaskStore, 'events' | 'latestTurn'>,
  key: string,
  room?: ReadBudget,
): Promise<AnswerFacts | undefined> {
  const [turn] = await store.events(key, (await store.latestTurn(key)) - 1, 1, room);
  return turn?.event.message?.metadata?.[answerKey] as AnswerFacts | undefined;
}
