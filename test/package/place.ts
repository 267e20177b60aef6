import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface PlaceOptions {
  /** An empty folder. */
  readonly folder: string;
  /** The folder with the `node` to use; npm runs on it too. */
  readonly bin: string;
  /** The packed package. */
  readonly tarball: string;
  /** Gets a line for each step. */
  readonly report: (line: string) => void;
}

/** A program that runs in the background, and the URL that it printed. */
export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** The error that `execFile` throws. */
interface ExecFailure {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly message: string;
  readonly code?: number | string;
}

/** Exit code of `a2a-gateway send` when the task waits for its caller. */
const asksForInput = 3;

/** Milliseconds for one command; an installation is the longest. */
const commandTimeout = 180_000;

/** The place of a new user: a folder, and a version of Node. */
export class Place {
  readonly options: PlaceOptions;
  readonly #env: NodeJS.ProcessEnv;

  constructor(options: PlaceOptions) {
    this.options = options;
    // Nothing of this project's own npm scripts.
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|command|config_local)|NODE_OPTIONS)/.test(name),
    );
    const quiet = {
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      CI: 'true',
    };
    this.#env = {
      ...Object.fromEntries(kept),
      ...quiet,
      PATH: `${options.bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    };
  }

  /** Runs a command to its end; returns what it printed, or throws it. A task that asks for input is no failure. */
  async run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
    try {
      const options = { cwd, env: this.#env, timeout: commandTimeout, maxBuffer: 1 << 26 };
      const running = execute(command, args, options);
      running.child.stdin?.end();
      const { stdout, stderr } = await running;
      return stdout + stderr;
    } catch (thrown) {
      const { stdout = '', stderr = '', message, code } = thrown as ExecFailure;
      if (code === asksForInput) return stdout + stderr;
      throw new Error(`${command} ${args.join(' ')} failed in ${cwd}: ${message}\n${stdout}${stderr}`);
    }
  }

  /** Starts a program that prints the URL where it serves. */
  async start(cwd: string, command: string, ...args: readonly string[]): Promise<Running> {
    const child = spawn(command, args, { cwd, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    try {
      return { url: await urlPrinted(child), stop: () => stop(child) };
    } catch (thrown) {
      await stop(child);
      throw thrown;
    }
  }

  /** Does one step, and reports how long it took. */
  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      const result = await work();
      this.options.report(`  ok      ${name} (${seconds(start)} s)`);
      return result;
    } catch (thrown) {
      this.options.report(`  FAILED  ${name} (${seconds(start)} s)`);
      throw thrown;
    }
  }
}

const seconds = (start: number): string => ((performance.now() - start) / 1_000).toFixed(1);

/** The first URL that a program prints; rejects when it ends before, or prints none in 60 seconds. */
async function urlPrinted(child: ChildProcess): Promise<string> {
  let text = '';
  const found = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const url = /https?:\/\/[^\s:]+:\d+/.exec(text)?.[0];
      if (url !== undefined) found.resolve(url);
    });
  }
  child.once('close', () => found.reject(new Error(`ended before it served:\n${text}`)));
  const timer = setTimeout(() => found.reject(new Error(`printed no URL in 60 s:\n${text}`)), 60_000);
  try {
    return await found.promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Stops a program and what it started. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), 15_000);
  await closed;
  clearTimeout(timer);
}
