import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { countLine, readCounts, sum } from '../../scripts/test-counts.ts';
import { newFolder } from '../support/folders.ts';

let folder: string;
beforeAll(() => {
  folder = newFolder();
});

const counted = (ok: boolean, ...files: { status: string; tests: string[]; message?: string }[]) => {
  const report = join(folder, 'report.json');
  const testResults = files.map(({ status, tests, message = '' }, index) => ({
    name: `file${index}`,
    status,
    message,
    assertionResults: tests.map((one) => ({
      status: one,
      fullName: `answers ${one}`,
      failureMessages: one === 'failed' ? ['Error: no answer\n    at …'] : [],
    })),
  }));
  writeFileSync(report, JSON.stringify({ testResults }));
  return readCounts(report, ok);
};

it('the last line counts', () => {
  expect(countLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(countLine({ passed: 12, failed: 1, skipped: 2 })).toBe('12 passed, 1 failed, 2 skipped');
});

it('the last line counts several runs together', () => {
  const runs = [
    { passed: 12, failed: 0, skipped: 1 },
    { passed: 3, failed: 2, skipped: 0 },
  ];
  expect(countLine(sum(runs))).toBe('15 passed, 2 failed, 1 skipped');
});

it('the last line counts tests over all files', () => {
  const { counts, notes } = counted(
    false,
    { status: 'passed', tests: ['passed', 'passed', 'skipped', 'todo'] },
    { status: 'failed', tests: ['passed', 'failed'] },
  );
  expect(counts).toEqual({ passed: 3, failed: 1, skipped: 2 });
  expect(notes).toEqual(['file1: answers failed: Error: no answer']);
});

it('the last line counts a file that could not be run', () => {
  const { counts, notes } = counted(
    false,
    { status: 'passed', tests: ['passed'] },
    { status: 'failed', tests: [], message: 'Cannot find module\nat …' },
  );
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(notes).toEqual(['file1 failed outside of its tests: Cannot find module']);
});

it('the last line counts a failure that no test shows', () => {
  expect(counted(false, { status: 'passed', tests: ['passed'] }).counts).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
  writeFileSync(join(folder, 'half.json'), '{"testResults":[');
  for (const report of ['missing.json', 'half.json'])
    expect(readCounts(join(folder, report), true).counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
});
