import type { StreamResponse } from '../model/a2a.ts';
import { type OpenAsk, openAskOf } from '../model/ask.ts';
import type { LoggedEvent, Requester } from '../model/call.ts';
import { stateOf } from '../model/lifecycle.ts';
import { type AnswerFacts, answererOf, type Question, questionIn } from '../model/question.ts';
import type { TaskRecord, TaskStore } from '../ports/task-store.ts';

/** A question as it stands in the log. */
export interface OpenQuestion extends Question {
  /** The task's generation, by which an answer names the question: it is given once. */
  readonly generation: number;
  /** Position of the event that asks. */
  readonly seq: number;
  /** Of a question to people about a call that waits for them. */
  readonly ask?: OpenAsk;
}

/**
 * The open question of a task; undefined: none. Reads the last event alone where that asks, as it does
 * nearly always.
 */
export async function readQuestion(
  store: Pick<TaskStore, 'events'>,
  { key, seq }: Pick<TaskRecord, 'key' | 'seq'>,
  requester?: Requester,
): Promise<OpenQuestion | undefined> {
  let last: LoggedEvent | undefined;
  for (let position = seq; position > 0; position -= 1) {
    const [logged] = await store.events(key, position - 1, 1, requester);
    last ??= logged;
    // The state stays until the agent says something about a message.
    if (!logged || !last || logged.event.message) return undefined;
    if (stateOf(logged.event) === undefined) continue;
    const question = questionIn(logged.event);
    const ask = askIn(logged.event);
    return question && { ...question, generation: last.generation, seq: logged.seq, ...(ask && { ask }) };
  }
  return undefined;
}

/** The open asks of a status that waits for people. */
export function askIn({ task, statusUpdate }: StreamResponse): OpenAsk | undefined {
  const status = (task ?? statusUpdate)?.status;
  return status && openAskOf({ status });
}

/** Events that may have come since a task was read. */
const mostLater = 32;

/**
 * Reads the sender of the last message to a task, if it was not its owner, or the person who has denied its call.
 *
 * @param task `seq`: position of its last event, as far as the caller knows. Absent: the messages to the task alone are read
 */
export async function readAnswerer(
  store: Pick<TaskStore, 'events' | 'latestTurn'>,
  { key, seq = 0 }: { readonly key: string; readonly seq?: number },
  requester?: Requester,
): Promise<AnswerFacts | undefined> {
  const latest = seq > 0 ? await store.events(key, seq - 1, mostLater, requester) : [];
  const denials = latest.flatMap(({ event }) => answererOf(event.statusUpdate?.status.message) ?? []);
  if (denials.length > 0) return denials.at(-1);
  const [turn] = await store.events(key, (await store.latestTurn(key)) - 1, 1, requester);
  return answererOf(turn?.event.message);
}
