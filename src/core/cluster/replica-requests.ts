import { type Call, type CallContext, type CallSemantics, ownDialect, type Reply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { readStored } from '../model/stored-form.ts';
import type { Logger } from '../ports/logger.ts';
import type { ForwardedRequest, Peers } from '../ports/peers.ts';
import { callFields } from '../telemetry/call-fields.ts';

// Requests between replicas and their replies, over `Peers.forward`: calls for the owner of a task, and questions about a replica
// itself. Each request carries a time limit for its answer. A replica never forwards a request that it received: if it does not
// own the task either, it answers with that.

/** The time limit of a request in milliseconds, and the signal of the caller that waits for the answer. */
export interface RequestTime {
  readonly within: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a call to the owner of its task. Rejects as `Peers.forward` does, and when no answer arrives in time. */
export async function askOwner(
  peers: Pick<Peers, 'forward'>,
  owner: string,
  { key, call, forwardedKey }: OwnersCall,
  { within, signal }: RequestTime,
): Promise<ForwardedReply> {
  const body = writeForwardedCall(call, within, forwardedKey);
  return readStored('The answer to a forwarded call', await send(peers, owner, { key, body }, { within, signal }));
}

/** Asks a replica about itself. Rejects also if it cannot answer. */
export async function askReplica<T>(
  peers: Pick<Peers, 'forward'>,
  replica: string,
  { question, request }: ReplicaQuestion,
  time: RequestTime,
): Promise<T> {
  const body = writeQuestion(question, request, time.within);
  return readQuestionReply<T>(await send(peers, replica, { key: question, body }, time));
}

function send(
  peers: Pick<Peers, 'forward'>,
  replica: string,
  request: ForwardedRequest,
  { within, signal }: RequestTime,
): Promise<string> {
  const late = AbortSignal.timeout(within);
  return peers.forward(replica, request, signal ? AbortSignal.any([signal, late]) : late);
}

/** A call about the task with the key. */
export interface OwnersCall {
  readonly key: string;
  readonly call: Call;
  /** The idempotency key that the asking replica stores with the message. */
  readonly forwardedKey?: CallKey | undefined;
}

export interface ReplicaQuestion {
  /** Name of the question: the name of an operation. */
  readonly question: string;
  readonly request: object;
}

/** Answers another replica's question about this one. Rejects with `methodNotFound` for unknown questions. */
export type AnswerReplica = (question: string, request: object) => Promise<unknown>;

/** Thrown when another replica forwarded a call to this one, and this one does not own the task either. */
export class NotOwnedHere extends Error {}

/**
 * Carries out forwarded calls with `invoke`, which does not forward them again, and answers questions about this replica. The
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

type PrincipalSet = 'agents' | 'scopes' | 'tenants';

/** Members of the context that are not forwarded: they belong to this process, or are written in another form. */
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
export interface ForwardOutcome {
  /** Position before the turn that the call began. */
  readonly after: number;
  readonly extensions: readonly string[];
  readonly losses: readonly string[];
}

/** The other replica's answer to a forwarded call. `elsewhere`: that replica does not own the task either. */
export type ForwardedReply =
  | { readonly done: ForwardOutcome }
  | { readonly elsewhere: true }
  | { readonly value: unknown }
  | { readonly error: SerializedError };

/** An error without its internal cause. */
type SerializedError = Pick<A2AError, 'kind' | 'message' | 'violations' | 'metadata' | 'retryAfter'> & {
  readonly details: A2AError['extraDetails'];
};
