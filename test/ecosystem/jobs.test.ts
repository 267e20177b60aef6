import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { peerComplaints } from './app.ts';
import { jobs } from './jobs.ts';
import { unrun } from './test-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Conditions on the operating system, on what `npm ci` installs (Chromium for Linux too), and on the case in a table. */
const needsNoProgram = new RegExp(
  [
    'process\\.(platform|getuid)|/proc/self|isUnix|isKillable|noBrowser|^missing |exists\\(.bash',
    '^(can|endless\\.has|names\\.some)\\(|^(hasOthers|kind|via|what) ?[=!)]|^!method\\.',
  ].join('|'),
);

it('the jobs of npm run test:ecosystem have names of their own, by which one is chosen', () => {
  const names = jobs.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('the jobs of npm run test:ecosystem run programs that exist', () => {
  const programs = jobs.flatMap(({ program }) => program ?? []);
  expect(programs.length).toBeGreaterThan(20);
  for (const program of programs) {
    expect([program, existsSync(new URL(`apps/${program}`, import.meta.url))]).toEqual([program, true]);
  }
});

it('the jobs of npm run test:ecosystem run files of tests that exist', () => {
  const files = jobs.flatMap(({ files = [] }) => files);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it('the jobs of npm run test:ecosystem run every file of tests that skips something where a program is missing', () => {
  const covered = new Set(jobs.flatMap(({ files = [] }) => files));
  const skipping = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const conditions = readFileSync(join(root, file), 'utf8').matchAll(/\.(?:skipIf|runIf)\(\s*([^\n]+)/g);
    return conditions.some(([, condition = '']) => !needsNoProgram.test(condition));
  });
  expect(skipping.filter((file) => !covered.has(file))).toEqual([]);
});

it('an installation that complains about peers or engines has failed', () => {
  expect(peerComplaints('added 12 packages in 3s\n')).toEqual([]);
  expect(peerComplaints('npm warn deprecated glob@7.2.3: no longer supported\n')).toEqual([]);
  for (const line of [
    'npm error code ERESOLVE',
    'npm warn ERESOLVE overriding peer dependency',
    'npm warn Could not resolve dependency: peer graphql@"^17.1.0" from a2a-gateway@0.1.0',
    'npm warn EBADENGINE Unsupported engine {',
  ]) {
    expect(peerComplaints(`${line}\nadded 12 packages in 3s\n`)).toEqual([line]);
  }
});

describe('a row of tests that were skipped elsewhere', () => {
  const file = 'test/stores/cluster/nats.test.ts';
  const reportOf = (results: Readonly<Record<string, string>>): string => {
    const path = join(newFolder(), 'report.json');
    const assertionResults = Object.entries(results).map(([fullName, status]) => ({ fullName, status }));
    writeFileSync(path, JSON.stringify({ testResults: [{ name: `/checkout/${file}`, assertionResults }] }));
    return path;
  };

  it('a row of tests that were skipped elsewhere has failed where a test is skipped although all is installed', () => {
    const report = reportOf({ 'a runs': 'passed', 'b waits': 'skipped', 'c is Linux alone': 'pending' });
    const skipped = [{ name: /Linux/, because: 'it needs /proc' }];
    expect(unrun({ files: [file], skipped }, report)).toEqual(['skipped although the row has what it needs: b waits']);
  });

  it('a row of tests that were skipped elsewhere has failed where a file did not run, or had no tests', () => {
    const other = 'test/package/kubernetes.test.ts';
    expect(unrun({ files: [file, other] }, reportOf({}))).toEqual([`${file} did not run`, `${other} did not run`]);
    expect(unrun({ files: [file] }, join(newFolder(), 'report.json'))).toEqual([`${file} did not run`]);
  });

  it('a row of tests that were skipped elsewhere has failed where its list of skipped tests has one that runs', () => {
    const skipped = [{ name: /Linux/, because: 'it needs /proc' }];
    expect(unrun({ files: [file], skipped }, reportOf({ 'c is Linux alone': 'passed' }))).toHaveLength(1);
  });
});
