import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Ready, Usage } from './servers/child.ts';

/** Milliseconds that a server has for each answer. */
const timeoutMs = 60_000;

export interface StartOptions {
  /** A module of `servers/` that is loaded before the server, and measures inside of its process. */
  readonly preload?: string;
  /** The root of another checkout of the project, whose server is started instead of the one here. */
  readonly tree?: string;
  /** The folder of the server, beside this file. Default: `servers`. */
  readonly folder?: string;
}

/** A benchmarked server in a process of its own. */
export class ServerProcess {
  readonly #child: ChildProcess;
  /** The script of the server. */
  readonly script: string;
  readonly http: number;
  readonly grpc: number;

  private constructor(child: ChildProcess, script: string, { http = 0, grpc = 0 }: Ready) {
    this.#child = child;
    this.script = script;
    this.http = http;
    this.grpc = grpc;
  }

  /** Starts test/bench/servers/{script}.ts; resolves when it listens. Rejects when it does not within a minute. */
  static start(script: string, ...args: string[]): Promise<ServerProcess> {
    return ServerProcess.startWith({}, script, ...args);
  }

  /** Like `start`, with a module that measures inside, or from elsewhere. */
  static async startWith(options: StartOptions, script: string, ...args: string[]): Promise<ServerProcess> {
    const { preload, tree, folder: name = 'servers' } = options;
    const here = new URL('./servers/', import.meta.url);
    const bench = tree === undefined ? import.meta.url : pathToFileURL(`${resolve(tree)}/test/bench/`);
    const folder = new URL(`${name}/`, bench);
    const execArgv = [
      '--expose-gc',
      ...(preload === undefined ? [] : ['--import', new URL(`${preload}.ts`, here).href]),
    ];
    const child = fork(new URL(`${script}.ts`, folder), args, {
      execArgv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const gone = new AbortController();
    child.once('exit', (code) => gone.abort(new Error(`${script} ended with ${code} before it listened`)));
    try {
      const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)]);
      const [ready] = await once(child, 'message', { signal });
      return new ServerProcess(child, script, ready);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** CPU time so far, and memory: for `memory`, without what could be collected. */
  usage(question: 'cpu' | 'memory' = 'cpu'): Promise<Usage> {
    return this.ask(question, 'cpu');
  }

  /** Sends a question to the process; resolves with the first answer that has this key. */
  async ask<Answer extends object>(question: string, key: keyof Answer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const listen = (answer: Answer): void => {
      if (key in answer) resolve(answer);
    };
    const ended = (): void => reject(new Error(`${this.script} ended`));
    this.#child.on('message', listen).on('exit', ended);
    const timer = setTimeout(() => reject(new Error(`${this.script} did not answer: ${question}`)), timeoutMs);
    try {
      this.#child.send(question);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#child.off('message', listen).off('exit', ended);
    }
  }

  /** Lets the process end, which removes its files; kills it when it does not. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await gone;
    clearTimeout(timer);
  }
}
