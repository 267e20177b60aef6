import type { StreamResponse, Task } from '../core/model/a2a.ts';
import { A2AError } from '../core/model/errors.ts';
import { isResting } from '../core/model/lifecycle.ts';
import { progress, say } from './events.ts';

/** A whole answer: a text or `say(…)` for a direct message, otherwise the event or the events of a task. */
export type AgentAnswer = string | StreamResponse | readonly StreamResponse[];

/** The return value of an agent's method: events while it works, or its whole answer. */
export type AgentReturn =
  | AsyncIterable<StreamResponse>
  | AgentAnswer
  | Promise<AsyncIterable<StreamResponse> | AgentAnswer>;

/**
 * The events of what an agent's method returned. They throw `invalidAgentResponse` where that is no answer.
 *
 * @param task the task that the message continues
 */
export function eventsOf(
  returned: AgentReturn,
  method: 'execute' | 'resume',
  task?: Task,
): AsyncIterable<StreamResponse> {
  if (isIterable(returned)) return returned;
  const hasWaited = task !== undefined && isResting(task.status.state);
  return answered(returned, method, hasWaited);
}

async function* answered(
  returned: AgentReturn,
  method: string,
  hasWaited: boolean,
): AsyncGenerator<StreamResponse, void> {
  if (hasWaited && returned instanceof Promise) {
    // Awaited below, perhaps after it has been rejected.
    returned.catch(() => undefined);
    // Callers who poll must not take the task for one that still waits for them.
    yield progress();
  }
  const answer: unknown = await returned;
  if (isIterable(answer)) yield* answer;
  else if (typeof answer === 'string') yield say(answer);
  else if (Array.isArray(answer)) yield* answer;
  else if (typeof answer === 'object' && answer !== null) yield answer as StreamResponse;
  else throw new A2AError('invalidAgentResponse', notAnAnswer(answer, method));
}

const isIterable = (value: unknown): value is AsyncIterable<StreamResponse> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const notAnAnswer = (value: unknown, method: string): string =>
  `The agent's ${method} returned ${value === undefined ? 'nothing' : `a ${typeof value}`}. ${howToAnswer(method)}`;

/** Advice for a method that returns no answer. */
export const howToAnswer = (method: string): string =>
  `Return a text or events, or write \`async *${method}(…)\`, with the asterisk, and yield events.`;
