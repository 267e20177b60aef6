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

/** Validates the changed statements of an update against its outcome. */
export type ShapesJudge = (
  changed: readonly KGStatement[],
  outcome: ReadOutcome,
  signal: AbortSignal,
) => Promise<readonly Finding[]>;

/** A term of a finding. */
export interface Named {
  readonly termType: string;
  readonly value: string;
}

/** The parts of a validation result (SHACL 3.6.2) that are reported. */
export interface Finding {
  readonly message: readonly Named[];
  readonly path: Named | null;
  readonly focusNode: Named;
  readonly severity: Named;
  readonly sourceConstraintComponent: Named;
  readonly value: Named | null;
}

export const isOf = ({ severity }: Finding, name: string): boolean => severity.value === sh + name;

/** Whether a finding is a violation. Custom severities count as violations. */
export const isViolation = (finding: Finding): boolean => !isOf(finding, 'Warning') && !isOf(finding, 'Info');

/** The shapes, sent to the process first. It replies with a reason if it cannot use them. */
export interface ShapesText {
  readonly text: string;
  readonly base: string;
}

/** A request of the process to read the outcome of an update. */
export interface ReadQuestion {
  readonly id: number;
  readonly name: keyof ReadOutcome;
  readonly given: unknown;
}

/** The reply of the process about an update: its findings, or the reason why it cannot validate the update. */
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

/** Heap limit of the process in MiB. Hundreds of concurrent updates need less. */
const mostHeap = 256;

/** Exit code of a process that V8 aborted for lack of memory, on platforms without signals. */
const abortCode = 134;

/** Lets the program exit although the process runs; used while the process is idle. */
const unref = (child: ChildProcess): void => {
  child.unref();
  child.channel?.unref();
};

/**
 * Validates against the shapes of a file in a separate process. The engine validates a node synchronously, which can
 * take a second for thousands of values and would block the event loop. A worker thread is no alternative: V8 ends the
 * whole program if a thread runs out of memory. The outcome is read in this process.
 *
 * @throws A2AError for unusable shapes
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

/** The validating process. It is restarted when needed after it has ended, for example for lack of memory. */
class ShapesProcess {
  readonly #path: string;
  readonly #shapes: ShapesText;
  readonly #heap: number;
  /** Running validations by id. */
  readonly #pending = new Map<number, Validation>();
  #lastId = 0;
  #running: Promise<Running> | undefined;
  #isClosed = false;

  constructor(path: string, text: string, heap: number) {
    this.#path = path;
    this.#shapes = { text, base: pathToFileURL(path).href };
    this.#heap = heap;
  }

  /** Starts the process unless it is running. */
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
      // The process may still be validating.
      void ask('end', id);
      throw thrown;
    } finally {
      this.#pending.delete(id);
      this.#release(child);
    }
  }

  /** Ends the process once running validations have finished. */
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
      // An environment variable, because an executable that embeds Node does not take Node's arguments.
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

  /** Returns a signal that aborts when the process ends; its reason is the error for running validations. */
  #watch(child: ChildProcess): AbortSignal {
    const ending = new AbortController();
    const fail = (cause: Error, why = 'was interrupted; try again'): void => {
      // The exit event may follow an error event, when another process already runs.
      if (ending.signal.aborted) return;
      this.#running = undefined;
      child.kill('SIGKILL');
      ending.abort(new A2AError('unavailable', `The validation of shapes ${why}`, { cause }));
    };
    child.on('error', (cause) => fail(cause));
    child.on('exit', (code, signal) => {
      const isFull = signal === 'SIGABRT' || code === abortCode;
      const why = `needs more than the ${this.#heap} MiB of its process; send smaller updates, or simplify the shapes`;
      fail(new Error(`The process that validates shapes ended with ${signal ?? code}`), isFull ? why : undefined);
    });
    return ending.signal;
  }

  /** Reads the outcome of an update for the process. */
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
