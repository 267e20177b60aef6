import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { StdioToolServerSettings } from '../../../net/tool-server-settings.ts';
import { ToolFailure, tooLarge } from '../failures.ts';
import { LineReader } from './line-reader.ts';

/** Milliseconds that a program is given to end: by itself once its input has ended, then when it is asked to. */
const grace = 2_000;
/** Bytes that may wait for a program that does not read. */
const unread = 32 * 1024 * 1024;

/** Milliseconds of work after which a program's output is not read for three times as long, so that others get a turn. */
const busy = 5;
/** Bytes of a line that will not end. */
const endless = 128 * 1024 * 1024;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Groups of processes that are to end with this process, however it ends. */
const groups = new Set<number>();
let watching = false;

/** Programs are leaders of groups of their own, so that what they start ends with them. Windows has no such groups. */
const grouped = process.platform !== 'win32';

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(grouped ? -pid : pid, signal);
  } catch {
    // Nobody is left.
  }
}

function endWithThisProcess(pid: number): void {
  groups.add(pid);
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL');
  });
}

/** Why a program could not be started. Callers learn the program's name, but not where it was looked for. */
function whyNotStarted({ code }: NodeJS.ErrnoException, command: string, cwd: string): string {
  // A folder that is missing looks like a program that is.
  if (code === 'ENOENT' && !existsSync(cwd)) return 'the folder that it should run in does not exist';
  const name = basename(command);
  if (code === 'ENOENT') return `there is no program "${name}" here`;
  if (code === 'EACCES') return `"${name}" may not be executed here`;
  return code ?? 'unknown reason';
}

/** What the SDK does not know of a program's output. */
export interface ProcessHooks {
  /** A line of its standard error, or a stray one of its standard output. */
  readonly onComplaint: (line: string) => void;
  /** A message is too large: with the request that it answers, if that was found, and whether it has ended. */
  readonly onOversize: (failure: ToolFailure, id: number | undefined, ended: boolean) => void;
}

/**
 * MCP's transport over the standard input and output of a program, as a line of JSON for each message. In the place of
 * the SDK's own, because it bounds each line without holding it, and ends the program together with all that it started.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it is over, once it is. */
  ending: ToolFailure | undefined;
  readonly #settings: StdioToolServerSettings;
  readonly #hooks: ProcessHooks;
  readonly #gone = Promise.withResolvers<void>();
  #child: Child | undefined;

  constructor(settings: StdioToolServerSettings, hooks: ProcessHooks) {
    this.#settings = settings;
    this.#hooks = hooks;
  }

  /** Rejects with a ToolFailure when the program cannot be started. */
  start(): Promise<void> {
    const { command, args, cwd, env } = this.#settings;
    const own = Object.entries(env).map(([name, value]) => [name, value.reveal()]);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (error: NodeJS.ErrnoException): void => {
      const why = whyNotStarted(error, command, cwd);
      this.#end(new ToolFailure('connection', `The server's program cannot be started: ${why}`));
      reject(this.ending);
    };
    try {
      const child = spawn(command, args, {
        cwd,
        env: { ...getDefaultEnvironment(), ...Object.fromEntries(own) },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: grouped,
        windowsHide: true,
      });
      this.#child = child;
      child.once('error', failed);
      child.once('spawn', () => {
        this.#listen(child);
        resolve();
      });
    } catch (error) {
      failed(error as NodeJS.ErrnoException);
    }
    return promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin?.writable || this.ending)
      throw this.ending ?? new ToolFailure('connection', 'The server is not running');
    if (stdin.writableLength > unread) {
      this.#end(new ToolFailure('connection', 'The server does not read what it is sent'));
      void this.close();
      throw this.ending;
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the program and all that it started; resolves when it is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#end(new ToolFailure('connection', 'The server has been stopped'));
    if (child?.pid === undefined) return;
    const { pid } = child;
    child.stdin.end();
    const steps: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGKILL'];
    for (const signal of steps) {
      if (await this.#goneWithin(grace)) return;
      signalGroup(pid, signal);
    }
    await this.#goneWithin(grace);
  }

  #listen(child: Child): void {
    const { pid = 0, stdin, stdout, stderr } = child;
    endWithThisProcess(pid);
    const lines = new LineReader(this.#settings.maxResult, (line) => this.#read(line));
    lines.onOverflow = (id, ended) => this.#hooks.onOversize(tooLarge(this.#settings.maxResult), id, ended);
    stdout.on('data', (chunk: Buffer) => {
      const began = performance.now();
      lines.take(chunk);
      const spent = performance.now() - began;
      if (lines.size > Math.max(endless, this.#settings.maxResult)) {
        this.#end(new ToolFailure('tooLarge', 'The server sends a line without end'));
        void this.close();
      } else if (spent > busy) {
        stdout.pause();
        setTimeout(() => stdout.resume(), spent * 3);
      }
    });
    const complaints = new LineReader(4096, (line) => this.#hooks.onComplaint(line));
    stderr.on('data', (chunk: Buffer) => complaints.take(chunk));
    for (const stream of [stdin, stdout, stderr]) stream.on('error', (error) => this.onerror?.(error));
    child.once('exit', (code, signal) => {
      // What it started and left behind goes, too.
      signalGroup(pid, 'SIGKILL');
      groups.delete(pid);
      this.#gone.resolve();
      const how = signal === null ? `with the code ${code}` : `by ${signal}`;
      const end = (): void => this.#end(new ToolFailure('connection', `The server's program has ended ${how}`));
      // What it wrote last may still have to be read.
      child.once('close', end);
      setTimeout(end, grace).unref();
    });
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#hooks.onComplaint(`on its standard output, which is for JSON: ${line.slice(0, 200)}`);
      return;
    }
    for (const one of Array.isArray(message) ? message : [message]) this.onmessage?.(one as JSONRPCMessage);
  }

  #end(why: ToolFailure): void {
    if (this.ending) return;
    this.ending = why;
    this.onclose?.();
  }

  async #goneWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, ms, false);
    });
    const gone = await Promise.race([this.#gone.promise.then(() => true), late]);
    clearTimeout(timer);
    return gone;
  }
}
