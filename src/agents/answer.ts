import type { StreamResponse } from '../core/model/a2a.ts';
import { A2AError } from '../core/model/errors.ts';
import { say } from './events.ts';

/** A whole answer: a text or `say(…)` for a direct message, otherwise the event or the events of a task. */
export type AgentAnswer = string | StreamResponse | readonly StreamResponse[];

/** What an agent's method returns: events while it works, or its whole answer. */
export type AgentReturn =
  | AsyncIterable<StreamResponse>
  | AgentAnswer
  | Promise<AsyncIterable<StreamResponse> | AgentAnswer>;

/** The events of what an agent's method returned. They throw `invalidAgentResponse` where that is no answer. */
export function eventsOf(returned: AgentReturn, method: 'execute' | 'resume'): AsyncIterable<StreamResponse> {
  return isIterable(returned) ? returned : answered(returned, method);
}

async function* answered(returned: AgentReturn, method: string): AsyncGenerator<StreamResponse, void> {
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
