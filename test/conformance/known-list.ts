import { readFileSync } from 'node:fs';

/**
 * A line of a list of known failures: the name of a case, in which `*` is any text. `?` before it says that the outcome depends
 * on chance, such as which of two frames is first.
 */
export interface KnownFailure {
  readonly pattern: string;
  /** Whether the case also passes at times, which then is no difference. */
  readonly isRace: boolean;
  /** The comment before it, which quotes the sentence that makes the failure the suite's. */
  readonly reason: string;
}

/** The folder of the lists. */
export const knownFailuresFolder = new URL('known-failures/', import.meta.url);

/** Reads a list: paragraphs of comment lines with the reason, and the names of the cases that have it. */
export function readKnownList(text: string): KnownFailure[] {
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const lines = paragraph.split('\n').filter((line) => line.trim() !== '');
    const isComment = (line: string): boolean => line.startsWith('#');
    const reason = lines.filter(isComment).map((line) => line.slice(1).trim());
    return lines
      .filter((line) => !isComment(line))
      .map((line) => ({ pattern: line.replace(/^\?\s*/, ''), isRace: line.startsWith('?'), reason: reason.join(' ') }));
  });
}

export const readKnownFile = (name: string): KnownFailure[] =>
  readKnownList(readFileSync(new URL(name, knownFailuresFolder), 'utf8'));

/** Whether a pattern of a list is the name of a case. */
export function matchesCase(pattern: string, name: string): boolean {
  const literals = pattern.split('*').map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${literals.join('.*')}$`).test(name);
}

/**
 * Failures that the list does not have, and lines of which no case failed. A line that is the name of no case that was run
 * says nothing, unless the run was whole.
 */
export function differences(
  list: readonly KnownFailure[],
  names: Iterable<string>,
  failures: ReadonlyMap<string, string>,
  isWhole: boolean,
): string[] {
  const all = [...names];
  const unexpected = [...failures].filter(([name]) => !list.some(({ pattern }) => matchesCase(pattern, name)));
  const outdated = list.filter(({ pattern, isRace }) => {
    const run = all.filter((name) => matchesCase(pattern, name));
    return !isRace && (run.length === 0 ? isWhole : !run.some((name) => failures.has(name)));
  });
  return [
    ...unexpected.map(([name, words]) => `${name} fails: ${words}`),
    ...outdated.map(({ pattern }) => `${pattern} does not fail: take it off the list`),
  ];
}
