import type { JsonObject } from '../../../core/model/json.ts';
import { steadyNow, withTimeout } from '../../../core/model/timing.ts';
import { ToolFailure } from './failures.ts';
import type { ServerRequest, ToolCall, ToolProgress } from './tool-server.ts';

/** A request of the server during a call that stays open meanwhile. */
interface OpenQuestion extends ServerRequest {
  /** Aborts when it needs no answer any more. */
  readonly withdrawn: AbortSignal;
  answer(response: JsonObject): void;
  refuse(reason: ToolFailure): void;
}

/** What a call has to say next. */
export type CallNews =
  | { readonly report: ToolProgress }
  | { readonly question: OpenQuestion }
  | { readonly result: JsonObject };

/** Milliseconds between two reports: each is an event in the task's log. */
const reportInterval = 100;

export type RunningCall = ReturnType<typeof runCall>;

/**
 * A tool call under way, which runs of its task follow one after the other.
 *
 * @param makes begins the call
 */
export function runCall(makes: (call: Pick<ToolCall, 'signal' | 'onProgress' | 'onAsk'>) => Promise<JsonObject>) {
  const stop = new AbortController();
  const questions: OpenQuestion[] = [];
  let latest: ToolProgress | undefined;
  let news = Promise.withResolvers<void>();
  const onProgress = (progress: ToolProgress): void => {
    latest = progress;
    news.resolve();
  };
  const onAsk = (asked: ServerRequest, withdrawn: AbortSignal): Promise<JsonObject> => {
    const { promise, resolve: answer, reject: refuse } = Promise.withResolvers<JsonObject>();
    const ends = AbortSignal.any([withdrawn, stop.signal]);
    const question = { ...asked, withdrawn: ends, answer, refuse };
    const onEnd = (): void => {
      const at = questions.indexOf(question);
      if (at >= 0) questions.splice(at, 1);
      refuse(ends.reason);
    };
    ends.addEventListener('abort', onEnd, { once: true });
    questions.push(question);
    news.resolve();
    return promise;
  };
  const result = makes({ signal: stop.signal, onProgress, onAsk });
  let isOver = false;
  const onOver = (): void => {
    isOver = true;
  };
  const ended = result.then(onOver, onOver);
  let nextReportAt = 0;
  return {
    /** Ends the call, also at the server. */
    stop: (reason: unknown) => stop.abort(reason),
    /** Answers the first question, unless it was withdrawn and another one is the first. */
    answer(response: JsonObject, params: JsonObject | undefined = questions[0]?.params): void {
      if (JSON.stringify(questions[0]?.params) === JSON.stringify(params)) questions.shift()?.answer(response);
    },
    /** Takes the first question, to answer it by itself. */
    takeQuestion: () => questions.shift(),
    /** The next report, question or result. Of each interval, the latest report is passed on. */
    async next(): Promise<CallNews> {
      for (;;) {
        await Promise.race([news.promise, ended]);
        const [question] = questions;
        if (question && !isOver) return { question };
        const wait = nextReportAt - steadyNow();
        if (latest && wait > 0 && !isOver) {
          await withTimeout(ended, wait);
          continue;
        }
        news = Promise.withResolvers();
        if (!latest) {
          if (isOver) return { result: await result };
          continue;
        }
        const report = latest;
        latest = undefined;
        nextReportAt = steadyNow() + reportInterval;
        return { report };
      }
    },
  };
}

/** Calls that wait for answers in their sessions, at the most. */
const maxHeld = 1_000;

/** The calls of servers of MCP 2025-11-25 and before that wait for an answer to their question, by the keys of their tasks. */
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
    /** The call of a task, which is held no longer. */
    take,
    end,
    /** @throws ToolFailure where too many calls wait */
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
