import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Something that stands between a caller and the agent. */
export interface Peer {
  readonly name: string;
  /** Description of how it handles a call. */
  readonly does: string;
  /** Whether it passes streams on. Default: yes. */
  readonly streams?: false;
  /** Starts it before the agent on this port. Throws when it cannot be had here. */
  start(place: Place): Promise<Started>;
}

export interface Place {
  /** The port of the agent. */
  readonly agent: number;
  /** For the peer's files, and for this run only. */
  readonly folder: string;
}

export interface Started {
  readonly pid: number;
  readonly port: number;
  /** The URL of a call, and the headers that it needs. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** A command that runs until it is stopped. Its last output is kept for the error message. */
export class Running {
  readonly #child: ChildProcess;
  readonly #name: string;
  #output = '';

  constructor(command: string, args: readonly string[], options: { cwd: string; env?: Record<string, string> }) {
    this.#name = command;
    const env = { ...process.env, ...options.env };
    this.#child = spawn(command, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (text: string): void => {
      this.#output = (this.#output + text).slice(-2_000);
    };
    this.#child.stdout?.setEncoding('utf8').on('data', keep);
    this.#child.stderr?.setEncoding('utf8').on('data', keep);
    this.#child.on('error', ({ message }) => keep(message));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when a GET of the URL is answered, with whatever status. */
  async answers(url: string, seconds = 90): Promise<void> {
    for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
      if (this.#child.exitCode !== null || this.#child.pid === undefined) break;
      try {
        await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).arrayBuffer();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
    await this.stop();
    throw new Error(`${this.#name} does not answer at ${url}: ${this.#output}`);
  }

  async stop(): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }
}

/** Runs a command to its end; resolves with what it printed. */
export async function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors}`);
  return output;
}
