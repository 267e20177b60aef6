import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const clockShift = new URL('clock-shift.ts', import.meta.url).href;

/** Milliseconds until a gateway that ended by itself is started again. */
const restartAfter = 300;
/** Milliseconds that a start, or an orderly end, may take. */
const timeoutMs = 60_000;

export interface GatewayOptions {
  /** Of the configuration. */
  readonly config: string;
  readonly port: number;
  /** File for its output, of all its processes. */
  readonly logFile: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called when it ended without a request to stop. One that was not ready yet may have had no database. */
  readonly onFall: (how: string, wasReady: boolean) => void;
}

/** A gateway as an operator runs it: a process of its own that is started again when it ends. */
export class GatewayProcess {
  readonly port: number;
  readonly #options: GatewayOptions;
  #child: ChildProcess | undefined;
  #wanted = false;
  #paused = false;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;
  /** Its processes that others may have taken for dead, since something was done to them. */
  readonly #struck = new Set<number>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.port = options.port;
  }

  /** Whether it has a process that runs, and has come so far that it serves. */
  get up(): boolean {
    return this.#wanted && this.#ready && !this.#paused;
  }

  /** Ids of its processes that others may have taken for dead: they were killed, stopped, paused or cut off. */
  get struck(): ReadonlySet<number> {
    return this.#struck;
  }

  /** Notes that others may take the process for dead from now on. */
  strike(): void {
    if (this.#child?.pid !== undefined) this.#struck.add(this.#child.pid);
  }

  /** Starts it; it is started again when it ends by itself, until `end`. */
  start(): void {
    this.#wanted = true;
    const { config, logFile, env } = this.#options;
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, ['--import', clockShift, main, 'serve', '--config', config], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    const callOff = child.pid === undefined ? () => undefined : guard(child.pid);
    child.once('error', () => undefined);
    child.once('close', (code, signal) => {
      callOff();
      if (this.#child !== child) return;
      this.strike();
      const wasReady = this.#ready;
      this.#child = undefined;
      this.#paused = false;
      this.#ready = false;
      if (!this.#wanted) return;
      this.#options.onFall(signal ?? `exit code ${code}`, wasReady);
      this.#timer = setTimeout(() => this.start(), restartAfter);
    });
    void this.#watch(child);
  }

  async #watch(child: ChildProcess): Promise<void> {
    while (this.#child === child && !this.#ready) {
      const ready = await this.#isReady();
      if (this.#child === child) this.#ready = ready;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Resolves when it says that it is ready. */
  async ready(): Promise<void> {
    const until = Date.now() + timeoutMs;
    while (!this.#ready || !(await this.#isReady())) {
      if (Date.now() > until)
        throw new Error(`the gateway at port ${this.port} is not ready: ${this.#options.logFile}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(1_000);
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** Ends it, and does not start it again. Resolves when it is gone; one that does not heed a gentle signal is killed. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.strike();
    const child = this.#child;
    if (!child) return;
    const gone = once(child, 'close');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    await gone;
    clearTimeout(late);
  }

  /** Stops its clock, as a machine that swaps or a suspended virtual machine does. */
  pause(): void {
    this.strike();
    this.#paused = this.#child?.kill('SIGSTOP') ?? false;
  }

  continue(): void {
    if (this.#paused) this.#child?.kill('SIGCONT');
    this.#paused = false;
  }
}

/**
 * Kills a process when this one is gone, however it went: a shell waits for the end of its input. Returns what calls it
 * off, to be called when the process has ended.
 */
function guard(pid: number): () => void {
  const script = 'cat >/dev/null; kill -9 "$1" 2>/dev/null';
  const shell = spawn('sh', ['-c', script, 'sh', String(pid)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  return () => {
    shell.kill('SIGKILL');
    shell.stdin?.destroy();
  };
}
