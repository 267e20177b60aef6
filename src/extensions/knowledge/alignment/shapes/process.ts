import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { A2AError } from '../../../../core/model/errors.ts';
import type { KGStatement } from '../../../../core/model/knowledge.ts';
import { unlessAborted } from '../../../../core/model/timing.ts';
import { sh } from '../../rdf/iris.ts';
import type { ReadOutcome } from '../outcome.ts';
import { TooMuchToJudge } from '../rule.ts';

/** Validates an update: its changed statements, and the outcome. */
export type ShapesJudge = (
  changed: readonly KGStatement[],
  outcome: ReadOutcome,
  signal: AbortSignal,
) => Promise<readonly Finding[]>;

/** A term, as findings name it. */
export interface Named {
  readonly termType: string;
  readonly value: string;
}

/** A validation result (SHACL 3.6.2), as far as it is reported. */
export interface Finding {
  readonly message: readonly Named[];
  readonly path: Named | null;
  readonly focusNode: Named;
  readonly severity: Named;
  readonly sourceConstraintComponent: Named;
  readonly value: Named | null;
}

export const isOf = ({ severity }: Finding, name: string): boolean => severity.value === sh + name;

/** Custom severities count as violations. */
export const isViolation = (finding: Finding): boolean => !isOf(finding, 'Warning') && !isOf(finding, 'Info');

/** The shapes, which the process is sent first. */
export interface ShapesText {
  readonly text: string;
  readonly base: string;
}

/** What the process tells first: why it cannot use the shapes, if it cannot. */
export interface Usable {
  readonly why?: string;
}

/** What the process is sent about an update: its changed statements, then what was read for it, or that nobody waits for it. */
export type Sent = { readonly id: number } & (
  | { readonly changed: readonly KGStatement[] }
  | { readonly value: unknown }
  | { readonly isOver: true }
);

export type ReadName = keyof ReadOutcome;

/** What the process tells of an update: what it needs to read, and in the end what it found, or why it cannot be validated. */
export type Told = { readonly id: number } & (
  | { readonly name: ReadName; readonly given: unknown }
  | { readonly findings: readonly Finding[] }
  | { readonly error: string; readonly isTooMuch: boolean }
);

interface Validation {
  readonly outcome: ReadOutcome;
  resolve(findings: readonly Finding[]): void;
  reject(reason: unknown): void;
}

/** MiB of the process's heap: hundreds of updates need less at once. */
const mostHeap = 256;

/** A process without work keeps no program alive. */
const unref = (child: ChildProcess): void => {
  child.unref();
  child.channel?.unref();
};

/**
 * Validates with the shapes of a file, in a process of its own: the engine validates a node without a pause, for as long as
 * a second where it has thousands of values, and would stop the event loop. A thread would not do: V8 ends the whole
 * program when a thread cannot have the memory for what it is sent. Data are read on this side.
 *
 * Rejects with an A2AError for unusable shapes.
 */
export async function startShapesProcess(
  path: string,
  heap = mostHeap,
): Promise<{ readonly judge: ShapesJudge; close(): void }> {
  const unusable = (why: string, cause?: unknown): A2AError =>
    new A2AError('internal', `The shapes ${path} cannot be used: ${why}`, { cause });
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw unusable(cause.message, cause);
  });
  const shapes: ShapesText = { text, base: pathToFileURL(path).href };
  /** Validations that are under way, by their ids. */
  const pending = new Map<number, Validation>();
  let lastId = 0;
  let running: Promise<ChildProcess> | undefined;
  let isClosed = false;

  const hear = (child: ChildProcess, told: Told): void => {
    const validation = pending.get(told.id);
    if (validation === undefined) return;
    if ('findings' in told) validation.resolve(told.findings);
    else if ('error' in told)
      validation.reject(told.isTooMuch ? new TooMuchToJudge(told.error) : new Error(told.error));
    else {
      const { outcome, reject } = validation;
      const read = outcome[told.name] as (given: unknown) => Promise<unknown>;
      const answer = (value: unknown) => child.connected && child.send({ id: told.id, value } satisfies Sent);
      read.call(outcome, told.given).then(answer).catch(reject);
    }
  };

  const start = async (): Promise<ChildProcess> => {
    const child = fork(new URL('process-main.ts', import.meta.url), {
      execArgv: [`--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new AbortController();
    const fail = (cause: Error): void => {
      // The exit after an error may come when there is another process.
      if (ended.signal.aborted) return;
      ended.abort(cause);
      running = undefined;
      child.kill('SIGKILL');
      const reason = new A2AError('unavailable', 'The validation of shapes was interrupted; try again', { cause });
      for (const { reject } of pending.values()) reject(reason);
    };
    child.on('error', fail);
    child.on('exit', (code, signal) =>
      fail(new Error(`The process that validates shapes ended with ${signal ?? code}`)),
    );
    child.send(shapes);
    const [{ why }] = (await once(child, 'message', { signal: ended.signal }).catch(() => {
      throw ended.signal.reason;
    })) as [Usable];
    child.on('message', (told: Told) => hear(child, told));
    unref(child);
    if (why === undefined) return child;
    child.kill('SIGKILL');
    throw unusable(why);
  };
  /** The process: another one where it ended, for example for lack of memory. */
  const started = (): Promise<ChildProcess> => {
    running ??= start().catch((thrown: unknown) => {
      running = undefined;
      throw thrown;
    });
    return running;
  };
  const release = (child: ChildProcess): void => {
    if (pending.size > 0) return;
    unref(child);
    if (isClosed) child.kill('SIGKILL');
  };

  await started();
  return {
    async judge(changed, outcome, signal) {
      const child = await started();
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<readonly Finding[]>();
      lastId += 1;
      const id = lastId;
      pending.set(id, { outcome, resolve, reject });
      child.ref();
      child.channel?.ref();
      try {
        child.send({ id, changed } satisfies Sent);
        return await unlessAborted(promise, signal);
      } finally {
        pending.delete(id);
        if (signal.aborted && child.connected) child.send({ id, isOver: true } satisfies Sent);
        release(child);
      }
    },

    /** Ends the process, after validations that are under way. */
    close() {
      isClosed = true;
      running?.then(release, () => undefined);
    },
  };
}
