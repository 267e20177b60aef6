import type { Struct, TaskState } from '../../core/model/a2a.ts';
import type { OpenAsk } from '../../core/model/ask.ts';
import type { CallContext } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { interruptedStates } from '../../core/model/lifecycle.ts';
import { hasScope } from '../../core/model/principal.ts';
import type { AskingTask } from '../../core/model/question.ts';
import { leaveOut } from '../../core/model/stored-form.ts';
import type { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { TaskFilter, TaskOverview } from '../../core/ports/admin-store.ts';
import { type OpenQuestion, readQuestion } from '../../core/tasks/open-question.ts';
import type { CallAsk, ListQuestionsResponse, Question } from '../../gen/admin-v1/types.ts';
import { asksFor, heldTextOf, readDecided } from '../asks/decide.ts';
import type { AdminHandlers } from '../handlers.ts';
import type { AdminHost } from '../host.ts';
import { fault, pageSizeOf, partsOf, textsOf } from '../requests.ts';
import { summaryOf, taskOf } from '../subjects.ts';

const pageSizes = { fallback: 50, max: 500 } as const;

export interface QuestionHandlersDeps extends Pick<AdminHost, 'detailsOf' | 'hidesWords' | 'store'> {
  readonly limits: {
    /** Bytes of JSON after which a page ends. */
    readonly page: number;
  };
  /** Answers a question on behalf of the owner of its task. */
  readonly answer: ReturnType<typeof onBehalfOfOwners>['answer'];
  /** Whether a name in the configuration stands for a principal. */
  readonly isNamed: (name: string, principalId: string) => boolean;
}

/**
 * Returns the operations on questions of all callers' tasks. A caller without the scope gets only the questions that are for it.
 */
export function questionHandlers(deps: QuestionHandlersDeps): AdminHandlers<'ListQuestions' | 'AnswerQuestion'> {
  const { store, isNamed, hidesWords } = deps;
  const isFor = (
    { principal: { id } }: CallContext,
    task: AskingTask,
    question: Pick<OpenQuestion, 'ask' | 'for'> | undefined,
  ): boolean =>
    question?.ask
      ? asksFor(question.ask, id, task.principal, isNamed).length > 0
      : question?.for !== undefined && isNamed(question.for, id);
  return {
    async ListQuestions({ agent, pageSize, pageToken = '', mine = false, states = [] }, context) {
      const filter = { ...textsOf({ agent }), states: waitingStatesOf(states) };
      const seesAll = !mine && hasScope(context.principal, 'admin:read');
      const page = new QuestionPage(deps, context, (task, question) => seesAll || isFor(context, task, question));
      return { value: await page.read(filter, pageSizeOf(pageSize, pageSizes), pageToken) };
    },

    async AnswerQuestion({ key, parts, generation }, context, facts) {
      const content = partsOf(parts);
      const task = await taskOf(deps, key, facts);
      const seesAll = hasScope(context.principal, 'admin');
      // A question for another caller is treated as missing.
      if (!seesAll) {
        const question = (await readQuestion(store, task, context)) ?? (await readDecided(store, task, context));
        if (!isFor(context, task, question)) throw A2AError.taskNotFound(key);
      }
      const way = seesAll ? ('admin' as const) : ('delegate' as const);
      await deps.answer(task, { parts: content, facts: { by: context.principal.id, way }, generation }, context);
      if (seesAll) return { value: await deps.detailsOf(key, context) };
      return { value: { summary: summaryOf(await taskOf(deps, key, facts), hidesWords()) } };
    },
  };
}

/** Returns the requested states of waiting tasks, or all such states if none is requested. Throws `invalidParams`. */
function waitingStatesOf(states: readonly string[]): TaskState[] {
  const wanted = interruptedStates.filter((state) => states.length === 0 || states.includes(state));
  const unknown = states.some((state) => !interruptedStates.includes(state as TaskState));
  if (unknown) throw fault('states', `must be states in which tasks wait: ${interruptedStates.join(', ')}`);
  return wanted;
}

/** Page of questions. It ends early if they have many bytes. */
class QuestionPage {
  readonly #deps: QuestionHandlersDeps;
  readonly #context: CallContext;
  readonly #isShown: (task: AskingTask, question: OpenQuestion) => boolean;
  /** Questions by the keys of their tasks. Undefined: the task has no question, or one for another caller. */
  readonly #questions = new Map<string, Question | undefined>();
  #bytes = 0;

  constructor(
    deps: QuestionHandlersDeps,
    context: CallContext,
    isShown: (task: AskingTask, question: OpenQuestion) => boolean,
  ) {
    this.#deps = deps;
    this.#context = context;
    this.#isShown = isShown;
  }

  async read(filter: TaskFilter, size: number, pageToken: string): Promise<ListQuestionsResponse> {
    const { limits, store } = this.#deps;
    let found = await store.searchTasks(filter, size, pageToken);
    for (const task of found.tasks) if (this.#bytes < limits.page) await this.#add(task);
    if (this.#questions.size < found.tasks.length) {
      // The page ends here. If one was answered meanwhile, another one has moved up.
      found = await store.searchTasks(filter, this.#questions.size, pageToken);
      for (const task of found.tasks) if (!this.#questions.has(task.key)) await this.#add(task);
    }
    const questions = [...this.#questions.values()].filter((question) => question !== undefined);
    return { questions, nextPageToken: found.nextPageToken };
  }

  async #add(task: TaskOverview): Promise<void> {
    const question = await this.#questionOf(task);
    this.#questions.set(task.key, question);
    if (question) this.#bytes += JSON.stringify(question).length;
  }

  async #questionOf(task: TaskOverview): Promise<Question | undefined> {
    const { store, hidesWords } = this.#deps;
    const found = await readQuestion(store, task, this.#context).catch(leaveOut);
    if (!found || !this.#isShown(task, found)) return undefined;
    const { text, schema, by, until, for: delegate, otherwise, remind, generation, ask } = found;
    const message = ask && !hidesWords() ? await heldTextOf(store, task.key, ask, this.#context) : undefined;
    return {
      task: summaryOf(task, hidesWords()),
      text,
      generation: String(generation),
      ...(schema && { schema: schema as Struct }),
      ...textsOf({ by, until, for: delegate, remind, message }),
      ...(ask && { asks: ask.asks.map(shownAsk) }),
      ...(otherwise !== undefined && { otherwise: otherwise as NonNullable<Question['otherwise']> }),
    };
  }
}

const shownAsk = ({ by, reason, of, delegate, quorum, given }: OpenAsk['asks'][number]): CallAsk => ({
  by,
  of: [...of],
  quorum,
  given: given.map((one) => ({ ...one })),
  ...textsOf({ reason, delegate }),
});
