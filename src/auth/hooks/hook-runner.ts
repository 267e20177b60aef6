import type { AgentLog } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { logRateLimited } from '../../core/telemetry/rate-limited-log.ts';
import type { AuthHooks, HookTools } from './hooks.ts';

type HookName = 'authenticate' | 'authorize';

/** Calls of one hook that wait for its answer at the same time. */
const maxOpen = 10_000;
/** The part of them that one network, caller or credential may have. */
const share = 1 / 10;
/** The part that is left to callers who were accepted before. */
const reserved = 1 / 2;

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

/** For whom a hook is asked. */
export interface HookAsker {
  /** Key of the share of the open calls, such as a network. */
  readonly of: string;
  /**
   * Called when that share is used up: the share of a caller who was accepted before; undefined for any other. It only makes
   * room: the hook is asked nevertheless.
   */
  readonly accepted: () => string | undefined;
}

/**
 * Asks one hook, within a time, and a bounded number of times at once. No network can use up all calls: each
 * network has a share, and half of all are left to callers who were accepted before, who each have a share too. A call
 * that did not answer in time leaves its place to others.
 */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #log: AgentLog;
  readonly #maxOpen: number;
  #open = 0;
  /** The open calls of each share. */
  readonly #shares = new Map<string, number>();

  constructor(options: HookRunnerOptions) {
    this.#options = options;
    this.#log = hookLog(options.logger, options.name);
    this.#maxOpen = options.maxOpen ?? maxOpen;
  }

  /**
   * The answer, at once where the hook gives it at once. Throws or rejects with what the hook throws, or with a HookFailure
   * when it takes too long or too many calls are open.
   */
  ask<T>(asker: HookAsker, hook: (tools: HookTools) => T | Promise<T>): T | Promise<T> {
    const of = this.#shareFor(asker);
    if (of === undefined) throw new HookFailure('too many calls of it have no answer');
    const { tools, abort } = toolsOf(this.#log);
    const answer = hook(tools);
    return isPromise(answer) ? this.#inTime(answer, abort, of) : answer;
  }

  /** The share with room for another call. */
  #shareFor({ of, accepted }: HookAsker): string | undefined {
    const hasRoom = (one: string): boolean => (this.#shares.get(one) ?? 0) < Math.max(1, this.#maxOpen * share);
    if (this.#open < this.#maxOpen * (1 - reserved) && hasRoom(of)) return of;
    if (this.#open >= this.#maxOpen) return undefined;
    const own = accepted();
    return own !== undefined && hasRoom(own) ? own : undefined;
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

/** Whether an A2AError of a hook is its answer. Others are failures. */
export const isAnswer = (thrown: unknown): thrown is A2AError =>
  thrown instanceof A2AError && thrown.kind !== 'internal';

export function hookLog(logger: Logger, hook: HookName | keyof AuthHooks | 'auth'): AgentLog {
  const write = (level: keyof AgentLog) => (message: string, fields?: object) =>
    logger[level]({ ...fields, hook }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as PromiseLike<T> | undefined)?.then === 'function';

/** Returns the tools of a hook, and the function that ends its time. The signal is created when it is read. */
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
