import { readFileSync } from 'node:fs';
import type { Check, Scenario } from './kit.ts';

/** A line of `known-failures.txt`. */
interface Known {
  readonly line: string;
  /** Scenarios of this side whose name matches, in one version or (`*`) in all. */
  readonly side: string;
  readonly version: string;
  readonly scenario: string;
  /** A check that fails; `*`: the scenario does not apply, and is not run. */
  readonly check: string;
  readonly reason: string;
}

/** Differences between the results and the list. */
export interface Difference {
  /** Failed checks that the list does not have. */
  readonly unexpected: readonly string[];
  /** Lines whose check has not failed. */
  readonly outdated: readonly string[];
}

/** Reads the list of checks that are known to fail, and of scenarios that do not apply. */
export function readKnown(path = new URL('known-failures.txt', import.meta.url)) {
  const known = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map(parseLine);
  const matching = ({ side, name, version }: Scenario) =>
    known.filter(
      (each) =>
        each.side === side && (each.version === '*' || each.version === version) && nameMatches(each.scenario, name),
    );
  return {
    /** Why a scenario does not apply; undefined where it does. */
    notApplicable: (scenario: Scenario) => matching(scenario).find(({ check }) => check === '*')?.reason,
    /** Compares the checks of scenarios that were run with the list. */
    compare(results: ReadonlyMap<Scenario, readonly Check[]>): Difference {
      const open = new Set<string>();
      const failed = new Set<string>();
      const unexpected: string[] = [];
      for (const [scenario, checks] of results) {
        const lines = matching(scenario);
        for (const { line } of lines) open.add(line);
        for (const [id, message] of failuresOf(checks)) {
          const line = lines.find(({ check }) => check === id)?.line;
          if (line === undefined) unexpected.push(`${idOf(scenario)} ${id}  ${message}`);
          else failed.add(line);
        }
      }
      return { unexpected, outdated: [...open].filter((line) => !failed.has(line)) };
    },
  };
}

export const idOf = ({ side, version, name }: Scenario): string => `${side} ${version} ${name}`;

/** Failed checks with what the kit says of them. A warning is a "should" that is not met. */
export const failuresOf = (checks: readonly Check[]): Map<string, string> =>
  new Map(
    checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, errorMessage = '' }) => [id, errorMessage]),
  );

const nameMatches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

function parseLine(line: string): Known {
  const [, side, version, scenario, check, reason] = /^(\S+) +(\S+) +(\S+) +(\S+) +(.+)$/.exec(line) ?? [];
  if (!side || !version || !scenario || !check || !reason) throw new Error(`not a line of known failures: ${line}`);
  return { line, side, version, scenario, check, reason };
}
