import type { Part } from '../../core/model/a2a.ts';
import type { Ask } from '../../core/model/ask.ts';
import { type Call, ownerOf } from '../../core/model/call.ts';
import { CallDecisions } from '../../core/model/call-decisions.ts';
import { calledSkill } from '../../core/model/called-skill.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import { defined } from '../../core/model/json.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { askedTask } from '../../core/telemetry/call-fields.ts';
import { type TraceContext, traceOf } from '../../core/telemetry/trace-context.ts';
import { type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import type { GuardConfig } from '../../gen/settings.ts';
import { askOf } from '../conditions/asks.ts';
import {
  type Condition,
  type ConditionProblem,
  conditionsOf,
  type VariableName,
  verdictOf,
} from '../conditions/conditions.ts';
import {
  askedContext,
  type CallFacts,
  type FactSources,
  FactsOfCall,
  factsOfOwner,
  noTask,
} from '../conditions/facts.ts';
import type { GuardOutcome, VerdictCounts } from './counts.ts';
import {
  type AskJudge,
  type GuardPhase,
  type GuardQuestion,
  type GuardVerdict,
  type Mark,
  readVerdict,
} from './model.ts';

/** A guard with its judge and its condition. */
export interface Guard
  extends Pick<GuardConfig, 'name' | 'on' | 'timeout' | 'onError' | 'approvers' | 'window' | 'shadow'> {
  /** Condition for the guard's calls. Undefined: every call. */
  readonly where: Condition | undefined;
  readonly ask: AskJudge;
}

/** Compiles the conditions of guards. Also returns every fault in them. */
export function compileWhere(given: readonly Pick<GuardConfig, 'where'>[]) {
  const problems: ConditionProblem[] = [];
  const compile = conditionsOf('guards', problems);
  const conditions = given.map(({ where }, index) =>
    where === undefined ? undefined : compile(index, 'where', where),
  );
  return { conditions, problems };
}

/** Call or run to which the judged parts belong. */
export interface Subject
  extends Pick<GuardQuestion, 'agent' | 'skill' | 'principal' | 'tenant' | 'taskId' | 'contextId'> {
  readonly request?: string | undefined;
  readonly trace: TraceContext;
  /** Whether the agent itself keeps its tasks. Its calls cannot wait for people. */
  readonly isPassedOn?: boolean;
  /** Records the verdicts that change something. Absent: the call is not known. */
  readonly decisions?: CallDecisions;
}

/** Parts that are judged together: of a message, or of an artifact. */
export interface Piece extends Pick<GuardQuestion, 'phase' | 'messageId' | 'artifactId' | 'window'> {
  readonly parts: Part[];
}

/** Parts after guards have judged them. */
export interface JudgedParts {
  readonly parts: Part[];
  /** Guards that have replaced parts. Empty: no parts were replaced. */
  readonly marks: readonly Mark[];
  /** Asks to people who must agree to the parts. */
  readonly asks: readonly Ask[];
}

/** Error of parts that a guard has blocked. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
  /** Error that the caller gets. */
  readonly error: A2AError;
  readonly guard: string;

  constructor(guard: string, phase: GuardPhase, reason: string | undefined) {
    const what = phase === 'request' ? 'message' : 'answer';
    const text = `The guard ${guard} blocks the ${what}${reason === undefined ? '' : `: ${reason}`}`;
    super(text);
    this.guard = guard;
    this.error = new A2AError('permissionDenied', text, { metadata: { guard } });
  }
}

export interface GuardDeps extends FactSources {
  readonly agents: Pick<AgentDirectory, 'get'>;
  readonly store: Pick<Store, 'findRecord'>;
  readonly audit: Audit;
  readonly logger: Logger;
  readonly counts: VerdictCounts;
  readonly tracing?: Tracing | undefined;
}

/** Variables that are known of a task even if the call that began its run is not. */
const ofTask: ReadonlySet<VariableName> = new Set(['caller', 'tenant', 'agent']);
const ofUnknownCaller: ReadonlySet<VariableName> = new Set(['tenant', 'agent']);

/** Guards of one configuration. */
export class Guards {
  readonly all: readonly Guard[];
  readonly #deps: GuardDeps;
  readonly #readsTask: boolean;

  constructor(all: readonly Guard[], deps: GuardDeps) {
    this.all = all;
    this.#deps = deps;
    this.#readsTask = all.some(({ where }) => where?.names.has('task'));
  }

  /** Returns the guards for a call, in their order. A guard whose condition cannot be evaluated is among them. */
  async ofCall(call: Call): Promise<Guard[]> {
    await calledSkill(call, this.#deps.agents.get(call.context.agent));
    const id = askedTask(call.request);
    const record = this.#readsTask && id ? await this.#deps.store.findRecord(ownerOf(call), id) : undefined;
    const facts = new FactsOfCall(call, this.#deps, record ?? { ...noTask, contextId: askedContext(call.request) });
    return this.all.filter((guard) => applies(guard, facts));
  }

  /** Returns the guards that may apply to the call that began a run of a task. */
  ofTask(owner: Pick<TaskOwner, 'principal' | 'agent' | 'tenant'>): Guard[] {
    const { facts, isKnown } = factsOfOwner(owner, this.#deps);
    return this.all.filter((guard) => applies(guard, facts, isKnown ? ofTask : ofUnknownCaller));
  }

  /** Asks a guard to judge parts. Rejects with Blocked. A guard in shadow is asked, but its answer is not awaited. */
  async judge(guard: Guard, subject: Subject, piece: Piece, signal: AbortSignal): Promise<JudgedParts> {
    const { parts } = piece;
    const passed: JudgedParts = { parts, marks: [], asks: [] };
    if (guard.shadow) {
      void this.#verdict(guard, subject, piece, signal);
      return passed;
    }
    const verdict = await this.#verdict(guard, subject, piece, signal);
    const { action, reason } = verdict;
    if (action === 'allow') return passed;
    if (action === 'replace') return { ...passed, parts: verdict.parts, marks: [markOf(guard, reason)] };
    if (action === 'ask' && guard.approvers)
      return { ...passed, asks: [askOf(`guard ${guard.name}`, guard.approvers, reason)] };
    throw new Blocked(guard.name, piece.phase, reason);
  }

  /** Returns the verdict of a guard, counts it, and writes it to the audit log. Never rejects. */
  async #verdict(guard: Guard, subject: Subject, piece: Piece, signal: AbortSignal): Promise<GuardVerdict> {
    try {
      const verdict = settled(await this.#ask(guard, subject, piece, signal), guard, subject, piece);
      const { action, reason } = verdict;
      this.#note(guard, subject, piece, outcomes[action], reason);
      return verdict;
    } catch (thrown) {
      // If the caller leaves, parts that were not judged are not passed on.
      if (signal.aborted) return { action: 'block' };
      this.#deps.logger.debug({ guard: guard.name, err: thrown }, 'the judge of a guard failed');
      this.#note(guard, subject, piece, 'failed', `Its judge failed: ${faultOf(thrown)}`);
      return guard.onError === 'pass' ? { action: 'allow' } : { action: 'block', reason: 'no valid verdict' };
    }
  }

  async #ask(guard: Guard, subject: Subject, piece: Piece, signal: AbortSignal): Promise<GuardVerdict> {
    const { agent, skill, principal, tenant, taskId, contextId, trace } = subject;
    const ids = { agent, skill, principal, tenant, taskId, contextId };
    const question: GuardQuestion = { guard: guard.name, ...ids, ...piece };
    const { tracing, counts } = this.#deps;
    const began = steadyNow();
    const ask = async (now: TraceContext): Promise<GuardVerdict> => readVerdict(await guard.ask(question, now, signal));
    try {
      if (!tracing) return await ask(trace);
      const attributes = {
        'a2a_gateway.guard': guard.name,
        'a2a_gateway.guard.phase': piece.phase,
        'a2a.agent': agent,
      };
      return await withSpan(
        tracing,
        { name: `guard ${guard.name}`, kind: 'client', parent: trace },
        () => attributes,
        async (span) => {
          const verdict = await ask(span.trace);
          if (span.recording) span.set({ 'a2a_gateway.guard.action': verdict.action });
          return verdict;
        },
        () => 'guard',
      );
    } finally {
      counts.took(guard.name, piece.phase, steadyNow() - began);
    }
  }

  /** Counts an outcome, and writes it to the audit log unless the guard has allowed the parts. */
  #note(guard: Guard, subject: Subject, piece: Piece, verdict: GuardOutcome, reason: string | undefined): void {
    const isShadow = guard.shadow && verdict !== 'allowed' && verdict !== 'failed';
    const outcome = isShadow ? 'shadow' : verdict;
    this.#deps.counts.add(guard.name, piece.phase, outcome);
    if (outcome === 'allowed') return;
    const { agent, principal, taskId, request, decisions } = subject;
    const would = isShadow ? verdict : undefined;
    decisions?.add(defined({ rule: `guard ${guard.name}`, outcome, would, reason, phase: piece.phase }));
    this.#deps.audit({
      event: `guard.${outcome}`,
      guard: guard.name,
      phase: piece.phase,
      ...(reason !== undefined && { reason }),
      principal,
      agent,
      ...(taskId !== '' && { subject: taskId }),
      ...(request !== undefined && { request }),
    });
  }
}

/**
 * Returns the caller's error for blocked parts, and notes the guard as the cause of the refusal. Returns other errors unchanged.
 */
export function refusalOf(thrown: unknown, call: Call | undefined): unknown {
  if (!(thrown instanceof Blocked)) return thrown;
  if (call) call.context.notes.refusedBy = `guard ${thrown.guard}`;
  return thrown.error;
}

/** Whether a guard applies, or may apply, to a call. */
export const applies = ({ where }: Guard, facts: CallFacts, known?: ReadonlySet<VariableName>): boolean =>
  where === undefined || verdictOf(where, facts, known) !== 'no';

const markOf = ({ name: guard }: Guard, reason: string | undefined): Mark => ({
  guard,
  action: 'replace',
  ...(reason !== undefined && { reason }),
});

const outcomes = { allow: 'allowed', ask: 'asked', block: 'blocked', replace: 'replaced' } as const;

/** Returns the effective verdict. If there are no people to ask, `ask` becomes `block`, with a reason that says so. */
function settled(verdict: GuardVerdict, { approvers }: Guard, { isPassedOn }: Subject, { phase }: Piece): GuardVerdict {
  if (verdict.action !== 'ask' || (approvers && phase === 'request' && !isPassedOn)) return verdict;
  const cause = verdict.reason === undefined ? '' : ` (${verdict.reason})`;
  const obstacle =
    phase === 'answer'
      ? 'people are asked about messages alone'
      : approvers
        ? 'calls of agents with keep: none cannot wait'
        : 'the guard has no approvers';
  return { action: 'block', reason: `it asks for a person's consent${cause}, and ${obstacle}` };
}

/** Most characters of a fault in the audit log. */
const maxFault = 200;

const faultOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : 'it threw').slice(0, maxFault);

/** Returns the fields that all questions about a call share. */
export const subjectOf = (call: Call, { taskId, contextId }: Pick<Subject, 'taskId' | 'contextId'>): Subject => {
  const { agent, principal, tenant } = ownerOf(call);
  const { notes, requestId: request } = call.context;
  notes.decisions ??= new CallDecisions();
  return {
    agent,
    skill: notes.skill ?? '',
    principal,
    tenant,
    taskId,
    contextId,
    request,
    trace: traceOf(call.context),
    decisions: notes.decisions,
  };
};
