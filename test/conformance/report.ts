import { type ConformanceResult, recordResults, today } from '../../scripts/reference/conformance.ts';
import type { CaseResult } from './junit.ts';
import { differences, readKnownFile } from './known-list.ts';

/** The outcome of a suite against one target. */
export interface SuiteRun {
  /** The part of the project that was tried, and how it was reached. */
  readonly target: string;
  /** By name. The name begins with a short one of the target, so that a list of known failures can tell targets apart. */
  readonly cases: ReadonlyMap<string, CaseResult>;
  /** The words of a suite that did not end. */
  readonly problem?: string | undefined;
}

/** The outcome of a suite against all of its targets. */
export interface SuiteOutcome {
  /** The name of the suite, with its version. */
  readonly suite: string;
  readonly version: string;
  /** The script that repeats the run, with its arguments. */
  readonly command: string;
  /** The name of the list of known failures. */
  readonly known: string;
  readonly runs: readonly SuiteRun[];
  /** Whether all cases were run. */
  readonly isWhole: boolean;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countsOf({ cases }: SuiteRun): Counts {
  const results = [...cases.values()];
  const count = (wanted: CaseResult['outcome']): number => results.filter(({ outcome }) => outcome === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** Prints what differs from the list of known failures, and the counts of each target. @returns how much is wrong */
export function report({ suite, known, runs, isWhole }: SuiteOutcome): number {
  const all = new Map(runs.flatMap(({ cases }) => [...cases]));
  const failures = new Map(
    [...all].filter(([, { outcome }]) => outcome === 'failed').map(([name, { message }]) => [name, message]),
  );
  const problems = runs.filter(({ cases, problem }) => problem !== undefined || (isWhole && cases.size === 0));
  for (const { target, problem } of problems) console.error(`${suite}, ${target}: ${problem ?? 'no case was run'}`);
  const wrong = differences(readKnownFile(known), all.keys(), failures, isWhole);
  for (const each of wrong) console.log(each.slice(0, 2_000));
  for (const run of runs) {
    const { passed, failed, skipped } = countsOf(run);
    console.log(`${suite}, ${run.target}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
  console.log(`${suite}: ${wrong.length} lines differ from the list ${known}`);
  return wrong.length + problems.length;
}

/** The rows of the page of conformance. */
export const resultsOf = (outcome: SuiteOutcome, date: string): ConformanceResult[] =>
  outcome.runs.map((run) => ({
    suite: outcome.suite,
    version: outcome.version,
    target: run.target,
    ...countsOf(run),
    date,
    command: outcome.command,
    known: `test/conformance/known-failures/${outcome.known}`,
  }));

/** Reports an outcome, and keeps its figures for the page of conformance where they are wanted. @returns the exit code */
export function finish(outcome: SuiteOutcome, record: boolean): number {
  const wrong = report(outcome);
  if (record && wrong === 0 && outcome.isWhole) recordResults(outcome.suite, resultsOf(outcome, today()));
  return wrong === 0 ? 0 : 1;
}
