import type { Message, StreamResponse, TaskStatus } from '../../core/model/a2a.ts';
import { statusEvent } from '../../core/model/agent-events.ts';
import type { Call } from '../../core/model/call.ts';
import type { A2AError } from '../../core/model/errors.ts';
import { sameJson } from '../../core/model/json.ts';
import type { CanceledTask, Run, RunHook, RunStart } from '../../core/ports/run-hook.ts';
import { isRelease } from '../conditions/asks.ts';
import { Chain } from './chain.ts';
import { judgedError, judgedEvent, judgedStatus, marked } from './events.ts';
import { Blocked, type Guard, type Guards, refusalOf, type Subject, subjectOf } from './guards.ts';
import { textOf } from './model.ts';
import { ReadAhead } from './read-ahead.ts';

/** A run whose answers are judged. */
interface JudgedRun {
  readonly chain: Chain;
  /** Aborts the questions about the run. */
  readonly over: AbortController;
  /** The message that the agent answers. */
  readonly message: Message | undefined;
}

/**
 * Judges the runs of agents. A message is judged before any of it is stored, whichever way it came; an answer before it becomes
 * an event of its task.
 */
export class RunGuards implements RunHook {
  readonly #guards: Guards;
  readonly #runs = new Map<Run, JudgedRun>();

  constructor(guards: Guards) {
    this.#guards = guards;
  }

  async begin(run: Run, call: Call | undefined): Promise<RunStart | undefined> {
    // A message that people have agreed to was judged when it came, and its call is not known any more.
    const isJudged = call === undefined || isRelease(call);
    const list = isJudged ? this.#guards.ofTask(run.owner) : await this.#guards.ofCall(call);
    if (list.length === 0) return undefined;
    const subject = call ? subjectOf(call, run) : subjectOfTask(run);
    const message = call && (call.request as { readonly message: Message }).message;
    const start = isJudged || !message ? undefined : await this.#judged(list, subject, message, call);
    this.#judgeAnswers(run, list, subject, start?.parts && message ? { ...message, parts: start.parts } : message);
    return start;
  }

  stream(run: Run, events: AsyncIterator<StreamResponse>): AsyncIterator<StreamResponse> | undefined {
    const judged = this.#runs.get(run);
    return judged && new JudgedEvents(run, events, judged);
  }

  /** Returns the status of a canceled task, without its message if a guard blocks that. */
  async canceled(task: CanceledTask, status: TaskStatus): Promise<TaskStatus> {
    const list = this.#guards.ofTask(task.owner);
    const { signal } = new AbortController();
    try {
      return await judgedStatus(status, this.#chain(list, subjectOfTask(task), signal));
    } catch (thrown) {
      if (!(thrown instanceof Blocked)) throw thrown;
      const { message: _, ...rest } = status;
      return rest;
    }
  }

  end(run: Run): void {
    this.#runs.get(run)?.over.abort();
    this.#runs.delete(run);
  }

  /** Returns the parts that guards leave of a message, and the people to ask. Rejects with `permissionDenied`. */
  async #judged(
    list: readonly Guard[],
    subject: Subject,
    { messageId, parts }: Message,
    call: Call,
  ): Promise<RunStart> {
    // A caller may leave while its message is judged.
    const { signal } = new AbortController();
    const chain = new Chain(list, { guards: this.#guards, phase: 'request', subject, signal });
    try {
      const { parts: left, marks, asks } = await chain.judge({ messageId, parts });
      return {
        ...(marks.length > 0 && { parts: left, metadata: marked(undefined, marks) }),
        ...(asks.length > 0 && { asks }),
      };
    } catch (thrown) {
      throw refusalOf(thrown, call);
    }
  }

  #judgeAnswers(run: Run, list: readonly Guard[], subject: Subject, message: Message | undefined): void {
    const over = new AbortController();
    const textBefore = async (artifactId: string): Promise<string> => {
      const { artifacts = [] } = (await run.latest()) ?? {};
      return textOf(artifacts.findLast((artifact) => artifact.artifactId === artifactId)?.parts ?? []);
    };
    const chain = this.#chain(list, subject, over.signal, textBefore);
    if (!chain.isEmpty) this.#runs.set(run, { chain, over, message });
  }

  #chain(
    list: readonly Guard[],
    subject: Subject,
    signal: AbortSignal,
    textBefore?: (artifactId: string) => Promise<string>,
  ): Chain {
    return new Chain(list, {
      guards: this.#guards,
      phase: 'answer',
      subject,
      signal,
      ...(textBefore && { textBefore }),
    });
  }
}

/** Returns the subject of questions about a task whose call is not known. */
const subjectOfTask = ({ owner, taskId, contextId }: CanceledTask): Subject => {
  const { agent, principal, tenant } = owner;
  return { agent, skill: '', principal, tenant, taskId, contextId, trace: {} };
};

/** Yields an agent's events after guards have judged them. If a guard blocks one, the task fails. */
class JudgedEvents implements AsyncIterator<StreamResponse> {
  readonly #run: Run;
  readonly #events: ReadAhead<StreamResponse>;
  /** Error with which the run fails as soon as it has a task. */
  #blocked: A2AError | undefined;

  constructor(run: Run, events: AsyncIterator<StreamResponse>, { chain, message }: JudgedRun) {
    this.#run = run;
    const isKnown = async (one: Message): Promise<boolean> => {
      if (sameJson(one.parts, message?.parts)) return true;
      const { history = [] } = (await run.latest()) ?? {};
      return history.some(({ parts }) => sameJson(parts, one.parts));
    };
    this.#events = new ReadAhead(events, {
      begin: (event) => judgedEvent(event, chain, isKnown),
      failed: (thrown) => judgedError(thrown, chain),
      bytesOf: (event) => JSON.stringify(event)?.length ?? 0,
    });
  }

  async next(): Promise<IteratorResult<StreamResponse>> {
    if (this.#blocked) return this.#fail(this.#blocked);
    try {
      return await this.#events.next();
    } catch (thrown) {
      if (!(thrown instanceof Blocked)) throw thrown;
      this.#blocked = thrown.error;
      return this.#fail(thrown.error);
    }
  }

  async return(): Promise<IteratorResult<StreamResponse>> {
    return this.#events.return();
  }

  /** Fails the task. If there is none yet, it is opened first. */
  #fail(reason: A2AError): IteratorResult<StreamResponse> {
    if (this.#run.fail(reason)) return { done: true, value: undefined };
    const { taskId, contextId } = this.#run;
    return { done: false, value: statusEvent('TASK_STATE_SUBMITTED', { taskId, contextId }) };
  }
}
