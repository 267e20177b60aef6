import type { StreamResponse } from './a2a.ts';
import { A2AError } from './errors.ts';

/** Characters of an exception's message that a caller sees. */
const maxMessageLength = 500;

/** The file and line where an error was thrown, or where a file cannot be parsed; undefined when the stack lacks it. */
export function sourceLocationOf(error: unknown): string | undefined {
  const { stack } = (error ?? {}) as { stack?: unknown };
  if (typeof stack !== 'string') return undefined;
  // A syntax error has its location in the first line; other errors have it in the first call outside of Node.
  for (const line of stack.split('\n')) {
    const place = isSourceLocation(line) ? line : calledAt(line);
    if (place !== undefined) return displayLocation(place);
  }
  return undefined;
}

/** Whether a line is only a file and a line number, as Node prints for a syntax error. */
export const isSourceLocation = (line: string): boolean =>
  /^(?:file:\/\/|\/|[A-Z]:\\)/.test(line) && /:\d+$/.test(line);

/** The file and line of a call in a stack, which may be in parentheses behind a name. */
function calledAt(line: string): string | undefined {
  const call = /^ +at (?:async )?(.*)$/.exec(line)?.[1] ?? '';
  const place = call.slice(call.lastIndexOf('(') + 1);
  return /^((?:file:\/\/|\/|[A-Z]:\\)[^():]+:\d+):\d+\)?$/.exec(place)?.[1];
}

/** A location as a path, without the URL scheme and the query that defeats Node's module cache. */
export function displayLocation(place: string): string {
  if (!place.startsWith('file://')) return place;
  const path = decodeURI(place.slice('file://'.length));
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query) + path.slice(path.lastIndexOf(':'));
}

/** Describes an agent's exception. Its text may hold secrets, so only callers on this machine and the log get it. */
export function describeAgentFailure(thrown: unknown, local: boolean): string {
  if (!local) return 'The agent failed.';
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const place = sourceLocationOf(thrown);
  return `The agent failed: ${text.slice(0, maxMessageLength)}${place === undefined ? '' : ` (${place})`}`;
}

/** The events that an agent's method returned. Throws `invalidAgentResponse` when it returned something else. */
export function requireEvents(
  returned: AsyncIterable<StreamResponse>,
  method = 'execute',
): AsyncIterable<StreamResponse> {
  const value: unknown = returned;
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) return returned;
  const isPromise = value instanceof Promise;
  // Nothing awaits the promise: its rejection must not end the process.
  if (isPromise) value.catch(() => undefined);
  throw new A2AError(
    'invalidAgentResponse',
    `The agent's ${method} returned ${isPromise ? 'a promise' : typeof value} instead of events. ${generatorHint(method)}`,
  );
}

/** Advice for an agent's method that is no generator. */
export const generatorHint = (method: string): string =>
  `Write \`async *${method}(…)\`, with the asterisk, and yield events.`;
