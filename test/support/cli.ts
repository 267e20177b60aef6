import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './in-process.ts';
import { afterTest } from './peer.ts';

const ownMain = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** The command's entry. Default: this project's. */
  readonly main?: string;
  /** Whether it outlives the test that started it; the caller must end it. */
  readonly lasting?: boolean;
}

/** Starts the command from its sources; it is killed after the test if it is still there. */
export function startCli(
  args: readonly string[],
  { env = {}, cwd, stdin, main = ownMain, lasting = false }: CliOptions = {},
): ChildProcess {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  if (!lasting) afterTest(() => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'));
  return child;
}

/** Collects what a started command prints until it ends. */
export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

/** Runs the command to its end. */
export const cli = (args: readonly string[], options?: CliOptions): Promise<Outcome> =>
  outcomeOf(startCli(args, options));

/** Resolves with what the command has printed once a pattern is in it; rejects when it ends before. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      if (pattern.test(text)) resolve(text);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('close', () => reject(new Error(`ended before ${pattern} was printed:\n${text}`)));
  });
}
