import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Suite } from './program.ts';

/** A side of the project that the suite tries. */
export interface Side {
  readonly mode: 'server' | 'client';
  /** The program under test, in TypeScript; the file with the suite's descriptors is its first argument. */
  readonly program: string;
  /** The further arguments of the program. */
  readonly args?: readonly string[];
  /** Features that the project offers, in the suite's YAML. */
  readonly features: string;
  /** The cases that are known to fail, with their reasons as comments. */
  readonly known: string;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const clientOf = (protocol: string): Side => ({
  mode: 'client',
  program: pathOf('client-program.ts'),
  args: [protocol],
  features: pathOf(`${protocol}-client-features.yaml`),
  known: pathOf(`../known-failures/${protocol}-client.txt`),
});

export const sides: Readonly<Record<string, Side>> = {
  'connect-server': {
    mode: 'server',
    program: pathOf('server-program.ts'),
    features: pathOf('server-features.yaml'),
    known: pathOf('../known-failures/connect-server.txt'),
  },
  'grpc-client': clientOf('grpc'),
  'connect-client': clientOf('connect'),
};

/** The results of a run. */
export interface Outcome {
  /** The names of the cases that were run. */
  readonly cases: readonly string[];
  /** The names of those that failed, with what the suite says. */
  readonly failures: ReadonlyMap<string, string>;
  /** Failures that are not listed, and listed cases that did not fail. */
  readonly unexpected: readonly string[];
  /** Why the suite could not run, such as a line of the list that matches no case. */
  readonly problem: string | undefined;
}

export interface RunOptions {
  /** A pattern of names of cases, as the suite has them. Default: all. */
  readonly only?: string | undefined;
  /** With HTTP traces of failures. */
  readonly trace?: boolean;
}

/** Milliseconds for a whole run. */
const timeoutMs = 900_000;

/** Runs the suite against one side of the project, and compares what fails with the list. */
export async function runSuite(
  suite: Suite,
  { mode, program, args = [], features, known }: Side,
  { only, trace = false }: RunOptions = {},
): Promise<Outcome> {
  const list = only === undefined ? [`--known-failing=@${known}`] : [`--run=${only}`];
  const options = [`--mode=${mode}`, `--conf=${features}`, '--vv', ...list, ...(trace ? ['--trace'] : [])];
  const command = [process.execPath, program, suite.descriptors, ...args];
  // The suite gives a server ten seconds to start, and one at a time does so where the machine has other work.
  const { output, code } = await outputOf(suite.program, [...options, '--max-servers=1', '--', ...command]);
  return outcomeOf(output, code);
}

function outcomeOf(output: string, code: number | null): Outcome {
  const cases = new Set<string>();
  const failures = new Map<string, string>();
  const unexpected: string[] = [];
  for (const [, name = ''] of output.matchAll(/^Sending request for "(.+)"\.\.\.$/gm)) cases.add(name);
  // A name, and what is wrong in the indented lines after it.
  for (const [, name = '', words = ''] of output.matchAll(/^INFO: (.+) failed \(as expected\):\n((?:[ \t].*\n)*)/gm))
    failures.set(name, words.trim());
  for (const [, name = '', words = ''] of output.matchAll(/^FAILED: (.+?):\n((?:[ \t].*\n)*)/gm)) {
    failures.set(name, words.trim());
    unexpected.push(`${name}: ${words.trim()}`);
  }
  for (const [, name = ''] of output.matchAll(/^FAILED: (.+) was expected to fail but did not$/gm))
    unexpected.push(`${name} passes: take it off the list`);
  const hasRun = /^Total cases: [1-9]/m.test(output) && (code === 0 || unexpected.length > 0);
  for (const name of failures.keys()) cases.add(name);
  return { cases: [...cases], failures, unexpected, problem: hasRun ? undefined : output.slice(-10_000) };
}

/** How many cases passed, of how many, by protocol, HTTP version and codec. */
export function tableOf({ cases, failures }: Outcome): string[] {
  const rows = new Map<string, { passed: number; all: number }>();
  for (const name of cases) {
    const part = (key: string): string => new RegExp(`/${key}:(?:[A-Z]+_)?([^/]+)`).exec(name)?.[1] ?? '';
    const [suite = ''] = name.split('/');
    const protocol = part('Protocol') || (/^(gRPC-Web|gRPC|Connect)/.exec(suite)?.[0] ?? '').toUpperCase();
    const row = `${protocol.replace('-', '_').padEnd(9)} HTTP/${part('HTTPVersion') || '2'} ${part('Codec') || 'PROTO'}`;
    const counts = rows.get(row) ?? { passed: 0, all: 0 };
    rows.set(row, { passed: counts.passed + (failures.has(name) ? 0 : 1), all: counts.all + 1 });
  }
  return [...rows].sort().map(([row, { passed, all }]) => `${row.padEnd(24)} ${passed} of ${all}`);
}

function outputOf(program: string, args: readonly string[]): Promise<{ output: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ output, code }));
  });
}
