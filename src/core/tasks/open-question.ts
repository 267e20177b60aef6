import type { StreamResponse } from '../model/a2a.ts';
import { type OpenAsk, openAskOf } from '../model/ask.ts';
import type { LoggedEvent, Requester } from '../model/call.ts';
import { stateOf } from '../model/lifecycle.ts';
import { type AnswerFacts, answererOf, type Question, questionIn } from '../model/question.ts';
import type { TaskRecord, TaskStore } from '../ports/task-store.ts';

/** A question in the log of a task. */
export interface OpenQuestion extends Question {
  /** The task's generation, which identifies the question in answers. */
  readonly generation: number;
  /** Position of the event that asks. */
  readonly seq: number;
  /** The ask, for a question to people about a call that waits for them. */
  readonly ask?: OpenAsk;
}

/**
 * The open question of a task; undefined if it has none. In nearly all cases the last event asks, and is the only one that is
 * read.
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
    // After a message of the client, the state stays until the agent reports something.
    if (!logged || !last || logged.event.message) return undefined;
    if (stateOf(logged.event) === undefined) continue;
    const question = questionIn(logged.event);
    const ask = askIn(logged.event);
    return question && { ...question, generation: last.generation, seq: logged.seq, ...(ask && { ask }) };
  }
  return undefined;
}

/** The open asks in a status of a task that waits for people. */
export function askIn({ task, statusUpdate }: StreamResponse): OpenAsk | undefined {
  const status = (task ?? statusUpdate)?.status;
  return status && openAskOf({ status });
}

/** Largest number of events that may have been appended since the task was read. */
const mostLater = 32;

/**
 * Reads the sender of the last message to a task, if the sender was not its owner, or the person who has denied its call.
 *
 * @param task `seq`: position of its last event, as far as the caller knows. Absent: only the messages to the task are read
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
