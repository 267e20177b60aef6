import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { StdioToolServerSettings } from '../../../../net/tool-server-settings.ts';
import { ToolFailure, tooLarge } from '../failures.ts';
import { LineReader } from './line-reader.ts';
import type { ToolTransport } from './session.ts';

/** Milliseconds that a program gets to end by itself after its input was closed, and then after SIGTERM. */
const grace = 2_000;
/** Bytes that may wait for a program to read. */
const maxUnread = 32 * 1024 * 1024;

/** Milliseconds of parsing after which reading pauses for three times as long, so that others get a turn. */
const maxBusy = 5;
/** Bytes of a line after which the program is stopped. */
const maxLine = 128 * 1024 * 1024;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Process groups to kill when this process exits. */
const groups = new Set<number>();
let watching = false;

/** Each program leads a process group, so that its children end with it. Windows has no process groups. */
const grouped = process.platform !== 'win32';

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(grouped ? -pid : pid, signal);
  } catch {
    // The group is gone already.
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

/** Why a program could not be started: with its name, but without its path, because callers see the reason. */
function spawnError({ code }: NodeJS.ErrnoException, command: string, cwd: string): string {
  // Node reports a missing working directory as a missing program.
  if (code === 'ENOENT' && !existsSync(cwd)) return 'its working directory does not exist';
  const name = basename(command);
  if (code === 'ENOENT') return `there is no program "${name}"`;
  if (code === 'EACCES') return `"${name}" is not executable`;
  return code ?? 'unknown reason';
}

/** Output of a program that the SDK does not handle. */
export interface ProcessHooks {
  /** A line of standard error, or a line of standard output that is not JSON. */
  readonly onStderr: (line: string) => void;
  /** A message is too large. `id` is the request that it answers, if known; `ended` says whether it is complete. */
  readonly onOversize: (failure: ToolFailure, id: number | undefined, ended: boolean) => void;
}

/**
 * MCP's stdio transport: one line of JSON for each message. Unlike the SDK's, it limits the length of lines without
 * buffering them, and ends the program together with its children.
 */
export function createProcessTransport(settings: StdioToolServerSettings, hooks: ProcessHooks): ToolTransport {
  const { command, args, cwd, env, maxResult } = settings;
  const gone = Promise.withResolvers<true>();
  let child: Child | undefined;
  let ending: ToolFailure | undefined;

  const end = (why: ToolFailure): void => {
    if (ending) return;
    ending = why;
    transport.onclose?.();
  };

  const goneWithin = async (ms: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, ms, false);
    const isGone = await Promise.race([gone.promise, promise]);
    clearTimeout(timer);
    return isGone;
  };

  const readLine = (line: string): void => {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      hooks.onStderr(`on stdout, which must be JSON: ${line.slice(0, 200)}`);
      return;
    }
    for (const one of Array.isArray(message) ? message : [message]) transport.onmessage?.(one as JSONRPCMessage);
  };

  const listen = (started: Child): void => {
    const { pid = 0, stdin, stdout, stderr } = started;
    endWithThisProcess(pid);
    const lines = new LineReader(maxResult, readLine);
    lines.onOverflow = (id, ended) => hooks.onOversize(tooLarge(maxResult), id, ended);
    stdout.on('data', (chunk: Buffer) => {
      const began = performance.now();
      lines.take(chunk);
      const spent = performance.now() - began;
      if (lines.size > Math.max(maxLine, maxResult)) {
        end(new ToolFailure('tooLarge', 'The server sent an endless line'));
        void transport.close();
      } else if (spent > maxBusy) {
        stdout.pause();
        setTimeout(() => stdout.resume(), spent * 3);
      }
    });
    const stderrLines = new LineReader(4096, hooks.onStderr);
    stderr.on('data', (chunk: Buffer) => stderrLines.take(chunk));
    for (const stream of [stdin, stdout, stderr]) stream.on('error', (error) => transport.onerror?.(error));
    started.once('exit', (code, signal) => {
      // Kills the children that it left behind.
      signalGroup(pid, 'SIGKILL');
      groups.delete(pid);
      gone.resolve(true);
      const how = signal === null ? `with the code ${code}` : `by ${signal}`;
      const onEnd = (): void => end(new ToolFailure('connection', `The server's program has ended ${how}`));
      // Its last output may not have been read yet.
      started.once('close', onEnd);
      setTimeout(onEnd, grace).unref();
    });
  };

  const transport: ToolTransport = {
    get ending() {
      return ending;
    },
    /** Rejects with a ToolFailure when the program cannot be started. */
    start() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const fail = (error: NodeJS.ErrnoException): void => {
        const why = spawnError(error, command, cwd);
        end(new ToolFailure('connection', `The server's program cannot be started: ${why}`));
        reject(ending);
      };
      const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.reveal()]));
      try {
        const started = spawn(command, args, {
          cwd,
          env: { ...getDefaultEnvironment(), ...own },
          stdio: ['pipe', 'pipe', 'pipe'],
          detached: grouped,
          windowsHide: true,
        });
        child = started;
        started.once('error', fail);
        started.once('spawn', () => {
          listen(started);
          resolve();
        });
      } catch (error) {
        fail(error as NodeJS.ErrnoException);
      }
      return promise;
    },
    async send(message) {
      const { stdin } = child ?? {};
      if (!stdin?.writable || ending) throw ending ?? new ToolFailure('connection', 'The server is not running');
      if (stdin.writableLength > maxUnread) {
        end(new ToolFailure('connection', 'The server does not read its input'));
        void transport.close();
        throw ending;
      }
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    /** Ends the program and its children; resolves when it is gone. */
    async close() {
      end(new ToolFailure('connection', 'The server has been stopped'));
      if (child?.pid === undefined) return;
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await goneWithin(grace)) return;
        signalGroup(child.pid, signal);
      }
      await goneWithin(grace);
    },
  };
  return transport;
}
