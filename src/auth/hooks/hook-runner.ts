import type { AgentLog } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { logRateLimited } from '../../core/telemetry/rate-limited-log.ts';
import type { AuthHooks, HookTools } from './hooks.ts';

type HookName = 'authenticate' | 'authorize';

/** Maximum number of concurrent calls of one hook. */
const maxOpen = 10_000;
/** Share of these calls that one network, caller or credential may have. */
const share = 1 / 10;
/** Share of these calls that is reserved for callers who were accepted before. */
const reserved = 1 / 2;

/**
 * Error for a hook that gave no usable answer. Its message goes into the log and the audit log, and contains no text
 * from the hook.
 */
export class HookFailure extends Error {}

export interface HookRunnerOptions {
  readonly name: HookName;
  /** Milliseconds within which the hook must answer. */
  readonly timeout: number;
  readonly logger: Logger;
  /** Maximum number of concurrent calls. Default 10,000. */
  readonly maxOpen?: number;
}

/** The caller for whom a hook is asked. */
export interface HookAsker {
  /** Key of the caller's share of the open calls, such as a network. */
  readonly of: string;
  /**
   * Called when that share is used up. Returns the key of the share of a caller who was accepted before, and undefined
   * for any other caller. This only admits the call: the hook is still asked.
   */
  readonly accepted: () => string | undefined;
}

/**
 * Asks one hook, with a timeout and a limit of concurrent calls. No network can use up all calls: each network has a
 * share, and half of all calls are reserved for callers who were accepted before, who each have a share too. A call
 * that times out no longer counts.
 */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #log: AgentLog;
  readonly #maxOpen: number;
  #open = 0;
  /** Number of open calls, by share. */
  readonly #shares = new Map<string, number>();

  constructor(options: HookRunnerOptions) {
    this.#options = options;
    this.#log = hookLog(options.logger, options.name);
    this.#maxOpen = options.maxOpen ?? maxOpen;
  }

  /**
   * Asks the hook. Returns its answer synchronously if the hook does. Throws or rejects with the error of the hook, or
   * with a HookFailure if the hook times out or too many calls are open.
   */
  ask<T>(asker: HookAsker, hook: (tools: HookTools) => T | Promise<T>): T | Promise<T> {
    const of = this.#shareFor(asker);
    if (of === undefined) throw new HookFailure('too many calls are waiting for its answer');
    const { tools, abort } = toolsOf(this.#log);
    const answer = hook(tools);
    return isPromise(answer) ? this.#inTime(answer, abort, of) : answer;
  }

  /** Returns the share with room for another call. Undefined if there is none. */
  #shareFor({ of, accepted }: HookAsker): string | undefined {
    const hasRoom = (one: string): boolean => (this.#shares.get(one) ?? 0) < Math.max(1, this.#maxOpen * share);
    if (this.#open < this.#maxOpen * (1 - reserved) && hasRoom(of)) return of;
    if (this.#open >= this.#maxOpen) return undefined;
    const own = accepted();
    return own !== undefined && hasRoom(own) ? own : undefined;
  }

  /**
   * Logs the reason why a hook gave no answer.
   *
   * @returns the error for the caller, and the reason for the audit log, which contains no text from the hook
   */
  failed(thrown: unknown): { readonly error: A2AError; readonly reason: string } {
    const { name, logger } = this.#options;
    const reason = `The ${name} hook failed: ${thrown instanceof HookFailure ? thrown.message : 'it threw an error'}`;
    const line = thrown instanceof HookFailure ? { hook: name, problem: thrown.message } : { hook: name, err: thrown };
    logRateLimited(logger, `${name} hook`, line, 'an access hook failed; its callers are refused');
    const what = name === 'authenticate' ? 'Callers cannot be authenticated' : 'Calls cannot be authorized';
    return { error: new A2AError('unavailable', `${what} at the moment`, { retryAfter: 1 }), reason };
  }

  #inTime<T>(answer: PromiseLike<T>, abort: (reason: unknown) => void, of: string): Promise<T> {
    const { timeout } = this.#options;
    this.#open += 1;
    this.#shares.set(of, (this.#shares.get(of) ?? 0) + 1);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isOpen = true;
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      this.#open -= 1;
      const left = (this.#shares.get(of) ?? 0) - 1;
      if (left > 0) this.#shares.set(of, left);
      else this.#shares.delete(of);
    };
    const timer = setTimeout(() => {
      end();
      const late = new HookFailure(`it gave no answer within ${timeout} ms`);
      abort(late);
      reject(late);
    }, timeout).unref();
    Promise.resolve(answer).finally(end).then(resolve, reject);
    return promise;
  }
}

/** Whether an error that a hook throws is its answer to the caller. Other errors are failures of the hook. */
export const isAnswer = (thrown: unknown): thrown is A2AError =>
  thrown instanceof A2AError && thrown.kind !== 'internal';

export function hookLog(logger: Logger, hook: HookName | keyof AuthHooks | 'auth'): AgentLog {
  const write = (level: keyof AgentLog) => (message: string, fields?: object) =>
    logger[level]({ ...fields, hook }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as PromiseLike<T> | undefined)?.then === 'function';

/**
 * Returns the tools of a hook, and the function that aborts their signal. The signal is created when it is first read.
 */
function toolsOf(log: AgentLog): { readonly tools: HookTools; readonly abort: (reason: unknown) => void } {
  let controller: AbortController | undefined;
  let aborted: { readonly reason: unknown } | undefined;
  const tools: HookTools = {
    log,
    get signal() {
      controller ??= new AbortController();
      if (aborted) controller.abort(aborted.reason);
      return controller.signal;
    },
  };
  const abort = (reason: unknown): void => {
    aborted = { reason };
    controller?.abort(reason);
  };
  return { tools, abort };
}
