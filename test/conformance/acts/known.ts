import { readFileSync } from 'node:fs';
import type { Result } from './run.ts';

/** A line of the list of known failures: the test of these rows fails, for the reason before it. */
interface Known {
  /** The name of a row as its words, each of which may be `*`. */
  readonly row: string;
  readonly test: string;
}

export const knownPath = 'test/conformance/known-failures/acts.txt';

export function readKnown(text = readFileSync(new URL(`../../../${knownPath}`, import.meta.url), 'utf8')): Known[] {
  let hasReason = false;
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('#')) hasReason = true;
    if (line === '') hasReason = false;
    if (line === '' || line.startsWith('#')) return [];
    const [, test, row] = /^(\S+) +(\S.*)$/.exec(line) ?? [];
    if (test === undefined || row === undefined) throw new Error(`not a line of known failures: ${line}`);
    if (!hasReason) throw new Error(`a known failure without its reason: ${line}`);
    return [{ test, row }];
  });
}

/**
 * Differences from the list, by the names of rows: failures that are not listed, errors of the runner, which the list
 * cannot contain, and listed tests that pass.
 */
export function differences(rows: ReadonlyMap<string, readonly Result[]>, known: readonly Known[]): string[] {
  return [...rows].flatMap(([name, results]) =>
    results.flatMap(({ test: { id }, result, reason }) => {
      const isListed = known.some(({ test, row }) => test === id && rowMatches(row, name));
      if (result === 'skip' || (result === 'fail' && isListed) || (result === 'pass' && !isListed)) return [];
      return [`${name} ${id}: ${result === 'pass' ? 'passes: take it off the list' : `${result}: ${reason}`}`];
    }),
  );
}

/** Whether a pattern such as `* rest auth` or `0.1` has the name of a row. Words that it leaves out are any. */
function rowMatches(pattern: string, name: string): boolean {
  const words = name.split(' ');
  return pattern.split(' ').every((word, index) => word === '*' || word === words[index]);
}
