import { readFileSync } from 'node:fs';

/** Number of tests by result. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Returns the line that ends a run: `12 passed, 0 failed`, with `, 1 skipped` if tests were skipped. */
export const countLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** The counts of several runs together. */
export const sum = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0),
  skipped: all.reduce((total, { skipped }) => total + skipped, 0),
});

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName?: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/**
 * Counts the tests in the report of vitest's JSON reporter, with a note on each failed test. A failure outside of tests
 * counts as one failure: a file that could not be run, an uncaught error, or a run without a report.
 *
 * @param ok whether vitest itself exited with 0
 */
export function readCounts(path: string, ok: boolean): { counts: Counts; notes: string[] } {
  const notes: string[] = [];
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    notes.push('vitest wrote no report, or not all of it: nothing was run, or it died');
    return { counts: { passed: 0, failed: 1, skipped: 0 }, notes };
  }
  const { testResults } = report;
  const statuses = testResults.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  let failed = 0;
  for (const file of testResults) {
    const failures = file.assertionResults.filter(({ status }) => status === 'failed');
    failed += failures.length;
    for (const { fullName, failureMessages = [] } of failures)
      notes.push(`${file.name}: ${fullName}: ${failureMessages[0]?.split('\n')[0]}`);
    if (file.status === 'failed' && failures.length === 0) {
      failed += 1;
      notes.push(`${file.name} failed outside of its tests: ${file.message.split('\n')[0]}`);
    }
  }
  if (!ok && failed === 0) {
    failed = 1;
    notes.push('vitest failed outside of any test, see above');
  }
  const skipped = statuses.filter((status) => status !== 'passed' && status !== 'failed').length;
  return { counts: { passed, failed, skipped }, notes };
}
