import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCounts } from '../../scripts/test-counts.ts';
import type { Job, JobContext, Report } from './job.ts';
import { type Command, run } from './processes.ts';
import { type Installed, install, NotHad, type Program } from './programs/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files of tests that are skipped where a program is missing. */
export interface TestRow {
  readonly title: string;
  /** Paths from the project's root. */
  readonly files: readonly string[];
  readonly programs?: readonly Program[];
  /** A suite of others or packages of npm that `installers.ts` brings. */
  readonly suite?: string;
  /** Tests by their full names that are skipped with everything installed, and why. */
  readonly skipped?: readonly SkippedTest[];
  /** Milliseconds for the tests and what they need. Default: 15 minutes. */
  readonly timeout?: number;
}

interface SkippedTest {
  readonly name: RegExp;
  readonly because: string;
}

export const testJob = (row: TestRow): Job => ({
  name: row.title,
  files: row.files,
  timeout: row.timeout ?? 900_000,
  run: (context, signal) => runRow(row, context, signal),
});

async function runRow(row: TestRow, { folder }: JobContext, signal: AbortSignal): Promise<Report> {
  const node = dirname(process.execPath);
  const plain: Command = { cwd: folder, bin: node, signal };
  const programs: Installed[] = [];
  for (const program of row.programs ?? []) programs.push(await install(program, plain));
  const suite = row.suite === undefined ? [] : [await installSuite(row.suite, plain)];
  const note = [...programs.map(({ program, version, from }) => `${program.name} ${version} (${from})`), ...suite];
  const variables = programs.flatMap(({ program, path }) => (program.variable ? [[program.variable, path]] : []));
  const inPath = programs.flatMap(({ program, path }) => (program.variable ? [] : [dirname(path)]));
  const command: Command = {
    cwd: root,
    bin: [...inPath, node].join(delimiter),
    env: Object.fromEntries(variables),
    signal,
  };
  return Object.assign({ note: note.join(', ') }, await runTests(row, join(folder, 'report.json'), command));
}

/** Brings a suite in a process of its own, which the job's signal ends. @returns its name and version */
async function installSuite(name: string, command: Command): Promise<string> {
  const program = fileURLToPath(new URL('installers.ts', import.meta.url));
  try {
    return (await run(command, process.execPath, program, name)).trim().split('\n').at(-1) ?? '';
  } catch (thrown) {
    if (command.signal.aborted) throw thrown;
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    throw new NotHad(/^cannot be had: (.*)$/m.exec(said)?.[1] ?? said);
  }
}

async function runTests(row: TestRow, report: string, command: Command): Promise<Omit<Report, 'note'>> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...row.files];
  let complaint: string | undefined;
  try {
    await run(command, process.execPath, ...args);
  } catch (thrown) {
    if (command.signal.aborted) throw thrown;
    complaint = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const { counts, notes } = readCounts(report, complaint === undefined);
  const faults = [...notes, ...unrun(row, report)];
  // Of what fails outside of tests, only vitest's own words say why.
  if (notes.some((note) => note.includes(' outside of ')) && complaint !== undefined)
    faults.push(complaint.slice(-5_000));
  return { tests: counts, ...(faults.length > 0 && { failure: faults.join('\n') }) };
}

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Tests that should have run and did not: files without a test, and tests that were skipped although the row has all they
 * need.
 */
export function unrun({ files, skipped = [] }: Pick<TestRow, 'files' | 'skipped'>, report: string): string[] {
  let results: Results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return files.map((file) => `${file} did not run`);
  }
  const missing = files.filter((file) => {
    const ran = results.testResults.find(({ name }) => name.endsWith(`/${file}`));
    return ran === undefined || ran.assertionResults.length === 0;
  });
  const names = results.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
  );
  const unexpected = names.filter((name) => !skipped.some((each) => each.name.test(name)));
  const outdated = skipped.filter((each) => !names.some((name) => each.name.test(name)));
  return [
    ...missing.map((file) => `${file} did not run`),
    ...unexpected.map((name) => `skipped although the row has what it needs: ${name}`),
    ...outdated.map(({ name }) => `no test is skipped that matches ${name}: take it off the list`),
  ];
}
