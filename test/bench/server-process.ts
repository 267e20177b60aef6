import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Ready, Usage } from './servers/child.ts';

/** A benchmarked server in a process of its own. */
export class ServerProcess {
  readonly #child: ChildProcess;
  /** Which server this is. */
  readonly script: string;
  readonly http: number;
  readonly grpc: number;

  private constructor(child: ChildProcess, script: string, { http = 0, grpc = 0 }: Ready) {
    this.#child = child;
    this.script = script;
    this.http = http;
    this.grpc = grpc;
  }

  /** Starts test/bench/servers/{script}.ts; resolves when it listens. Rejects when it does not within 20 seconds. */
  static async start(script: string, ...args: string[]): Promise<ServerProcess> {
    const file = new URL(`./servers/${script}.ts`, import.meta.url);
    const child = fork(file, args, { execArgv: ['--expose-gc'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    try {
      const [ready] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
      return new ServerProcess(child, script, ready);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** CPU time so far, and memory: for `memory`, without what could be collected. */
  async usage(question: 'cpu' | 'memory' = 'cpu'): Promise<Usage> {
    this.#child.send(question);
    const [usage] = await once(this.#child, 'message', { signal: AbortSignal.timeout(20_000) });
    return usage;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
