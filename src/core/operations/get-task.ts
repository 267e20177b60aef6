import { loopTurns } from '../limits/loop-turns.ts';
import type { Task } from '../model/a2a.ts';
import type { UnaryReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { withHistory } from '../model/fold.ts';
import { isTerminal } from '../model/lifecycle.ts';
import { shownTask, shownText, type WantedParts } from '../model/task-text.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-tasks.ts';
import { taskFor } from '../tasks/task-journal.ts';
import type { Handler, HandlerInput } from './handler.ts';
import { generationIn, requireRange } from './rules.ts';

type Input = HandlerInput<'GetTask'>;

/**
 * GetTask (A2A 1.0.1 section 3.1.3). With `currentGeneration`, the answer waits until the task has a greater generation (A2A 1.1
 * section 3.2.7). If the task is over, the answer is sent at once. After `limits.answer`, or shortly before the caller's
 * deadline, the current task is the answer.
 */
export const getTask: Handler<'GetTask'> = async (input) => {
  const { request, context, owner, deps, tasks, dialects } = input;
  requireRange('historyLength', request.historyLength, 0);
  // A generation that exceeds the range of exact numbers is never reached.
  const given = generationIn('currentGeneration', request.currentGeneration);
  const known = given === undefined ? undefined : Number(given);
  const live = tasks.peek(owner, request.id);
  if (live) return live.retainWhile(() => getLive(input, live, known));
  const stored = await deps.store.find(owner, request.id, context);
  if (!stored) throw A2AError.taskNotFound(request.id);
  const mustWait = known !== undefined && stored.generation <= known && !isTerminal(stored.state);
  if (mustWait) return tasks.adopt(stored).retainWhile((adopted) => getLive(input, adopted, known));
  dialects.used(stored, context.dialect);
  const turn = loopTurns.takeFor(stored.bytes);
  if (turn) await turn;
  return new StoredReply(stored, request);
};

/** A stored task, as text if the store has the text. The text is parsed only if the caller's dialect needs the value. */
class StoredReply implements UnaryReply<'GetTask'> {
  readonly facts: StoredTask;
  readonly json: string | undefined;
  readonly #wanted: WantedParts;

  constructor(facts: StoredTask, wanted: WantedParts) {
    this.facts = facts;
    this.#wanted = wanted;
    this.json = facts.json && shownText(facts.json, wanted);
  }

  get value(): Task {
    return shownTask(this.facts.task, this.#wanted);
  }
}

/**
 * @param live retained: events that another replica appends end its wait only while it is in memory
 * @param known the answer waits for a greater generation than this one; absent: it does not wait
 */
async function getLive({ request, context, deps, dialects }: Input, live: LiveTask, known: number | undefined) {
  dialects.used(live, context.dialect);
  const reading = live.journal.catchUp();
  if (reading) await reading;
  if (known !== undefined) await untilChanged({ context, deps }, live, known);
  const { task, facts } = await taskFor(live.journal, context);
  return { value: withHistory(task, request.historyLength), facts };
}

/** Waits while the task has the known generation. Meanwhile the caller counts as one with an open stream. */
async function untilChanged({ context, deps }: Pick<Input, 'context' | 'deps'>, live: LiveTask, known: number) {
  if (live.log.generation > known || live.log.isTerminal) return;
  // The task was read, and is read again: a caller that waits holds no memory for its answer.
  context.reservation?.release();
  const slot = deps.streams?.take(context);
  try {
    deps.streams?.checkTask(live.journal.listeners.readerCount);
    await live.journal.listeners.untilGeneration(
      known,
      context.signal,
      waitingTime(context.deadline, deps.limits.answer),
    );
  } finally {
    slot?.release();
  }
}

/** Milliseconds until an answer must begin: a tenth of the time until the deadline, at most a second, is left for it. */
function waitingTime(deadline: number | undefined, answer: number): number {
  if (deadline === undefined) return answer;
  const remaining = deadline - Date.now();
  return Math.max(0, Math.min(answer, remaining - Math.min(1_000, remaining / 10)));
}
