import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Report } from '../bench/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-bench-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('what was measured is on the disk when a later part fails, and the parts after it are measured', async () => {
  const path = join(folder, 'results/latest.json');
  const told: string[] = [];
  const report = new Report(path, { rounds: 1 }, (line) => told.push(line));
  const written = () => JSON.parse(readFileSync(path, 'utf8'));
  await report.part('one', async () => void report.figures.push({ scenario: 'one' }));
  expect(written()).toEqual({ rounds: 1, figures: [{ scenario: 'one' }], goals: [], failed: [] });
  await report.part('two', async () => {
    report.figures.push({ scenario: 'half of two' });
    throw new Error('no dist');
  });
  await report.part('three', async () => void report.figures.push({ scenario: 'three' }));
  expect(written()).toMatchObject({
    figures: [{ scenario: 'one' }, { scenario: 'half of two' }, { scenario: 'three' }],
    failed: [{ part: 'two', error: 'no dist' }],
  });
  expect(told.filter((line) => /^\d\. /.test(line))).toEqual(['1. one …', '2. two …', '3. three …']);
  expect(told).toContain('   failed: no dist');
});
