import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { QuestionsConfig } from '../../config/sections/questions.ts';
import type { StreamResponse } from '../../core/model/a2a.ts';
import { statusWith } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import { interruptedStates, isInterrupted, stateOf } from '../../core/model/lifecycle.ts';
import {
  type AskingTask,
  type GivenAnswer,
  isOverdue,
  type Question,
  type QuestionFacts,
  questionIn,
  timeOf,
  timeText,
  withFacts,
} from '../../core/model/question.ts';
import { isOutage, leaveOut } from '../../core/model/stored-form.ts';
import type { onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { WaitingTask } from '../../core/operations/settle-waiting.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Run, RunHook } from '../../core/ports/run-hook.ts';
import type { Store } from '../../core/ports/store.ts';
import { askIn, readQuestion } from '../../core/tasks/open-question.ts';
import type { AskedListener, AskedQuestion } from '../question-listener.ts';
import { partOf } from './link-pages.ts';

export interface DeadlinesDeps {
  readonly store: Pick<Store, 'events' | 'overviewOf' | 'searchTasks' | 'now' | 'peers' | 'topics'>;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly settingsOf: (agent: string) => QuestionsConfig | undefined;
  /** Whether another gateway or agent handles the deadlines of an agent's questions. */
  readonly isUpstream: (agent: string) => boolean;
  readonly answer: ReturnType<typeof onBehalfOfOwners>['answer'];
  readonly settleWaiting: (task: WaitingTask) => Promise<boolean>;
  readonly listeners: () => readonly AskedListener[];
}

/** Milliseconds between two looks at what is due, between two scans of changed tasks, and until a failed visit is repeated. */
const interval = { due: 500, scan: 10_000, retry: 5_000 };
/** Lease of the replica that scans for changes and reminds. It lasts longer than the time between two scans, in milliseconds. */
const lease = { name: 'questions', ms: 2.5 * interval.scan };
/** Milliseconds by which a change may be stored later than its time says. */
const lateness = 5_000;
/** Milliseconds after which a reminder is left out that was due while no replica was running. */
const reminderGrace = 60_000;
/** Number of tasks in a page of the scan, and of questions that are checked at once. */
const batch = { page: 200, visits: 8 };
/** Milliseconds in which an answer on behalf of a task's owner must be given. */
const answerTimeout = 30_000;

/** Open question in memory. Its facts are in the log of its task. */
interface Entry {
  /** Time of the next check: milliseconds since the epoch. */
  at: number;
  /** Generation of the question that was last reported to the listeners. */
  announced?: number;
  reminded?: number;
}

/**
 * Deadlines of questions, default answers, and reminders. Each replica handles the questions that are asked at it, and
 * those that it finds in the store when it starts. If replicas share the store, the one with the lease reads changes,
 * to cover replicas that are gone. If several act, the task's generation lets one succeed.
 */
export class QuestionDeadlines implements RunHook {
  readonly #deps: DeadlinesDeps;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #isVisiting = false;
  #isClosed = false;
  /** Time at which the last scan began. */
  #scannedAt: number | undefined;

  constructor(deps: DeadlinesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#visitDue(), interval.due).unref();
    this.#unlisten = this.#deps.store.topics.tasks.listen(interval.scan, () => this.#scan());
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#unlisten?.();
    this.#entries.clear();
  }

  asked(run: Pick<Run, 'key' | 'agent' | 'stored'>, event: StreamResponse): StreamResponse {
    const { agent } = run;
    const { settingsOf, isUpstream } = this.#deps;
    const isOfPeople = askIn(event) !== undefined;
    const settings = isOfPeople ? remindersOf(settingsOf(agent)) : settingsOf(agent);
    const known = questionIn(event);
    const { otherwise, for: delegate, remind } = known ?? {};
    const isForeign = !isOfPeople && isUpstream(agent) && (otherwise ?? delegate ?? remind) !== undefined;
    const canAnswer = stateOf(event) !== 'TASK_STATE_AUTH_REQUIRED';
    const changed =
      settings || isForeign
        ? withFacts(event, (facts) => this.#configured(facts, settings ?? {}, isForeign, canAnswer))
        : event;
    const question = changed === event ? known : questionIn(changed);
    if (question && this.#isLookedAfter(question, agent)) void this.#take(run);
    return changed;
  }

  #isLookedAfter(question: Question, agent: string): boolean {
    return nextTime(question) !== undefined || this.#listenersOf(agent).length > 0;
  }

  #listenersOf(agent: string): readonly AskedListener[] {
    return this.#deps.listeners().filter((one) => one.wants(agent));
  }

  answered(task: AskingTask, question: Question, { by, way, releases }: GivenAnswer): void {
    this.#entries.delete(task.key);
    // Decisions about calls are audited where they are recorded.
    if (releases !== undefined) return;
    const isLookedAfter = question.for ?? question.otherwise ?? question.remind;
    if (way !== 'message' || isLookedAfter !== undefined) {
      this.#deps.audit({ event: 'question.answered', principal: by, reason: `Answered by ${way}`, ...auditedOf(task) });
    }
  }

  /**
   * Returns the configured values for members that the agent leaves open. Times and delegates of another gateway are
   * kept as they are.
   */
  #configured(known: QuestionFacts, settings: QuestionsConfig, isForeign: boolean, canAnswer: boolean): QuestionFacts {
    const { otherwise: _, for: __, remind: ___, ...others } = known;
    const facts: QuestionFacts = isForeign ? others : known;
    const { deadline = Number.POSITIVE_INFINITY, otherwise = 'fail', remind, for: delegate } = settings;
    const now = this.#deps.store.now();
    const hasOwn = facts.otherwise !== undefined || !Number.isFinite(deadline);
    return {
      ...(delegate !== undefined && { for: delegate }),
      ...(remind !== undefined && { remind: timeText(now + remind) }),
      ...facts,
      // An answer cannot stand in for an authorization.
      ...(!hasOwn && {
        until: timeText(Math.min(now + deadline, timeOf(facts.until))),
        otherwise: canAnswer ? otherwise : ('fail' as const),
      }),
    };
  }

  async #take(run: Pick<Run, 'key' | 'stored'>): Promise<void> {
    try {
      await nextTurn();
      await run.stored();
    } catch {
      // The event is missing from the log, or the gateway stops; the scan at the next start finds the question then.
      return;
    }
    this.#entries.set(run.key, { at: 0 });
    await this.#visitDue();
  }

  /** Checks the questions whose time has come. */
  async #visitDue(): Promise<void> {
    if (this.#isVisiting) return;
    this.#isVisiting = true;
    const now = this.#deps.store.now();
    const due = [...this.#entries].filter(([, { at }]) => at <= now);
    for (let from = 0; from < due.length; from += batch.visits) {
      await Promise.all(due.slice(from, from + batch.visits).map(([key, entry]) => this.#visit(key, entry)));
    }
    this.#isVisiting = false;
  }

  /** Reads a question again, and carries out the action that is due. */
  async #visit(key: string, entry: Entry): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      const task = await store.overviewOf(key);
      const question = task && isInterrupted(task.state) ? await readQuestion(store, task).catch(leaveOut) : undefined;
      const next = task && question && (await this.#attend({ task, question }, entry));
      if (next === undefined) this.#entries.delete(key);
      else this.#entries.set(key, Object.assign(entry, { at: next }));
    } catch (err) {
      logger.debug({ task: key, err }, 'the deadline of a question could not be checked; trying again');
      entry.at = store.now() + interval.retry;
    }
  }

  /**
   * Reports the question, reminds of it, or ends the waiting. Resolves with the time of the next check; undefined: there is none.
   */
  async #attend(asked: AskedQuestion, entry: Entry): Promise<number | undefined> {
    const { task, question } = asked;
    const { store, logger, audit } = this.#deps;
    const { generation } = question;
    const listeners = this.#listenersOf(task.agent);
    if (entry.announced !== generation) for (const one of listeners) await one.asked(asked);
    entry.announced = generation;
    const now = store.now();
    if (isOverdue(question, now)) {
      await this.#endWaiting(asked);
      return undefined;
    }
    if (question.remind !== undefined && entry.reminded !== generation && timeOf(question.remind) <= now) {
      entry.reminded = generation;
      // Several replicas may know the question; the one with the lease reminds of it.
      if (await store.peers.lease(lease.name, lease.ms)) {
        audit({ event: 'question.reminded', ...auditedOf(task) });
        logger.warn({ ...auditedOf(task), for: question.for }, 'a question still waits for its answer');
        for (const one of listeners) await one.reminded(asked);
      }
    }
    return nextTime(question, entry.reminded === generation);
  }

  /** Gives the default answer, or fails the task. */
  async #endWaiting({ task, question }: AskedQuestion): Promise<void> {
    const { answer, settleWaiting, audit, store } = this.#deps;
    const { otherwise, generation, until } = question;
    let reason = `No one answered the question before ${until}.`;
    const byDefault = typeof otherwise === 'object' ? otherwise.answer : question.ask && { decision: 'deny' };
    if (byDefault !== undefined) {
      const signal = AbortSignal.timeout(answerTimeout);
      const cause = { requestId: `deadline-${task.id}`, signal, hops: 0 };
      const given = {
        parts: [partOf(byDefault)],
        generation: String(generation),
        facts: { by: 'a2a-gateway', way: 'deadline' as const },
      };
      try {
        await answer(task, given, cause);
        return;
      } catch (thrown) {
        const { kind, message, violations = [] } = A2AError.from(thrown);
        if (isOutage(thrown)) throw thrown;
        if (kind === 'taskGenerationMismatch') return;
        const why = violations.map(({ field, description }) => `${field} ${description}`).join('; ') || message;
        reason += ` The default answer was not accepted: ${why}`;
      }
    }
    const ids = { taskId: task.id, contextId: task.contextId };
    const status = statusWith('TASK_STATE_FAILED', ids, reason, store.now());
    if (!(await settleWaiting({ key: task.key, generation, status }))) return;
    audit({ event: 'question.failed', reason, ...auditedOf(task) });
  }

  /** Reads the questions in the store, and what has changed since then as soon as this replica has the lease. */
  async #scan(): Promise<void> {
    const { store } = this.#deps;
    const pause = (): Promise<void> => sleep(interval.scan, undefined, { ref: false });
    while (this.#scannedAt !== undefined && !(await store.peers.lease(lease.name, lease.ms))) await pause();
    if (this.#isClosed) return;
    const now = store.now();
    await this.#readWaiting(this.#scannedAt);
    this.#scannedAt = now;
    // There is no other replica whose questions must be found.
    if (!store.peers.shared) this.#unlisten?.();
    else await pause();
  }

  async #readWaiting(since: number | undefined): Promise<void> {
    const { store } = this.#deps;
    const filter = { states: interruptedStates, ...(since !== undefined && { changedSince: since - lateness }) };
    for (let token = ''; ; ) {
      const { tasks, nextPageToken } = await store.searchTasks(filter, batch.page, token);
      for (const task of tasks.filter(({ key }) => !this.#entries.has(key))) {
        const question = await readQuestion(store, task).catch(leaveOut);
        const isLeftOut = since === undefined && timeOf(question?.remind) < store.now() - reminderGrace;
        const entry = { at: 0, ...(question && isLeftOut && { reminded: question.generation }) };
        if (question && this.#isLookedAfter(question, task.agent)) await this.#visit(task.key, entry);
      }
      if (nextPageToken === '') return;
      token = nextPageToken;
      await nextTurn();
    }
  }
}

/** Returns the settings for calls that wait for people. These calls have their own deadline and people. */
const remindersOf = ({ remind }: QuestionsConfig = {}): QuestionsConfig => (remind === undefined ? {} : { remind });

/** Returns the time of the next action for an open question. Undefined: there is none. */
function nextTime({ until, otherwise, remind }: QuestionFacts, isReminded = false): number | undefined {
  const next = Math.min(timeOf(otherwise && until), timeOf(isReminded ? undefined : remind));
  return Number.isFinite(next) ? next : undefined;
}

const auditedOf = ({ key, agent, principal }: AskingTask) => ({ agent, owner: principal, subject: key });
