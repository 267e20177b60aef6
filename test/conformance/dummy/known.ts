import { readFileSync } from 'node:fs';
import type { Result } from './suite.ts';

export const knownPath = 'test/conformance/known-failures/dummy-a2a.txt';

/** The contracts that are known to fail, by the names of rows: lines `CONTRACT ROW`, each after its reason. */
export function readKnown(text = readFileSync(new URL(`../../../${knownPath}`, import.meta.url), 'utf8')): Set<string> {
  const known = new Set<string>();
  let hasReason = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) hasReason = true;
    else if (line === '') hasReason = false;
    else if (hasReason) known.add(line);
    else throw new Error(`a known failure without its reason: ${line}`);
  }
  return known;
}

/** Failures of a row that the list does not have, and contracts that it has and that pass. */
export function differences(row: string, results: readonly Result[], known: ReadonlySet<string>): string[] {
  return results.flatMap(({ id, passed, detail }) => {
    if (passed !== known.has(`${id} ${row}`)) return [];
    return [`${row} ${id}: ${passed ? 'passes: take it off the list' : `fails: ${detail}`}`];
  });
}
