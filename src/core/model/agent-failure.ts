import type { StreamResponse } from './a2a.ts';
import { A2AError } from './errors.ts';

/** Characters of an exception's message that a caller gets to see. */
const mostCharacters = 500;

/** The file and line where an error was thrown, or where a file cannot be parsed; undefined when its stack does not say. */
export function sourceLocationOf(error: unknown): string | undefined {
  const { stack } = (error ?? {}) as { stack?: unknown };
  if (typeof stack !== 'string') return undefined;
  // Of what cannot be parsed, the first line; otherwise the first call outside of Node itself.
  for (const line of stack.split('\n')) {
    const place = isSourceLocation(line) ? line : calledAt(line);
    if (place !== undefined) return displayLocation(place);
  }
  return undefined;
}

/** Whether a line is nothing but a file and a line number: where Node shows what it cannot parse. */
export const isSourceLocation = (line: string): boolean =>
  /^(?:file:\/\/|\/|[A-Z]:\\)/.test(line) && /:\d+$/.test(line);

/** The file and line of a call in a stack, which may be in parentheses behind a name. */
function calledAt(line: string): string | undefined {
  const call = /^ +at (?:async )?(.*)$/.exec(line)?.[1] ?? '';
  const place = call.slice(call.lastIndexOf('(') + 1);
  return /^((?:file:\/\/|\/|[A-Z]:\\)[^():]+:\d+):\d+\)?$/.exec(place)?.[1];
}

/** A place as people write it: a path, without what makes Node read a file again. */
export function displayLocation(place: string): string {
  if (!place.startsWith('file://')) return place;
  const path = decodeURI(place.slice('file://'.length));
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query) + path.slice(path.lastIndexOf(':'));
}

/**
 * What a caller is told of an exception in an agent's code. Its text may hold anything, so that only callers on this very
 * machine get it: the log has the whole of it.
 */
export function describeAgentFailure(thrown: unknown, local: boolean): string {
  if (!local) return 'The agent failed.';
  const said = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const place = sourceLocationOf(thrown);
  return `The agent failed: ${said.slice(0, mostCharacters)}${place === undefined ? '' : ` (${place})`}`;
}

/** What an agent's method returned, if these are events. Throws A2AError `invalidAgentResponse` that says what is wrong. */
export function requireEvents(
  returned: AsyncIterable<StreamResponse>,
  method = 'execute',
): AsyncIterable<StreamResponse> {
  const value: unknown = returned;
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) return returned;
  const isPromise = value instanceof Promise;
  // What becomes of it is of no interest to anybody.
  if (isPromise) value.catch(() => undefined);
  throw new A2AError(
    'invalidAgentResponse',
    `The agent's ${method} returned ${isPromise ? 'a promise' : typeof value} instead of events. ${generatorHint(method)}`,
  );
}

/** How a method that yields events is written. */
export const generatorHint = (method: string): string =>
  `Write \`async *${method}(…)\`, with the asterisk, and yield events.`;
