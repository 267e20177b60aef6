import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

export interface Command {
  readonly cwd: string;
  /** Folder with the `node` that it runs on, npm and npx too; or several, as PATH has them. */
  readonly bin: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Settings that are not those of this project's own npm scripts, and no news of npm. */
function environment({ bin, env }: Command): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|command|config_local)|NODE_OPTIONS|OTEL_|TEST_TIERS$)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'warn',
    NEXT_TELEMETRY_DISABLED: '1',
    CI: 'true',
    ...env,
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
  };
}

/** Starts a program with a process group of its own, so that all that it starts ends with it. */
export function start(command: Command, program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, {
    cwd: command.cwd,
    env: environment(command),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** Ends a program and what it has started. */
export function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The whole group is gone.
  }
}

/**
 * Runs a program to its end.
 *
 * @returns what it printed, errors and warnings too
 * @throws Error with all that it printed when it fails, or when the job's time is over
 */
export async function run(command: Command, program: string, ...args: readonly string[]): Promise<string> {
  const { signal } = command;
  const child = start(command, program, args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const stop = (): void => end(child);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const [code] = await once(child, 'close');
    if (code === 0) return output;
    const how = signal.aborted ? 'did not end in time' : `ended with ${code}`;
    throw new Error(`${program} ${args.join(' ')} ${how}:\n${output}`);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
