import type { OperationName, RequestOf } from '../model/a2a.ts';
import type { Call, CallContext, CallKey } from '../model/call.ts';
import { A2AError, type ErrorKind, errorTable } from '../model/errors.ts';

/** A call as one gateway has another carry it out: JSON. Nothing that the caller showed of who it is is in it. */
interface Question {
  readonly operation: OperationName;
  readonly request: object;
  readonly context: ToldContext;
  /** Milliseconds that the answer may take. Clocks may differ: a deadline would not be the same there. */
  readonly within: number;
}

/** Sets as lists. */
type ToldContext = Omit<CallContext, 'signal' | 'deadline' | 'notes' | 'credentials' | 'principal'> & {
  readonly principal: Omit<CallContext['principal'], 'agents' | 'scopes'> & {
    readonly agents?: readonly string[];
    readonly scopes?: readonly string[];
  };
};

/** What has come of a call that another gateway carried out. What its value would be, the log says. */
export interface Outcome {
  /** Position before the turn that it began. */
  readonly after: number;
  readonly extensions: readonly string[];
  readonly losses: readonly string[];
}

/** What another gateway says. */
export type Answer =
  | { readonly done: Outcome }
  /** Neither does that gateway work on the task. */
  | { readonly elsewhere: true }
  | { readonly error: ToldError };

type ToldError = Pick<A2AError, 'kind' | 'message' | 'violations' | 'metadata' | 'retryAfter'> & {
  readonly details: A2AError['further'];
};

/**
 * @param within milliseconds that the answer may take
 * @param forwardedKey the idempotency key that the other gateway stores with what it does
 */
export function writeQuestion<K extends OperationName>(call: Call<K>, within: number, forwardedKey?: CallKey): string {
  const { operation, request, context } = call;
  const {
    signal: _,
    deadline: __,
    notes: ___,
    credentials: ____,
    idempotencyKey: _____,
    reservation: ______,
    ...plain
  } = context;
  const { agents, scopes, ...who } = context.principal;
  const principal = { ...who, ...(agents && { agents: [...agents] }), ...(scopes && { scopes: [...scopes] }) };
  const told = { ...plain, principal, ...(forwardedKey && { forwardedKey }) };
  return JSON.stringify({ operation, request, context: told, within } satisfies Question);
}

/** The call, as it is carried out here; its signal aborts when the answer would come too late. */
export function readQuestion(body: string): Call {
  const { operation, request, context, within } = JSON.parse(body) as Question;
  const { agents, scopes, ...who } = context.principal;
  const principal = { ...who, ...(agents && { agents: new Set(agents) }), ...(scopes && { scopes: new Set(scopes) }) };
  const notes = { extensions: new Set<string>(), losses: new Set<string>() };
  const signal = AbortSignal.timeout(Math.max(1, Math.round(within)));
  return { operation, request: request as RequestOf<OperationName>, context: { ...context, principal, signal, notes } };
}

export const writeAnswer = (answer: Answer): string => JSON.stringify(answer);

export const readAnswer = (text: string): Answer => JSON.parse(text) as Answer;

/** What went wrong, as far as callers may know it. */
export function tellError({ kind, message, violations, metadata, retryAfter, further }: A2AError): ToldError {
  return { kind, message, violations, metadata, retryAfter, details: further };
}

/** The error that another gateway told; of a kind that is not known here, of a later version, it is `internal`. */
export function toldError({ kind, message, retryAfter, ...rest }: ToldError): A2AError {
  const known: ErrorKind = Object.hasOwn(errorTable, kind) ? kind : 'internal';
  return new A2AError(known, message, { ...rest, ...(retryAfter !== undefined && { retryAfter }) });
}
