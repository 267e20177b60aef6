import type { OperationName, RequestOf } from '../model/a2a.ts';
import type { Call, CallContext, CallSemantics } from '../model/call.ts';
import { A2AError, errorTable } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';

/** A call as JSON, as one replica forwards it to another. It contains no credentials of the caller. */
interface ForwardedCall {
  readonly operation: OperationName;
  readonly request: RequestOf<OperationName>;
  readonly context: SerializedContext;
  /** Milliseconds that the answer may take. Not a deadline, since the clocks of replicas may differ. */
  readonly within: number;
}

/** Sets are lists here. The semantics keep the name that earlier versions read. */
type SerializedContext = Omit<
  CallContext,
  'signal' | 'deadline' | 'notes' | 'credentials' | 'principal' | 'semantics'
> & {
  readonly implied: CallSemantics;
  readonly principal: Omit<CallContext['principal'], 'agents' | 'scopes'> & {
    readonly agents?: readonly string[];
    readonly scopes?: readonly string[];
  };
};

/** What a forwarded call did. Its result is read from the log. */
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
  | { readonly error: SerializedError };

type SerializedError = Pick<A2AError, 'kind' | 'message' | 'violations' | 'metadata' | 'retryAfter'> & {
  readonly details: A2AError['extraDetails'];
};

/**
 * @param within milliseconds that the answer may take
 * @param forwardedKey the idempotency key that the other replica stores with the message
 */
export function writeForwardedCall<K extends OperationName>(
  { operation, request, context }: Call<K>,
  within: number,
  forwardedKey?: CallKey,
): string {
  const { signal, deadline, notes, credentials, idempotencyKey, reservation, semantics: implied, ...rest } = context;
  const { agents, scopes, ...identity } = context.principal;
  const principal = { ...identity, ...(agents && { agents: [...agents] }), ...(scopes && { scopes: [...scopes] }) };
  const serialized = { ...rest, implied, principal, ...(forwardedKey && { forwardedKey }) };
  return JSON.stringify({ operation, request, context: serialized, within } satisfies ForwardedCall);
}

/** The call, with a signal that aborts when the answer would be too late. */
export function readForwardedCall(body: string): Call {
  const { operation, request, context, within } = JSON.parse(body) as ForwardedCall;
  const { implied: semantics, ...rest } = context;
  const { agents, scopes, ...identity } = context.principal;
  const sets = { ...(agents && { agents: new Set(agents) }), ...(scopes && { scopes: new Set(scopes) }) };
  const notes = { extensions: new Set<string>(), losses: new Set<string>() };
  const signal = AbortSignal.timeout(Math.max(1, Math.round(within)));
  return { operation, request, context: { ...rest, semantics, principal: { ...identity, ...sets }, signal, notes } };
}

/** The error without its internal cause. */
export function serializeError(error: A2AError): SerializedError {
  const { kind, message, violations, metadata, retryAfter, extraDetails: details } = error;
  return { kind, message, violations, metadata, retryAfter, details };
}

/** An error of a kind that this version does not know becomes `internal`. */
export function deserializeError({ kind, message, retryAfter, ...rest }: SerializedError): A2AError {
  const known = Object.hasOwn(errorTable, kind) ? kind : 'internal';
  return new A2AError(known, message, { ...rest, ...(retryAfter !== undefined && { retryAfter }) });
}
