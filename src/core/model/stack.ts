/** Locations where errors were thrown, for the authors of agents. */

/** Calls of a stack that are shown to an author. */
const maxFrames = 8;

/** URL of the gateway's own code: `…/src/` or `…/dist/`. */
const own = new URL('../../', import.meta.url);

/** Whether a line of a stack is in code that belongs neither to the gateway nor to Node. */
const isForeign = (line: string): boolean =>
  !/\((?:node:|<anonymous>)|at node:/.test(line) && !line.includes(displayLocation(own.href));

/** Returns the calls of an error's stack in the code of agents, with paths instead of URLs; empty if there are none. */
export function authorFrames(stack: unknown): string[] {
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  return lines
    .filter((line) => /^ +at /.test(line) && isForeign(line))
    .slice(0, maxFrames)
    .map((line) => line.trim().replace(/file:\/\/[^\s()]*/, displayLocation));
}

/**
 * Returns the file and line where an error was thrown, in an agent's code if it was called there, or where a file
 * cannot be parsed; undefined if the stack lacks it.
 */
export function sourceLocationOf(error: unknown): string | undefined {
  const { stack } = (error ?? {}) as { stack?: unknown };
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  // A syntax error has its location in the first line; other errors have it in the first call outside of Node.
  for (const line of [...lines.filter(isForeign), ...lines]) {
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
export const displayLocation = (place: string): string =>
  place.startsWith('file://') ? decodeURI(place.slice('file://'.length)).replace(/\?[^:]*/, '') : place;
