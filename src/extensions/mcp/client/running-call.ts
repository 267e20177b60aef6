import type { JsonObject } from '../../../core/model/json.ts';
import { steadyNow, withTimeout } from '../../../core/model/timing.ts';
import { ToolFailure } from './failures.ts';
import type { ServerRequest, ToolCall, ToolProgress } from './tool-server.ts';

/** A request from the server during a call that stays open. */
interface OpenQuestion extends ServerRequest {
  /** Aborts when the question no longer needs an answer. */
  readonly withdrawn: AbortSignal;
  answer(response: JsonObject): void;
  refuse(reason: ToolFailure): void;
}

/** The next progress report, question or result of a call. */
export type CallNews =
  | { readonly report: ToolProgress }
  | { readonly question: OpenQuestion }
  | { readonly result: JsonObject };

/** Minimum milliseconds between two reports, since each becomes an event in the task's log. */
const reportInterval = 100;

/** Starts a tool call. */
type MakeCall = (call: Pick<ToolCall, 'signal' | 'onProgress' | 'onAsk'>) => Promise<JsonObject>;

/** A tool call in progress. Several runs of its task can follow it, one after the other. */
export class RunningCall {
  readonly #stop = new AbortController();
  readonly #questions: OpenQuestion[] = [];
  readonly #result: Promise<JsonObject>;
  /** Resolves when the call has ended, whether it succeeded or failed. */
  readonly #ended: Promise<void>;
  #isOver = false;
  #latest: ToolProgress | undefined;
  /** Resolves at the next report or question. */
  #news = Promise.withResolvers<void>();
  #nextReportAt = 0;

  constructor(makes: MakeCall) {
    this.#result = makes({
      signal: this.#stop.signal,
      onProgress: (progress) => {
        this.#latest = progress;
        this.#news.resolve();
      },
      onAsk: (asked, withdrawn) => this.#add(asked, withdrawn),
    });
    const onOver = (): void => {
      this.#isOver = true;
    };
    this.#ended = this.#result.then(onOver, onOver);
  }

  /** Ends the call in the gateway and at the server. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Answers the first question, unless that question was withdrawn and is no longer the first. */
  answer(response: JsonObject, params: JsonObject | undefined = this.#questions[0]?.params): void {
    if (JSON.stringify(this.#questions[0]?.params) !== JSON.stringify(params)) return;
    this.#questions.shift()?.answer(response);
  }

  /** Removes and returns the first question, for the caller to answer. */
  takeQuestion(): OpenQuestion | undefined {
    return this.#questions.shift();
  }

  /** Returns the next report, question or result. Within an interval, only the latest report is returned. */
  async next(): Promise<CallNews> {
    for (;;) {
      await Promise.race([this.#news.promise, this.#ended]);
      const [question] = this.#questions;
      if (question && !this.#isOver) return { question };
      const wait = this.#nextReportAt - steadyNow();
      if (this.#latest && wait > 0 && !this.#isOver) {
        await withTimeout(this.#ended, wait);
        continue;
      }
      this.#news = Promise.withResolvers();
      if (!this.#latest) {
        if (this.#isOver) return { result: await this.#result };
        continue;
      }
      const report = this.#latest;
      this.#latest = undefined;
      this.#nextReportAt = steadyNow() + reportInterval;
      return { report };
    }
  }

  /**
   * Adds a question from the server. Resolves with the answer; rejects if the question is withdrawn or the call is
   * stopped.
   */
  #add(asked: ServerRequest, withdrawn: AbortSignal): Promise<JsonObject> {
    const { promise, resolve: answer, reject: refuse } = Promise.withResolvers<JsonObject>();
    const ends = AbortSignal.any([withdrawn, this.#stop.signal]);
    const question = { ...asked, withdrawn: ends, answer, refuse };
    const onEnd = (): void => {
      const at = this.#questions.indexOf(question);
      if (at >= 0) this.#questions.splice(at, 1);
      refuse(ends.reason);
    };
    ends.addEventListener('abort', onEnd, { once: true });
    this.#questions.push(question);
    this.#news.resolve();
    return promise;
  }
}

/** Maximum number of held calls. */
const maxHeld = 1_000;

/**
 * Creates the registry of held calls, by task key: calls to servers of MCP 2025-11-25 and earlier that wait for the
 * answer to a question.
 */
export function createHeldCalls() {
  const held = new Map<string, { readonly call: RunningCall; readonly timer: NodeJS.Timeout }>();
  const take = (key: string): RunningCall | undefined => {
    const entry = held.get(key);
    clearTimeout(entry?.timer);
    held.delete(key);
    return entry?.call;
  };
  const end = (key: string, why: string): void => take(key)?.stop(new ToolFailure('sessionLost', why));
  return {
    has: (key: string) => held.has(key),
    /** Removes and returns the call of a task. */
    take,
    end,
    /** @throws ToolFailure if too many calls are held */
    hold(key: string, call: RunningCall, timeout: number): void {
      if (held.size >= maxHeld)
        throw new ToolFailure('internal', 'Too many tool calls wait for answers; try again later');
      const timer = setTimeout(() => end(key, 'The question of the tool was not answered in time'), timeout).unref();
      held.set(key, { call, timer });
    },
    close(): void {
      for (const key of [...held.keys()]) end(key, 'The gateway is stopping');
    },
  };
}
