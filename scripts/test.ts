/**
 * `npm test`: the static checks, then the tests of the fast and the default tier (`tiers.ts`). `npm run test:fast`
 * (`--fast`) runs the fast tier only. `npm run test:all` (`--all`) goes on with the slow one, for which it installs the
 * packages of `tools`; no test runs twice. Further arguments select tests of all tiers, as vitest has them: `npm test
 * -- stores -t pagination`.
 *
 * The checks run at the same time as the tests, which wait for much of their time. The first check that fails stops
 * everything, and its output is printed. The last line counts the tests that vitest reports.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leftOutOn } from './platforms.ts';
import { type Counts, countLine, readCounts, sum } from './test-counts.ts';
import type { Tier } from './tiers.ts';
import { installTools, toolNames } from './tools.ts';

interface Step {
  readonly name: string;
  /** Path of a Node script from the project's root, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Time limit, longer than any step takes, that ends a step which hangs. */
  readonly minutes: number;
  readonly env?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const bin = (path: string) => join(root, 'node_modules', path);

/** Type-checks a project. A later run checks only what has changed since; `npm ci` discards that state. */
const types = (name: string, project: string): Step => {
  const seen = join(root, 'node_modules/.cache', `${name.replaceAll(' ', '-')}.json`);
  const incremental = ['--incremental', '--tsBuildInfoFile', seen] as const;
  // Tests run at the same time: threads of the compiler would repeat part of its work, and take more of the machine.
  const command = [bin('typescript/bin/tsc'), '-p', project, '--singleThreaded', ...incremental] as const;
  return { name, command, minutes: 5 };
};

const checks: readonly Step[] = [
  types('types', 'tsconfig.json'),
  types('types of the console', 'src/extensions/console'),
  { name: 'lint', command: [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'], minutes: 5 },
  { name: 'import rules', command: ['scripts/check-imports.ts'], minutes: 5 },
  { name: 'waits of tests', command: ['scripts/check-waits.ts'], minutes: 5 },
  { name: 'committed files', command: ['scripts/check-files.ts'], minutes: 5 },
  { name: 'prose', command: ['scripts/check-prose.ts'], minutes: 5 },
];

const house: Step = { name: 'house', command: ['scripts/house.ts', '--check'], minutes: 5 };

/** Checks that need the packages of `tools`. */
const slowChecks: readonly Step[] = [
  types('types of the site', 'tools/site'),
  { name: 'generated code', command: ['codegen/main.ts', '--check'], minutes: 5 },
];

/** Runs a step to its end. Its output is collected, or printed at once with `live`. */
function run(step: Step, live: boolean, signal: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  return new Promise((resolve) => {
    const deadline = AbortSignal.timeout(step.minutes * 60_000);
    const child = spawn(process.execPath, step.command, {
      cwd: root,
      // Tests start hundreds of processes, whose code Node then compiles once. The folder is the one of `enableCompileCache`.
      env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env, ...step.env },
      stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
      signal: AbortSignal.any([signal, deadline]),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const end = (ok: boolean) => {
      if (deadline.aborted) output += `still running after ${step.minutes} minutes\n`;
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      if (!signal.aborted) console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
      resolve({ ok, output });
    };
    child.on('error', (error) => {
      if (error.name !== 'AbortError') output += `${error.message}\n`;
      if (child.pid === undefined) end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

/** Runs checks one after another until one fails. The result is the output of the failed check. */
async function runChecks(checks: readonly Step[], signal: AbortSignal): Promise<string | undefined> {
  for (const step of checks) {
    const { ok, output } = await run(step, false, signal);
    if (signal.aborted) return undefined;
    if (!ok) return output;
    // Of a passing check, only the warnings are printed.
    process.stdout.write(output.replace(/^(?!warning: ).*\n?/gm, ''));
  }
  return undefined;
}

interface Selection {
  /** The tiers that vitest runs together. */
  readonly runs: readonly (readonly Tier[])[];
  readonly checks: readonly Step[];
  /** Arguments for vitest. */
  readonly filters: readonly string[];
}

const every: readonly Tier[] = ['fast', 'default', 'slow'];

/** Returns the selection in the arguments of the command. */
function select([first, ...rest]: readonly string[]): Selection {
  if (first === '--fast') return { runs: [['fast']], checks, filters: rest };
  if (first === '--all')
    return { runs: [['fast', 'default'], ['slow']], checks: [...checks, house, ...slowChecks], filters: rest };
  if (first === undefined) return { runs: [['fast', 'default']], checks: [...checks, house], filters: [] };
  return { runs: [every], checks, filters: [first, ...rest] };
}

async function main(signal: AbortSignal): Promise<number> {
  const { runs, checks, filters } = select(process.argv.slice(2));
  if (runs.length > 1) for (const name of toolNames) await installTools(name);
  const leftOut = leftOutOn(process.platform, root);
  for (const { path, reason } of leftOut) console.log(`left out ${path}: ${reason}`);
  const exclude = leftOut.map(({ path }) => `--exclude=${path}`);
  // The matrix uses it to select a sample of its pairs; the slow tier runs the others.
  const seed = process.env.TEST_SEED ?? String(Math.floor(Math.random() * 1_000_000));
  console.log(`TEST_SEED=${seed}`);
  const failure = new AbortController();
  const checked = runChecks(checks, signal).then((output) => {
    if (output !== undefined) failure.abort();
    return output;
  });
  const counted: Counts[] = [];
  const notes: string[] = [];
  const stop = AbortSignal.any([signal, failure.signal]);
  for (const tiers of runs) {
    const read = await runTests(tiers, { seed, args: [...exclude, ...filters] }, stop);
    if (read === undefined) break;
    counted.push(read.counts);
    notes.push(...read.notes);
  }
  const failed = await checked;
  if (signal.aborted) return 1;
  if (failed !== undefined) {
    console.log(failed.trimEnd());
    console.log('A check failed, so the tests were stopped; the check is the one failure counted.');
    console.log(countLine({ passed: 0, failed: 1, skipped: 0 }));
    return 1;
  }
  const counts = sum(counted);
  // Printed again at the end, below the output of all tiers.
  for (const note of notes) console.log(note);
  console.log(countLine(counts));
  return counts.failed === 0 ? 0 : 1;
}

/** Runs the tests of some tiers. Undefined if the signal stops it. */
async function runTests(
  tiers: readonly Tier[],
  { seed, args }: { readonly seed: string; readonly args: readonly string[] },
  signal: AbortSignal,
): Promise<ReturnType<typeof readCounts> | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-test-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const tests: Step = {
      name: `tests: ${tiers.join(', ')}`,
      command: [bin('vitest/vitest.mjs'), 'run', ...reporters, ...args],
      // The slow tier takes 25 on two cores that others use too.
      minutes: 90,
      env: { TEST_TIERS: tiers.join(), TEST_SEED: seed },
    };
    const { ok, output } = await run(tests, true, signal);
    if (output !== '') console.log(output.trimEnd());
    if (signal.aborted) return undefined;
    return readCounts(report, ok);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());
process.exitCode = await main(stopped.signal);
