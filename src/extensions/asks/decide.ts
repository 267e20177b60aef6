import { isNamed, principalIds } from '../../auth/principals.ts';
import type { Message, Part, TaskStatus } from '../../core/model/a2a.ts';
import { statusWith, timestamp } from '../../core/model/agent-events.ts';
import { type Agreement, type Ask, askingStatus, heldCallOf, type OpenAsk } from '../../core/model/ask.ts';
import type { LoggedEvent, Requester } from '../../core/model/call.ts';
import { A2AError, type FieldViolation } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { type AnswerFacts, answerKey, answerOf, timeOf, withFacts } from '../../core/model/question.ts';
import { shortened } from '../../core/model/text.ts';
import { answeredAlready, type Cause, onBehalfOfOwners } from '../../core/operations/on-behalf.ts';
import type { TaskOverview } from '../../core/ports/admin-store.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Store } from '../../core/ports/store.ts';
import { askIn, type OpenQuestion, readQuestion } from '../../core/tasks/open-question.ts';
import type { Host } from '../host.ts';

// People decide about calls that wait for them. Each decision is an event of the task's log: an agreement asks the others again,
// the last one releases the call, and a denial rejects the task. The task's generation lets one of several succeed at a time.

/** Decision of a person about a held call. */
export interface Decision extends Pick<AnswerFacts, 'by' | 'way'> {
  readonly decision: 'approve' | 'deny';
  /** Reason that the caller sees. */
  readonly reason?: string;
  /** Position of the call in the task's log. Default: the call that is held now. */
  readonly seq?: number;
  /** Generation of a question about the call, instead of the call's position. */
  readonly generation?: string | undefined;
}

type Answer = ReturnType<typeof onBehalfOfOwners>['answer'];

export interface DecideDeps {
  readonly store: Pick<Store, 'events' | 'latestTurn' | 'overviewOf' | 'now'>;
  readonly audit: Audit;
  /** Answers the task's question for its owner through the core service. The call passed the pipeline before it was held. */
  readonly release: Answer;
  /**
   * Gives a waiting task of this generation another status. Resolves with false if the task no longer waits, or has another
   * generation.
   */
  readonly settleWaiting: (task: { key: string; generation: number; status: TaskStatus }) => Promise<boolean>;
  /** Whether a name in the configuration stands for a principal. */
  readonly isNamed: (name: string, principalId: string) => boolean;
}

/** Most attempts to record a decision while others are recorded. */
const maxTries = 20;

/** Most characters of a reason. */
const longestReason = 2_000;

const peopleOf = ({ of, delegate }: Ask): readonly string[] => (delegate === undefined ? of : [...of, delegate]);

/** The asks about which a person may decide: no scope gives this right, and callers do not decide about their own calls. */
export const asksFor = <A extends Ask>(
  { asks }: { readonly asks: readonly A[] },
  by: string,
  owner: string,
  isNamed: DecideDeps['isNamed'],
): A[] => asks.filter((ask) => (ask.self || by !== owner) && peopleOf(ask).some((name) => isNamed(name, by)));

/** Decisions about the calls that tasks hold. */
export class Decisions {
  readonly #deps: DecideDeps;

  constructor(deps: DecideDeps) {
    this.#deps = deps;
  }

  /** Creates the decisions of a gateway. */
  static of({ active, audit, service, store }: Host): Decisions {
    const deps = { store, agents: active.agents, anonymous: principalIds.anonymous, invoke: service.invoke };
    return new Decisions({
      store,
      audit,
      release: onBehalfOfOwners(deps).answer,
      settleWaiting: service.settleWaiting,
      isNamed: (name, id) => isNamed(active.snapshot.config.auth, name, id),
    });
  }

  /** Whether a name in the configuration stands for a principal. */
  get isNamed(): DecideDeps['isNamed'] {
    return this.#deps.isNamed;
  }

  /** Decides about a call, once for each person. Rejects with `taskGenerationMismatch`, which names who was first. */
  async decide(key: string, decision: Decision, cause: Cause): Promise<void> {
    const { store, audit } = this.#deps;
    for (let tries = maxTries; tries > 0; tries -= 1) {
      const task = await store.overviewOf(key);
      if (!task) throw A2AError.taskNotFound(key);
      const question = await readQuestion(store, task, cause);
      if (!asksPeople(question) || !(await this.#isAbout(question, task, decision, cause))) {
        throw await answeredAlready(store, task, cause);
      }
      this.#requireRight(task, question, decision);
      if (!(await this.#record(task, question, decision, cause))) continue;
      const { by: principal, way } = decision;
      const { event, reason } = outcomes[decision.decision];
      const facts = {
        principal,
        agent: task.agent,
        owner: task.principal,
        subject: key,
        reason: `${reason} by ${way}`,
      };
      audit({ event: way === 'deadline' ? 'ask.expired' : event, ...facts });
      return;
    }
    throw new A2AError('unavailable', 'Another decision about the call is in progress', { retryAfter: 1 });
  }

  /** Answers what a task asks: decides about a call where people are asked, or else answers the question with `answer`. */
  or(answer: Answer = this.#deps.release): Answer {
    const { store } = this.#deps;
    return async (task, given, cause) => {
      const question = await readQuestion(store, task, cause);
      if (!asksPeople(question)) return answer(task, given, cause);
      const { facts, parts, generation } = given;
      const { by, way } = facts;
      return this.decide(task.key, { by, way, generation, ...decisionIn(parts, question) }, cause);
    };
  }

  /** Whether a decision is about the held call. Each agreement changes the generation, but the question stays about one call. */
  async #isAbout(question: AskedPeople, { key }: TaskOverview, decision: Decision, cause: Cause): Promise<boolean> {
    const { ask, generation } = question;
    const held = await readHeld(this.#deps.store, key, ask, cause);
    if (!held) throw new A2AError('unsupportedOperation', 'No call of this task waits for a decision');
    const first = held.event.message ? held.generation + 1 : 1;
    const known = Number(decision.generation ?? generation);
    return (decision.seq ?? ask.seq) === ask.seq && known >= first && known <= generation;
  }

  #requireRight({ principal }: TaskOverview, { ask, until }: AskedPeople, { by, way }: Decision): void {
    if (way === 'deadline') return;
    const { store, isNamed } = this.#deps;
    if (asksFor(ask, by, principal, isNamed).length === 0) {
      throw new A2AError('permissionDenied', `${by} is not one of the people who decide about this call`);
    }
    if (timeOf(until) <= store.now()) {
      throw new A2AError('unsupportedOperation', `The call could be approved or denied until ${until}`);
    }
  }

  /** Appends the decision to the task's log. Resolves with false if another decision was appended first. */
  async #record(task: TaskOverview, question: AskedPeople, decision: Decision, cause: Cause): Promise<boolean> {
    const { store, release, settleWaiting } = this.#deps;
    const { key, id: taskId, contextId } = task;
    const { generation } = question;
    const { by, way } = decision;
    const ids = { taskId, contextId };
    const now = store.now();
    if (decision.decision === 'deny') {
      return settleWaiting({ key, generation, status: denied(question, decision, ids, now) });
    }
    const open = way === 'deadline' ? question.ask : this.#agreed(task, question.ask, decision);
    if (way !== 'deadline' && open.asks.some(({ quorum, given }) => given.length < quorum)) {
      const { remind } = question;
      const later = remind !== undefined && timeOf(remind) > now && { remind };
      const status = askingStatus(open, ids, now);
      const asking = withFacts({ statusUpdate: { ...ids, status } }, (facts) => ({ ...facts, ...later }));
      return settleWaiting({ key, generation, status: asking.statusUpdate?.status ?? status });
    }
    const facts = { by, way, releases: open.seq };
    const given = { parts: [{ data: { decision: 'approve' } }], facts, generation: String(generation) };
    return release(task, given, cause).then(
      () => true,
      async (thrown: unknown) => {
        // A denial that was first has ended the task, and an agreement has changed it.
        const now = await store.overviewOf(key);
        if (now && (await readQuestion(store, now, cause))?.generation === generation) throw thrown;
        return false;
      },
    );
  }

  /** Returns the open asks after one more person has agreed. The agreement counts once for each ask that names the person. */
  #agreed({ principal }: TaskOverview, open: OpenAsk, { by, way }: Decision): OpenAsk {
    const { store, isNamed } = this.#deps;
    // One name may stand for several credentials of one person; one with a final asterisk stands for several people.
    const isOne = (ask: Ask, other: string): boolean =>
      other === by || peopleOf(ask).some((name) => !name.endsWith('*') && isNamed(name, by) && isNamed(name, other));
    const wanted = asksFor(open, by, principal, isNamed).filter((ask) => !ask.given.some((one) => isOne(ask, one.by)));
    if (wanted.length === 0) {
      throw new A2AError('taskGenerationMismatch', `The call was approved already, by ${by}`, { metadata: { by } });
    }
    const agreement: Agreement = { by, way, at: timestamp(store.now()) };
    const asks = open.asks.map((ask) => (wanted.includes(ask) ? { ...ask, given: [...ask.given, agreement] } : ask));
    return { ...open, asks };
  }
}

/** A question to people about a held call. */
type AskedPeople = OpenQuestion & Required<Pick<OpenQuestion, 'ask'>>;

export const asksPeople = (question: OpenQuestion | undefined): question is AskedPeople => question?.ask !== undefined;

const outcomes = {
  approve: { event: 'ask.approved', reason: 'Approved' },
  deny: { event: 'ask.denied', reason: 'Denied' },
} as const;

/** Returns the status of a task whose call was denied. The metadata of its message name the person who denied it. */
function denied(
  { until }: Pick<OpenQuestion, 'until'>,
  { by, way, reason }: Decision,
  ids: { readonly taskId: string; readonly contextId: string },
  now: number,
): TaskStatus {
  const why = reason === undefined ? '' : `: ${reason}`;
  const text = way === 'deadline' ? `Not enough people agreed before ${until}` : `${by} has denied the call${why}`;
  const status = statusWith('TASK_STATE_REJECTED', ids, text, now);
  return { ...status, message: { ...status.message, metadata: { [answerKey]: { by, way } } } as Message };
}

/** Most characters of a call's text. */
const longestText = 16_384;

/** Reads the event with the held call. Undefined: the call is held at another gateway. */
export async function readHeld(
  store: Pick<Store, 'events'>,
  key: string,
  { seq }: Pick<OpenAsk, 'seq'>,
  requester?: Requester,
): Promise<(LoggedEvent & { readonly held: Message }) | undefined> {
  const [logged] = await store.events(key, seq - 1, 1, requester);
  const { message, task } = logged?.event ?? {};
  const held = [...(message ? [message] : []), ...(task?.history ?? [])].find(heldCallOf);
  return logged && held && { ...logged, held };
}

/** The asks about which people have decided last, where nothing is asked now: the status before the message or the denial. */
export async function readDecided(
  store: Pick<Store, 'events' | 'latestTurn'>,
  { key, seq }: Pick<TaskOverview, 'key' | 'seq'>,
  requester?: Requester,
): Promise<Pick<OpenQuestion, 'ask'> | undefined> {
  for (const position of [await store.latestTurn(key), seq]) {
    const [before] = position > 1 ? await store.events(key, position - 2, 1, requester) : [];
    const ask = before && askIn(before.event);
    if (ask) return { ask };
  }
  return undefined;
}

/** Returns the text of the held call for the people who decide about it. Files appear by their names. */
export async function heldTextOf(
  store: Pick<Store, 'events'>,
  key: string,
  ask: Pick<OpenAsk, 'seq'>,
  requester?: Requester,
): Promise<string> {
  const parts = (await readHeld(store, key, ask, requester))?.held.parts ?? [];
  const lines = parts.map(({ text, data, filename, mediaType }) =>
    data === undefined ? (text ?? `[${filename || mediaType || 'a file'}]`) : JSON.stringify(data, undefined, 2),
  );
  return shortened(lines.join('\n'), longestText);
}

const words: ReadonlyMap<unknown, Decision['decision']> = new Map([
  ...['approve', 'approved', 'allow', 'yes', 'ok'].map((word) => [word, 'approve'] as const),
  ...['deny', 'denied', 'reject', 'no'].map((word) => [word, 'deny'] as const),
]);

/** Reads the decision from the parts of an answer: data, a word, or both. Throws `invalidParams` for other parts. */
export function decisionIn(
  parts: readonly Part[],
  { schema }: Pick<OpenQuestion, 'schema'>,
): Pick<Decision, 'decision' | 'reason'> {
  const text = parts.find((part) => part.text !== undefined)?.text;
  const answer = answerOf({ parts: [...parts] }, schema);
  if (answer.action === 'decline') return { decision: 'deny' };
  const given = answer.action === 'accept' ? answer.value : undefined;
  const { decision: word = text, reason } = isObject(given) ? given : { decision: given };
  const decision = words.get(typeof word === 'string' ? word.trim().toLowerCase() : undefined);
  const violations: FieldViolation[] = [];
  if (!decision) violations.push({ field: 'answer.decision', description: 'must be approve or deny' });
  if (!isReason(reason)) {
    violations.push({ field: 'answer.reason', description: `must be a text of at most ${longestReason} characters` });
  }
  if (!decision || !isReason(reason)) throw A2AError.invalidParams(undefined, violations);
  return { decision, ...(reason && { reason }) };
}

const isReason = (reason: unknown): reason is string | undefined =>
  reason === undefined || (typeof reason === 'string' && reason.length <= longestReason);
