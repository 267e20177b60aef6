import type { Struct, TaskState } from '../../core/model/a2a.ts';
import type { CallContext } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isInterrupted, lifecycle } from '../../core/model/lifecycle.ts';
import { type AnswerFacts, answerKey } from '../../core/model/question.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import { readAnswerer, readQuestion } from '../../core/tasks/open-question.ts';
import type { Question } from '../../gen/admin-v1/types.ts';
import { pageSizeOf, textOf } from './requests.ts';
import type { AdminHandlers } from './service.ts';
import { type TaskActionsDeps, taskSender } from './task-actions.ts';
import { detailsOf, summaryOf } from './tasks.ts';

const page = { fallback: 50, max: 500 } as const;

const asking = Object.keys(lifecycle).filter((state) => isInterrupted(state as TaskState)) as TaskState[];

/** The operations on the questions of tasks of all callers. */
export function questionHandlers(deps: TaskActionsDeps): AdminHandlers<'ListQuestions' | 'AnswerQuestion'> {
  const { store } = deps;
  const send = taskSender(deps);

  const questionIn = async (task: TaskOverview, { reservation }: CallContext): Promise<Question | undefined> => {
    const found = await readQuestion(store, task, reservation);
    if (!found) return undefined;
    const { text, schema, by, until, generation } = found;
    return {
      ...{ task: summaryOf(task), text, generation: String(generation) },
      ...(schema && { schema: schema as Struct }),
      ...{ ...textOf('by', by), ...textOf('until', until) },
    };
  };

  /** Why a task takes no answer. */
  const answered = async (key: string, { reservation }: CallContext): Promise<A2AError> => {
    // Nobody has sent anything since the message that opened the task.
    if ((await store.latestTurn(key)) <= 1) return new A2AError('unsupportedOperation', 'The task asks nothing');
    const by = (await readAnswerer(store, key, reservation))?.by ?? 'the caller who owns the task';
    return new A2AError('taskGenerationMismatch', `The question was answered already, by ${by}`, { metadata: { by } });
  };

  return {
    async ListQuestions({ agent, pageSize, pageToken = '' }, context) {
      const filter = { ...textOf('agent', agent), states: asking };
      const found = await store.searchTasks(filter, pageSizeOf(pageSize, page), pageToken);
      const questions: Question[] = [];
      for (const task of found.tasks) {
        const question = await questionIn(task, context);
        if (question) questions.push(question);
      }
      return { value: { questions, nextPageToken: found.nextPageToken } };
    },

    async AnswerQuestion({ key, parts, generation }, context, facts) {
      const task = await store.overviewOf(key);
      if (!task) throw A2AError.taskNotFound(key);
      const question = await readQuestion(store, task, context.reservation);
      if (!question || (generation && generation !== String(question.generation))) throw await answered(key, context);
      const answer: AnswerFacts = { by: context.principal.id, way: 'admin' };
      await send({ key, parts }, context, facts, {
        metadata: { [answerKey]: { ...answer } },
        generation: String(question.generation),
      }).catch(async (thrown: unknown) => {
        throw A2AError.from(thrown).kind === 'taskGenerationMismatch' ? await answered(key, context) : thrown;
      });
      return { value: await detailsOf(deps, key, context) };
    },
  };
}
