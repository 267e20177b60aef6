import type { AgentLog } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { logRateLimited } from '../core/telemetry/rate-limited-log.ts';
import type { AuthHooks, HookTools } from './hooks.ts';

/** The hooks that are asked. */
type HookName = 'authenticate' | 'authorize';

/** Calls of one hook at the same time, those included that did not answer in time. */
const maxOpen = 10_000;
/** After so many times its deadline, a call that never ends counts no more. */
const abandonedAfter = 10;

/** Why a hook gave no usable answer: for the log and the audit log, without anything that the hook said. */
export class HookFailure extends Error {}

export interface HookRunnerOptions {
  readonly name: HookName;
  /** Milliseconds for an answer. */
  readonly timeout: number;
  readonly logger: Logger;
  /** Default 10,000. */
  readonly maxOpen?: number;
}

/** Asks one hook, within a time, and a bounded number of times at once. */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #log: AgentLog;
  #open = 0;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
    this.#log = hookLog(options.logger, options.name);
  }

  /**
   * The answer, at once where the hook gives it at once. Throws or rejects with what the hook throws, or with a HookFailure
   * when it takes too long or too many calls are open.
   */
  ask<T>(hook: (tools: HookTools) => T | Promise<T>): T | Promise<T> {
    if (this.#open >= (this.#options.maxOpen ?? maxOpen)) throw new HookFailure('too many calls of it have no answer');
    const tools = new Tools(this.#log);
    const answer = hook(tools);
    return isPromise(answer) ? this.#inTime(answer, tools) : answer;
  }

  /**
   * Logs why a hook gave no answer.
   *
   * @returns the error for the caller, and the reason for the audit log, which says nothing of what the hook said
   */
  failed(thrown: unknown): { readonly error: A2AError; readonly reason: string } {
    const { name, logger } = this.#options;
    const reason = `The ${name} hook failed: ${thrown instanceof HookFailure ? thrown.message : 'it threw an error'}`;
    const line = thrown instanceof HookFailure ? { hook: name, problem: thrown.message } : { hook: name, err: thrown };
    logRateLimited(logger, `${name} hook`, line, 'an access hook failed; its callers are refused');
    const what = name === 'authenticate' ? 'Callers cannot be authenticated' : 'Calls cannot be authorized';
    return { error: new A2AError('unavailable', `${what} at the moment`, { retryAfter: 1 }), reason };
  }

  #inTime<T>(answer: PromiseLike<T>, tools: Tools): Promise<T> {
    const { timeout } = this.#options;
    this.#open += 1;
    let counts = true;
    const settled = (): void => {
      clearTimeout(timer);
      if (!counts) return;
      counts = false;
      this.#open -= 1;
    };
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let timer = setTimeout(() => {
      const late = new HookFailure(`it gave no answer within ${timeout} ms`);
      tools.abort(late);
      reject(late);
      timer = setTimeout(settled, timeout * abandonedAfter).unref();
    }, timeout).unref();
    answer.then(
      (value) => {
        settled();
        resolve(value);
      },
      (thrown) => {
        settled();
        reject(thrown);
      },
    );
    return promise;
  }
}

/** Whether an A2AError of a hook is its answer. Others are failures. */
export const isAnswer = (thrown: unknown): thrown is A2AError =>
  thrown instanceof A2AError && thrown.kind !== 'internal';

/** A log whose lines name the hook. */
export function hookLog(logger: Logger, hook: HookName | keyof AuthHooks | 'auth'): AgentLog {
  const write = (level: keyof AgentLog) => (message: string, fields?: object) =>
    logger[level]({ ...fields, hook }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as PromiseLike<T> | undefined)?.then === 'function';

/** The signal is created when it is read. */
class Tools implements HookTools {
  readonly log: AgentLog;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(log: AgentLog) {
    this.log = log;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
