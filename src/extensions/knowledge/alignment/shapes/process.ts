import { type ChildProcess, fork } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { A2AError } from '../../../../core/model/errors.ts';
import type { KGStatement } from '../../../../core/model/knowledge.ts';
import { unlessAborted } from '../../../../core/model/timing.ts';
import { type Ask, converse } from '../../../../net/process-channel.ts';
import { fileText } from '../../../../net/read-file.ts';
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

/** What the process asks to read for an update. */
export interface ReadQuestion {
  readonly id: number;
  readonly name: keyof ReadOutcome;
  readonly given: unknown;
}

/** What the process answers about an update: what it found, or why it cannot be validated. */
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
  const unusable = (why: string, cause?: unknown): A2AError =>
    new A2AError('internal', `The shapes ${path} cannot be used: ${why}`, { cause });
  const text = await fileText(path).catch((cause: Error) => {
    throw unusable(cause.message, cause);
  });
  const shapes: ShapesText = { text, base: pathToFileURL(path).href };
  /** Validations that are under way, by their ids. */
  const pending = new Map<number, Validation>();
  let lastId = 0;
  let running: Promise<Running> | undefined;
  let isClosed = false;

  const read = async ({ id, name, given }: ReadQuestion): Promise<unknown> => {
    const { outcome, reject } = pending.get(id) as Validation;
    try {
      return await (outcome[name] as (given: unknown) => Promise<unknown>).call(outcome, given);
    } catch (thrown) {
      reject(thrown);
      throw thrown;
    }
  };

  const start = async (): Promise<Running> => {
    const child = fork(new URL('process-main.ts', import.meta.url), {
      execArgv: [`--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ending = new AbortController();
    const { signal: ended } = ending;
    const fail = (cause: Error, why = 'was interrupted; try again'): void => {
      // The exit after an error may come when there is another process.
      if (ended.aborted) return;
      running = undefined;
      child.kill('SIGKILL');
      ending.abort(new A2AError('unavailable', `The validation of shapes ${why}`, { cause }));
    };
    child.on('error', (cause) => fail(cause));
    child.on('exit', (code, signal) => {
      const isFull = signal === 'SIGABRT' || code === abortCode;
      const why = `needs more than the ${heap} MiB of its process; send less at a time, or simplify the shapes`;
      fail(new Error(`The process that validates shapes ended with ${signal ?? code}`), isFull ? why : undefined);
    });
    const ask = converse(child, { read });
    const why = await unlessAborted(ask('shapes', shapes, Number.POSITIVE_INFINITY), ended);
    unref(child);
    if (why === undefined) return { child, ask, ended };
    child.kill('SIGKILL');
    throw unusable(String(why));
  };
  /** The process: another one where it ended, for example for lack of memory. */
  const started = (): Promise<Running> => {
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
      const { child, ask, ended } = await started();
      signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const { promise: broken, reject } = Promise.withResolvers<never>();
      pending.set(id, { outcome, reject });
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
        pending.delete(id);
        release(child);
      }
    },

    /** Ends the process, after validations that are under way. */
    close() {
      isClosed = true;
      running?.then(
        ({ child }) => release(child),
        () => undefined,
      );
    },
  };
}
