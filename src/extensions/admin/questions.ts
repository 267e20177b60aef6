import type { Struct } from '../../core/model/a2a.ts';
import type { CallContext } from '../../core/model/call.ts';
import { interruptedStates } from '../../core/model/lifecycle.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import { readQuestion } from '../../core/tasks/open-question.ts';
import type { Question } from '../../gen/admin-v1/types.ts';
import { pageSizeOf, textOf } from './requests.ts';
import type { AdminHandlers } from './service.ts';
import { readParts, type TaskActionsDeps, taskOf } from './task-actions.ts';
import { detailsOf, summaryOf } from './tasks.ts';

const page = { fallback: 50, max: 500 } as const;

/** The operations on the questions of tasks of all callers. */
export function questionHandlers(deps: TaskActionsDeps): AdminHandlers<'ListQuestions' | 'AnswerQuestion'> {
  const { store, limits } = deps;

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

  return {
    async ListQuestions({ agent, pageSize, pageToken = '' }, context) {
      const filter = { ...textOf('agent', agent), states: interruptedStates };
      let found = await store.searchTasks(filter, pageSizeOf(pageSize, page), pageToken);
      const questions = new Map<string, Question | undefined>();
      let bytes = 0;
      const add = async (task: TaskOverview): Promise<void> => {
        const question = await questionIn(task, context);
        questions.set(task.key, question);
        if (question) bytes += JSON.stringify(question).length;
      };
      for (const task of found.tasks) if (bytes < limits.page) await add(task);
      if (questions.size < found.tasks.length) {
        // The page ends here. Where one was answered meanwhile, another one has moved up.
        found = await store.searchTasks(filter, questions.size, pageToken);
        for (const task of found.tasks) if (!questions.has(task.key)) await add(task);
      }
      const all = [...questions.values()].filter((question) => question !== undefined);
      return { value: { questions: all, nextPageToken: found.nextPageToken } };
    },

    async AnswerQuestion({ key, parts, generation }, context, facts) {
      const content = readParts(deps, parts);
      const answer = { parts: content, facts: { by: context.principal.id, way: 'admin' as const }, generation };
      await deps.onBehalf.answer(await taskOf(deps, key, facts), answer, context);
      return { value: await detailsOf(deps, key, context) };
    },
  };
}
