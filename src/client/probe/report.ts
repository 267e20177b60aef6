import type { ErrorKind } from '../../core/model/errors.ts';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import type { OperationName } from '../../gen/services.ts';
import type { BindingName } from '../bindings.ts';
import type { FoundCard } from '../read-card.ts';

/** What one of the places at which cards are found answered. */
export interface CardReport {
  readonly url: string;
  /** In a few words. */
  readonly says: string;
  /** The generation of the card that is there. */
  readonly dialect?: DialectName;
}

/** One way in which an agent could be called. */
export interface EndpointReport {
  readonly binding: BindingName;
  readonly dialect: DialectName;
  /** For gRPC and Connect an origin. */
  readonly url: string;
  readonly tenant?: string;
  /** Whether the agent's card lists it. */
  readonly listed: boolean;
}

/** A way that works. */
export interface FoundEndpoint extends EndpointReport {
  /** What was asked, and what the answer was. */
  readonly evidence: string;
  /** Dialects that could have given the same answers: which of them it is cannot be told without sending a message. */
  readonly unsure?: readonly DialectName[];
}

/** A way that does not work. */
export interface RejectedEndpoint extends EndpointReport {
  readonly why: string;
  /** Kind of the error; `unauthenticated` and `permissionDenied` say that it could not be found out. */
  readonly kind: ErrorKind;
}

/** How an operation of A2A 1.0 comes about: the agent does it, the gateway supplies it, or nobody can. */
export type OperationSupport = 'native' | 'lifted' | 'impossible';

/** What becomes of one operation. */
export interface OperationReport {
  readonly operation: OperationName;
  readonly how: OperationSupport;
  /** By which methods, or why not. */
  readonly why: string;
  /** Paths of the request that the dialect has no place for and that the gateway takes care of itself. */
  readonly supplied: readonly string[];
  /** Paths of the request that the dialect has no place for, and that get lost. */
  readonly lost: readonly string[];
}

/** What was found out about an agent. */
export interface ProbeReport {
  readonly target: string;
  /** Every place that was asked for a card. */
  readonly cards: readonly CardReport[];
  /** The best of them. */
  readonly card?: FoundCard;
  /** The best first: it is what `auto` uses. */
  readonly found: readonly FoundEndpoint[];
  readonly rejected: readonly RejectedEndpoint[];
  /** What becomes of every operation over the best way; empty where nothing was found. */
  readonly abilities: readonly OperationReport[];
  /** What else its reader should know, such as credentials that were held back. */
  readonly notes: readonly string[];
}
