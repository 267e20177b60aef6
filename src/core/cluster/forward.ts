import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../model/agent.ts';
import { type Call, type CallContext, type CallSemantics, ownDialect, type Reply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isResting } from '../model/lifecycle.ts';
import type { Principal } from '../model/principal.ts';
import { readStored } from '../model/stored-form.ts';
import { steadyNow } from '../model/timing.ts';
import type { Logger } from '../ports/logger.ts';
import type { ForwardedRequest } from '../ports/peers.ts';
import { LogConflict } from '../ports/store-errors.ts';
import type { SharedTaskStore } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { callFields } from '../telemetry/call-fields.ts';

/** The part of a handler's input that forwarding uses. */
export interface ForwardInput {
  readonly agent: Agent;
  readonly context: CallContext;
  readonly deps: { readonly store: SharedTaskStore; readonly limits: { readonly answer: number } };
  /** Whether another replica forwarded the call. This replica does not forward it again. */
  readonly isForwarded: boolean;
  /** Takes over the tasks of dead replicas. */
  readonly takeOver: () => Promise<unknown>;
}

/** Answers another replica's question about this one. Rejects with `methodNotFound` for unknown questions. */
export type AnswerReplica = (question: string, request: object) => Promise<unknown>;

/** A call about one task, for the replica that owns the task. */
export interface ForwardableCall extends Pick<Call, 'operation' | 'request'> {
  /** The idempotency key that the other replica stores with the message. */
  readonly forwardedKey?: CallKey | undefined;
  /** Finds out from the log what the call did, after the owner died without an answer. */
  readonly findOutcome: () => Promise<ForwardOutcome | undefined>;
  /** Whether an agent that receives the caller's credentials needs them for this call. They are never forwarded. */
  readonly needsCredentials?: boolean;
  /** Whether it must be refused if the task has another generation than it expects. */
  readonly hasCondition?: boolean;
}

/** Milliseconds until a replica that died is declared dead and another has taken over its tasks. */
const takeoverTimeout = 20_000;
/** Milliseconds between two attempts to find and reach the owner. */
const retryDelay = 200;
/** Attempts to work on a task while other replicas append first. */
const maxAttempts = 5;

/**
 * Runs `local` if this replica may work on the task. Else forwards the call to the owner, and runs `forwarded` with its
 * outcome. If the owner dies, waits until its tasks are taken over, or throws `unavailable`.
 */
export async function runAtOwner<T>(
  input: ForwardInput,
  live: LiveTask,
  call: () => ForwardableCall,
  { local, forwarded }: { local: () => Promise<T>; forwarded: (outcome: ForwardOutcome) => Promise<T> },
): Promise<T> {
  if (!input.deps.store.peers.shared) return local();
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await forwardToOwner(input, live, call(), attempt > 1);
    if (outcome) {
      const { extensions, losses } = input.context.notes;
      for (const extension of outcome.extensions) extensions.add(extension);
      for (const path of outcome.losses) losses.add(path);
      await live.readLog();
      return forwarded(outcome);
    }
    try {
      return await local();
    } catch (thrown) {
      const isConflict = thrown instanceof A2AError && thrown.cause instanceof LogConflict;
      if (!isConflict || attempt === maxAttempts) throw thrown;
      await live.readLog();
    }
  }
}

/** Returns undefined if this replica may work on the task. `wasRefused`: the store refused a write of this replica. */
async function forwardToOwner(input: ForwardInput, live: LiveTask, call: ForwardableCall, wasRefused: boolean) {
  const { agent, context, deps, takeOver, isForwarded } = input;
  const { peers } = deps.store;
  const until = steadyNow() + takeoverTimeout;
  let isUnconfirmed = false;
  for (let hasTakenOver = false; ; ) {
    const reading = live.catchUp();
    if (reading) await reading;
    const outcome = isUnconfirmed ? await call.findOutcome() : undefined;
    if (outcome) return outcome;
    if (live.isOwnedHere || live.log.isTerminal) return undefined;
    const owner = await peers.leaseHolderOf(live.key);
    if (owner === undefined) {
      // A task without a live owner is at rest, or orphaned: then it is taken over now rather than with the next check.
      if (hasTakenOver || (isResting(live.log.state) && !wasRefused)) return undefined;
      hasTakenOver = true;
      await takeOver();
      continue;
    }
    if (agent.forwards && call.needsCredentials) throw credentialsNotForwarded(live.record.id);
    if (agent.forwards) return undefined;
    if (isForwarded) throw new NotOwnedHere();
    if (call.hasCondition && peers.hasOlderReplica) throw conditionNotForwarded(live.record.id);
    try {
      const reply = await send(owner, input, live, call);
      if ('error' in reply) throw A2AError.revive(reply.error);
      if ('done' in reply) return reply.done;
    } catch (thrown) {
      // The owner died, is stopping, or has lost its database. The log shows the effects until then.
      const error = A2AError.from(thrown);
      if (error.kind !== 'unavailable' || steadyNow() > until) throw error;
      isUnconfirmed = true;
      await takeOver();
    }
    if (steadyNow() > until) throw ownerUnreachable(live.record.id);
    await sleep(retryDelay, undefined, { signal: context.signal }).catch(() => {
      throw A2AError.from(context.signal.reason);
    });
  }
}

async function send(
  owner: string,
  { context, deps }: ForwardInput,
  { key }: LiveTask,
  { operation, request, forwardedKey }: ForwardableCall,
): Promise<ForwardedReply> {
  const remaining = (context.deadline ?? Number.POSITIVE_INFINITY) - Date.now();
  const within = Math.max(1, Math.min(deps.limits.answer, remaining));
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(within)]);
  const body = writeForwardedCall({ operation, request, context }, within, forwardedKey);
  return readStored('The answer to a forwarded call', await deps.store.peers.forward(owner, { key, body }, signal));
}

/** Thrown when another replica forwarded a call to this one, and this one does not own the task either. */
class NotOwnedHere extends Error {}

/**
 * Carries out forwarded calls with `invoke`, which forwards no further, and answers questions about this replica. The
 * other replica has authorized the caller.
 */
export function handleForwarded(
  invoke: (call: Call) => Promise<Reply>,
  { logger, answerReplica }: { readonly logger: Logger; readonly answerReplica?: AnswerReplica },
): (request: ForwardedRequest) => Promise<string> {
  const carryOut = async (body: string): Promise<ForwardedReply> => {
    let call: Call | undefined;
    try {
      const forwarded = readStored<ForwardedCall>('A forwarded call', body);
      const { operation, request } = forwarded;
      if (forwarded.isQuestion) return { value: await answerReplica?.(operation, request) };
      call = readForwardedCall(forwarded);
      const { notes } = call.context;
      await invoke(call);
      const { turnAfter: after = 0, extensions, losses } = notes;
      return { done: { after, extensions: [...extensions], losses: [...losses] } };
    } catch (thrown) {
      if (thrown instanceof NotOwnedHere) return { elsewhere: true };
      const { kind, message, violations, metadata, retryAfter, extraDetails: details } = A2AError.from(thrown);
      if (kind === 'internal') {
        logger.error({ ...(call && callFields(call)), err: thrown }, 'a call forwarded by another replica failed');
      }
      return { error: { kind, message, violations, metadata, retryAfter, details } };
    }
  };
  return async ({ body }) => JSON.stringify(await carryOut(body));
}

const ownerUnreachable = (taskId: string): A2AError =>
  new A2AError('unavailable', `The replica that owns the task ${taskId} does not answer; try again.`, {
    retryAfter: 5,
    metadata: { taskId },
  });

const credentialsNotForwarded = (taskId: string): A2AError =>
  new A2AError(
    'unsupportedOperation',
    'Another replica is working on the task, and your credentials are not forwarded to it; send again when the task waits for its next message.',
    { metadata: { taskId } },
  );

const conditionNotForwarded = (taskId: string): A2AError =>
  new A2AError(
    'unavailable',
    'A replica of an earlier version, which cannot check ifGenerationMatch, is running; send again when all are upgraded.',
    { retryAfter: 5, metadata: { taskId } },
  );

type PrincipalSet = 'agents' | 'scopes' | 'tenants';

/** Members of the context that belong to this process, or are written in another form. */
type NotForwarded =
  | ('signal' | 'deadline' | 'notes' | 'credentials' | 'principal' | 'semantics')
  | ('reservation' | 'observer' | 'attempt');

/** A call as JSON. It contains no credentials of the caller. */
interface ForwardedCall extends Pick<Call, 'operation' | 'request'> {
  /** Context of the call. Sets are lists here, and the semantics have the name that earlier versions read. */
  readonly context: Omit<CallContext, NotForwarded> & {
    readonly implied: CallSemantics;
    readonly principal: Omit<Principal, PrincipalSet> & Partial<Record<PrincipalSet, readonly string[]>>;
  };
  /** Milliseconds that the answer may take. Not a deadline, since the clocks of replicas may differ. */
  readonly within: number;
  /** Whether it is a question about the other replica itself, for its operators. */
  readonly isQuestion?: boolean;
}

/**
 * Writes a question about a replica. A replica of a version without questions reads it as a call of an unknown agent,
 * and refuses it.
 */
export const writeQuestion = (operation: string, request: object, within: number): string => {
  const principal = { id: '', anonymous: true };
  const context = {
    requestId: '',
    agent: '',
    tenant: '',
    dialect: ownDialect,
    extensions: [],
    hops: 0,
    implied: {},
    principal,
  };
  return JSON.stringify({ operation, request, context, within, isQuestion: true });
};

/** Returns the replica's answer. Throws if it could not answer. */
export function readQuestionReply<T>(text: string): T {
  const reply = readStored<ForwardedReply>('The answer to a question', text);
  if ('value' in reply) return reply.value as T;
  throw new A2AError('unavailable', 'The replica cannot answer the question');
}

function writeForwardedCall({ operation, request, context }: Call, within: number, forwardedKey?: CallKey): string {
  const { signal, deadline, notes, credentials, idempotencyKey, reservation, ...others } = context;
  const { observer, attempt, semantics: implied, ...rest } = others;
  const { agents, scopes, tenants, ...identity } = context.principal;
  const principal = {
    ...identity,
    ...(agents && { agents: [...agents] }),
    ...(scopes && { scopes: [...scopes] }),
    ...(tenants && { tenants: [...tenants] }),
  };
  const serialized = { ...rest, implied, principal, ...(forwardedKey && { forwardedKey }) };
  return JSON.stringify({ operation, request, context: serialized, within } satisfies ForwardedCall);
}

/** Parses the call, with a signal that aborts when the answer would be too late. */
function readForwardedCall({ operation, request, context, within }: ForwardedCall): Call {
  const { implied: semantics, ...rest } = context;
  const { agents, scopes, tenants, ...identity } = context.principal;
  const sets = {
    ...(agents && { agents: new Set(agents) }),
    ...(scopes && { scopes: new Set(scopes) }),
    ...(tenants && { tenants: new Set(tenants) }),
  };
  const notes = { extensions: new Set<string>(), losses: new Set<string>() };
  const signal = AbortSignal.timeout(Math.max(1, Math.round(within)));
  return { operation, request, context: { ...rest, semantics, principal: { ...identity, ...sets }, signal, notes } };
}

/** Outcome of a forwarded call. Its result is read from the log. */
interface ForwardOutcome {
  /** Position before the turn that the call began. */
  readonly after: number;
  readonly extensions: readonly string[];
  readonly losses: readonly string[];
}

/** The other replica's answer to a forwarded call. `elsewhere`: that replica does not own the task either. */
type ForwardedReply =
  | { readonly done: ForwardOutcome }
  | { readonly elsewhere: true }
  | { readonly value: unknown }
  | { readonly error: SerializedError };

/** An error without its internal cause. */
type SerializedError = Pick<A2AError, 'kind' | 'message' | 'violations' | 'metadata' | 'retryAfter'> & {
  readonly details: A2AError['extraDetails'];
};
