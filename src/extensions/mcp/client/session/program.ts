import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { withTimeout } from '../../../../core/model/timing.ts';
import type { StdioToolServerSettings } from '../../../../net/tool-server-settings.ts';
import { ToolFailure, tooLarge } from '../failures.ts';
import type { MessageReader } from './messages.ts';
import type { ToolTransport } from './session.ts';

/** Milliseconds that a program is given to end after its input was closed, and again after SIGTERM. */
const grace = 2_000;
/** Maximum bytes that may wait for a program to read them. */
const maxUnread = 32 * 1024 * 1024;
/** Maximum bytes of a line; a program that exceeds it is stopped. */
const maxLine = 128 * 1024 * 1024;
/** Maximum bytes of a line of standard error. */
const maxErrorLine = 4096;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Process groups to kill when this process exits. */
const groups = new Set<number>();
let watching = false;

/** Whether each program leads a process group, so that its children end with it. Windows has no process groups. */
const grouped = process.platform !== 'win32';

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(grouped ? -pid : pid, signal);
  } catch {
    // The group no longer exists.
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

/** Describes why a program could not be started. Includes its name, but not its path, because callers see the text. */
function spawnError({ code }: NodeJS.ErrnoException, command: string, cwd: string): string {
  // Node reports a missing working directory as a missing program.
  if (code === 'ENOENT' && !existsSync(cwd)) return 'its working directory does not exist';
  const name = basename(command);
  if (code === 'ENOENT') return `there is no program "${name}"`;
  if (code === 'EACCES') return `"${name}" is not executable`;
  return code ?? 'unknown reason';
}

/** Handlers for output of a program that the SDK does not handle. */
export interface ProgramHooks {
  readonly reader: MessageReader;
  /** Called with a line of standard error, or a line of standard output that is not a message. */
  readonly onStderr: (line: string) => void;
  /**
   * Called when a message is too large. `id` is the id of the request that it answers, if known; `ended` says whether
   * the message is complete.
   */
  readonly onOversize: (failure: ToolFailure, id: number | undefined, ended: boolean) => void;
}

async function startProgram({ command, args, cwd, env }: StdioToolServerSettings): Promise<Child> {
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.reveal()]));
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...getDefaultEnvironment(), ...own },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: grouped,
      windowsHide: true,
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return child;
  } catch (error) {
    const why = spawnError(error as NodeJS.ErrnoException, command, cwd);
    throw new ToolFailure('connection', `The server's program cannot be started: ${why}`);
  }
}

/**
 * Starts a program, and returns the SDK's transport over its standard input and output. Overlong lines are dropped
 * without being buffered, and the program's children end together with it.
 *
 * @throws ToolFailure if the program cannot be started
 */
export async function openProgram(settings: StdioToolServerSettings, hooks: ProgramHooks): Promise<ToolTransport> {
  const { maxResult } = settings;
  return new ProgramTransport(new Program(await startProgram(settings), hooks, maxResult), maxResult);
}

/** A running program that leads a process group. */
class Program {
  readonly pid: number;
  readonly stdin: Writable;
  /** Why the program has ended or is being ended. */
  ending: ToolFailure | undefined;
  readonly #stdout: Readable;
  readonly #hooks: ProgramHooks;
  readonly #maxResult: number;
  readonly #gone: Promise<true>;

  constructor(child: Child, hooks: ProgramHooks, maxResult: number) {
    const { pid = 0, stdin, stdout, stderr } = child;
    this.pid = pid;
    this.stdin = stdin;
    this.#stdout = stdout;
    this.#hooks = hooks;
    this.#maxResult = maxResult;
    endWithThisProcess(pid);
    this.#gone = new Promise<true>((resolve) => {
      child.once('exit', (code, signal) => {
        // Kills the children that the program left behind.
        signalGroup(pid, 'SIGKILL');
        groups.delete(pid);
        const how = signal === null ? `with the code ${code}` : `by ${signal}`;
        this.ending ??= new ToolFailure('connection', `The server's program has ended ${how}`);
        resolve(true);
      });
    });
    readLines(stderr, hooks.onStderr).catch(() => undefined);
  }

  /** Waits for the program to exit, at most for the grace period. */
  goneInTime(): Promise<true | undefined> {
    return withTimeout(this.#gone, grace);
  }

  /**
   * Yields the messages on standard output, one per line. Ends when the program has exited, so that the reason is
   * known.
   */
  async *messages(onEndless: (why: ToolFailure) => void): AsyncGenerator<Buffer, void> {
    const { reader, onStderr, onOversize } = this.#hooks;
    const limits = {
      limit: this.#maxResult,
      endless: Math.max(maxLine, this.#maxResult),
      onOversize: (id: number | undefined, ended: boolean) => onOversize(tooLarge(this.#maxResult), id, ended),
    };
    try {
      for await (const line of boundedLines(this.#stdout, limits)) {
        const text = line.toString('utf8');
        const messages = reader.read(text);
        for (const message of messages) yield Buffer.from(`${JSON.stringify(message)}\n`);
        const begin = text.slice(0, 200).trim();
        if (messages.length === 0 && begin !== '') onStderr(`on stdout, which must be MCP: ${begin}`);
        // Yields to other work, because a program may write faster than its messages are processed.
        await immediate();
      }
    } catch (thrown) {
      if (thrown instanceof RangeError) onEndless(new ToolFailure('tooLarge', 'The server sent an endless line'));
    }
    await this.goneInTime();
  }

  /** Ends the program and its children. Resolves when the program has exited. */
  async end(): Promise<void> {
    this.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.goneInTime()) return;
      signalGroup(this.pid, signal);
    }
    await this.goneInTime();
  }
}

/** The SDK's transport over standard input and output of a program. */
class ProgramTransport extends StdioServerTransport {
  /** `pid` and `stderr` tell the SDK's client that it is connected to a program. */
  readonly pid: number;
  readonly stderr = null;
  readonly #program: Program;

  constructor(program: Program, maxResult: number) {
    const onEndless = (why: ToolFailure): void => this.#stop(why);
    super(Readable.from(program.messages(onEndless)), program.stdin, { maxBufferSize: maxResult + 1 });
    this.pid = program.pid;
    this.#program = program;
  }

  get ending(): ToolFailure | undefined {
    return this.#program.ending;
  }

  override async send(message: Parameters<StdioServerTransport['send']>[0]): Promise<void> {
    const { stdin } = this.#program;
    if (stdin.writableLength > maxUnread) {
      this.#stop(new ToolFailure('connection', 'The server does not read its input'));
    }
    if (this.ending) throw this.ending;
    // Writing can fail shortly before the reason for the program's exit is known.
    await super.send(message).catch(async (error: unknown) => {
      await this.#program.goneInTime();
      throw this.ending ?? error;
    });
  }

  override async close(): Promise<void> {
    // Its input can break shortly before the reason for its exit is known.
    if (this.#program.stdin.destroyed) await this.#program.goneInTime();
    this.#program.ending ??= new ToolFailure('connection', 'The server has been stopped');
    await super.close();
    await this.#program.end();
  }

  #stop(why: ToolFailure): void {
    this.#program.ending ??= why;
    void this.close();
  }
}

async function readLines(stderr: Readable, onLine: ProgramHooks['onStderr']): Promise<void> {
  for await (const line of boundedLines(stderr, { limit: maxErrorLine })) onLine(line.toString('utf8'));
}

/** Bytes that are kept of each end of an overlong line. */
const retained = 512;

/** Patterns for the id at the head or tail of a JSON-RPC response whose middle was dropped. */
const idPatterns = {
  head: /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/,
  tail: /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/,
} as const;

function idIn(pattern: RegExp, bytes: Buffer): number | undefined {
  const id = pattern.exec(bytes.toString('latin1'))?.[1];
  return id === undefined ? undefined : Number(id);
}

export interface LineLimits {
  /** Maximum bytes of a line that is passed on. */
  readonly limit: number;
  /** Bytes of a line after which reading fails. Default: no limit. */
  readonly endless?: number;
  /**
   * Called when a line exceeds the limit, with the JSON-RPC id at its head. Called again at its end with the id at its
   * tail, if there was none at the head.
   */
  readonly onOversize?: (id: number | undefined, ended: boolean) => void;
}

/** Splits bytes into lines, including their line breaks. Overlong lines are dropped without being buffered. */
export async function* boundedLines(
  source: AsyncIterable<Buffer>,
  { limit, endless = Number.POSITIVE_INFINITY, onOversize }: LineLimits,
): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let size = 0;
  let headId: number | undefined;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.byteLength; ) {
      const newline = chunk.indexOf(10, from) + 1;
      const piece = chunk.subarray(from, newline || undefined);
      const was = size;
      from += piece.byteLength;
      size += piece.byteLength;
      parts.push(piece);
      if (size > limit) {
        const first = parts[0] as Buffer;
        const tail = Buffer.concat(parts.slice(-2)).subarray(-retained);
        // Copied, so that the chunks can be freed.
        parts = [Buffer.from(first.subarray(0, retained)), Buffer.from(tail)];
        if (was <= limit) {
          headId = idIn(idPatterns.head, first);
          onOversize?.(headId, false);
        }
        if (size > endless) throw new RangeError(`a line is longer than ${endless} bytes`);
      }
      if (newline === 0) continue;
      if (size <= limit) yield Buffer.concat(parts);
      else if (headId === undefined) onOversize?.(idIn(idPatterns.tail, parts[1] as Buffer), true);
      parts = [];
      size = 0;
    }
  }
}
