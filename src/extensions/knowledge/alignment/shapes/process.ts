import { type ChildProcess, fork } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { A2AError } from '../../../../core/model/errors.ts';
import { unlessAborted } from '../../../../core/model/timing.ts';
import { type Ask, converse } from '../../../../net/process-channel.ts';
import { fileText } from '../../../../net/read-file.ts';
import type { KGStatement } from '../../model/knowledge.ts';
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

/** The shapes, which the process is sent first. It answers why it cannot use them, if it cannot. */
export interface ShapesText {
  readonly text: string;
  readonly base: string;
}

/** A question of the process, which reads for an update. */
export interface ReadQuestion {
  readonly id: number;
  readonly name: keyof ReadOutcome;
  readonly given: unknown;
}

/** The answer of the process about an update: its findings, or why it cannot be validated. */
export type Judged =
  | { readonly findings: readonly Finding[] }
  | { readonly error: string; readonly isTooMuch: boolean };

interface Validation {
  readonly outcome: ReadOutcome;
  reject(reason: unknown): void;
}

interface Running {
  readonly child: ChildProcess;
  readonly ask: Ask;
  /** Aborts when the process ends. */
  readonly ended: AbortSignal;
}

/** MiB of the process's heap: hundreds of updates need less at once. */
const mostHeap = 256;

/** Exit code of a process that V8 has ended for lack of memory, where there are no signals. */
const abortCode = 134;

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
  const text = await fileText(path).catch((cause: Error) => {
    throw unusable(path, cause.message, cause);
  });
  const shapes = new ShapesProcess(path, text, heap);
  await shapes.start();
  return {
    judge: (changed, outcome, signal) => shapes.judge(changed, outcome, signal),
    close: () => shapes.close(),
  };
}

const unusable = (path: string, why: string, cause?: unknown): A2AError =>
  new A2AError('internal', `The shapes ${path} cannot be used: ${why}`, { cause });

/** A process that validates, and is started again where it has ended, for example for lack of memory. */
class ShapesProcess {
  readonly #path: string;
  readonly #shapes: ShapesText;
  readonly #heap: number;
  /** Validations that are under way, by their ids. */
  readonly #pending = new Map<number, Validation>();
  #lastId = 0;
  #running: Promise<Running> | undefined;
  #isClosed = false;

  constructor(path: string, text: string, heap: number) {
    this.#path = path;
    this.#shapes = { text, base: pathToFileURL(path).href };
    this.#heap = heap;
  }

  /** Starts the process, unless it runs. */
  start(): Promise<Running> {
    this.#running ??= this.#fork().catch((thrown: unknown) => {
      this.#running = undefined;
      throw thrown;
    });
    return this.#running;
  }

  async judge(changed: readonly KGStatement[], outcome: ReadOutcome, signal: AbortSignal): Promise<readonly Finding[]> {
    const { child, ask, ended } = await this.start();
    signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise: broken, reject } = Promise.withResolvers<never>();
    this.#pending.set(id, { outcome, reject });
    child.ref();
    child.channel?.ref();
    try {
      const judging = ask('judge', { id, changed }, Number.POSITIVE_INFINITY) as Promise<Judged>;
      const judged = await unlessAborted(Promise.race([judging, broken]), AbortSignal.any([signal, ended]));
      if ('findings' in judged) return judged.findings;
      throw judged.isTooMuch ? new TooMuchToJudge(judged.error) : new Error(judged.error);
    } catch (thrown) {
      // It may still be under way.
      void ask('end', id);
      throw thrown;
    } finally {
      this.#pending.delete(id);
      this.#release(child);
    }
  }

  /** Ends the process, after validations that are under way. */
  close(): void {
    this.#isClosed = true;
    this.#running?.then(
      ({ child }) => this.#release(child),
      () => undefined,
    );
  }

  async #fork(): Promise<Running> {
    const child = fork(new URL('process-main.ts', import.meta.url), {
      execArgv: [],
      // Not an argument of Node, which an executable that has Node in it does not take.
      env: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-old-space-size=${this.#heap}` },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = this.#watch(child);
    const ask = converse(child, { read: (question: ReadQuestion) => this.#read(question) });
    const why = await unlessAborted(ask('shapes', this.#shapes, Number.POSITIVE_INFINITY), ended);
    unref(child);
    if (why === undefined) return { child, ask, ended };
    child.kill('SIGKILL');
    throw unusable(this.#path, String(why));
  }

  /** A signal that aborts when a process ends, with the error of the validations that it had. */
  #watch(child: ChildProcess): AbortSignal {
    const ending = new AbortController();
    const fail = (cause: Error, why = 'was interrupted; try again'): void => {
      // The exit after an error may come when there is another process.
      if (ending.signal.aborted) return;
      this.#running = undefined;
      child.kill('SIGKILL');
      ending.abort(new A2AError('unavailable', `The validation of shapes ${why}`, { cause }));
    };
    child.on('error', (cause) => fail(cause));
    child.on('exit', (code, signal) => {
      const isFull = signal === 'SIGABRT' || code === abortCode;
      const why = `needs more than the ${this.#heap} MiB of its process; send less at a time, or simplify the shapes`;
      fail(new Error(`The process that validates shapes ended with ${signal ?? code}`), isFull ? why : undefined);
    });
    return ending.signal;
  }

  /** Reads for the process. */
  async #read({ id, name, given }: ReadQuestion): Promise<unknown> {
    const { outcome, reject } = this.#pending.get(id) as Validation;
    try {
      return await (outcome[name] as (given: unknown) => Promise<unknown>).call(outcome, given);
    } catch (thrown) {
      reject(thrown);
      throw thrown;
    }
  }

  #release(child: ChildProcess): void {
    if (this.#pending.size > 0) return;
    unref(child);
    if (this.#isClosed) child.kill('SIGKILL');
  }
}
