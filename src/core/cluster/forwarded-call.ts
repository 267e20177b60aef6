import type { OperationName, RequestOf } from '../model/a2a.ts';
import type { Call, CallContext, CallSemantics } from '../model/call.ts';
import { A2AError, type ErrorKind, errorTable } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';

/** A call as one gateway has another carry it out: JSON. Nothing that the caller showed of who it is is in it. */
interface ForwardedCall {
  readonly operation: OperationName;
  readonly request: object;
  readonly context: SerializedContext;
  /** Milliseconds that the answer may take. Clocks may differ: a deadline would not be the same there. */
  readonly within: number;
}

/** Sets as lists. */
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

/** What has come of a call that another gateway carried out. What its value would be, the log says. */
export interface ForwardOutcome {
  /** Position before the turn that it began. */
  readonly after: number;
  readonly extensions: readonly string[];
  readonly losses: readonly string[];
}

/** What another gateway says. */
export type ForwardedReply =
  | { readonly done: ForwardOutcome }
  /** Neither does that gateway work on the task. */
  | { readonly elsewhere: true }
  | { readonly error: SerializedError };

type SerializedError = Pick<A2AError, 'kind' | 'message' | 'violations' | 'metadata' | 'retryAfter'> & {
  readonly details: A2AError['extraDetails'];
};

/**
 * @param within milliseconds that the answer may take
 * @param forwardedKey the idempotency key that the other gateway stores with what it does
 */
export function writeForwardedCall<K extends OperationName>(
  call: Call<K>,
  within: number,
  forwardedKey?: CallKey,
): string {
  const { operation, request, context } = call;
  const {
    signal: _,
    deadline: __,
    notes: ___,
    credentials: ____,
    idempotencyKey: _____,
    reservation: ______,
    semantics: implied,
    ...plain
  } = context;
  const { agents, scopes, ...who } = context.principal;
  const principal = { ...who, ...(agents && { agents: [...agents] }), ...(scopes && { scopes: [...scopes] }) };
  const told = { ...plain, implied, principal, ...(forwardedKey && { forwardedKey }) };
  return JSON.stringify({ operation, request, context: told, within } satisfies ForwardedCall);
}

/** The call, as it is carried out here; its signal aborts when the answer would come too late. */
export function readForwardedCall(body: string): Call {
  const { operation, request, context, within } = JSON.parse(body) as ForwardedCall;
  const { implied: semantics, ...rest } = context;
  const { agents, scopes, ...who } = context.principal;
  const principal = { ...who, ...(agents && { agents: new Set(agents) }), ...(scopes && { scopes: new Set(scopes) }) };
  const notes = { extensions: new Set<string>(), losses: new Set<string>() };
  const signal = AbortSignal.timeout(Math.max(1, Math.round(within)));
  return {
    operation,
    request: request as RequestOf<OperationName>,
    context: { ...rest, semantics, principal, signal, notes },
  };
}

export const writeForwardedReply = (answer: ForwardedReply): string => JSON.stringify(answer);

export const readForwardedReply = (text: string): ForwardedReply => JSON.parse(text) as ForwardedReply;

/** What went wrong, as far as callers may know it. */
export function serializeError({
  kind,
  message,
  violations,
  metadata,
  retryAfter,
  extraDetails: further,
}: A2AError): SerializedError {
  return { kind, message, violations, metadata, retryAfter, details: further };
}

/** The error that another gateway told; of a kind that is not known here, of a later version, it is `internal`. */
export function deserializeError({ kind, message, retryAfter, ...rest }: SerializedError): A2AError {
  const known: ErrorKind = Object.hasOwn(errorTable, kind) ? kind : 'internal';
  return new A2AError(known, message, { ...rest, ...(retryAfter !== undefined && { retryAfter }) });
}
