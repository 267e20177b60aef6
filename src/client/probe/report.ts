import type { ErrorKind } from '../../core/model/errors.ts';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import type { CardFinding } from '../../gen/admin-v1/types.ts';
import type { OperationName } from '../../gen/services.ts';
import type { BindingName } from '../bindings.ts';
import type { FoundCard } from '../read-card.ts';

/** The answer of one location of a card. */
export interface CardReport {
  readonly url: string;
  readonly says: string;
  /** The card's dialect, if there is a card. */
  readonly dialect?: DialectName;
}

/** One way to call an agent. */
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
  /** The question and the answer. */
  readonly evidence: string;
  /** Other dialects that could have given the same answers: only a message could tell which one it is. */
  readonly unsure?: readonly DialectName[];
}

/** A way that does not work. */
export interface RejectedEndpoint extends EndpointReport {
  readonly why: string;
  /** `unauthenticated` and `permissionDenied`: it may work with credentials. */
  readonly kind: ErrorKind;
}

/** Done by the agent, done by the gateway instead, or not available. */
export type OperationSupport = 'native' | 'lifted' | 'impossible';

/** The gateway's support for one operation. */
export interface OperationReport {
  readonly operation: OperationName;
  readonly how: OperationSupport;
  /** The methods that are called, or the reason. */
  readonly why: string;
  /** Paths of the request that the dialect cannot express and that the gateway handles itself. */
  readonly supplied: readonly string[];
  /** Paths of the request that the dialect cannot express, and that are lost. */
  readonly lost: readonly string[];
}

/** The result of a probe. */
export interface ProbeReport {
  readonly target: string;
  /** Every location that was asked for a card. */
  readonly cards: readonly CardReport[];
  /** The best card. */
  readonly card?: FoundCard;
  /** Faults and doubts of the best card, or of one that no dialect can read; the worst first. */
  readonly findings: readonly CardFinding[];
  /** The best way first: it is the one that `auto` uses. */
  readonly found: readonly FoundEndpoint[];
  readonly rejected: readonly RejectedEndpoint[];
  /** The operations over the best way; empty if nothing was found. */
  readonly abilities: readonly OperationReport[];
  /** Other facts for the reader, such as credentials that were held back. */
  readonly notes: readonly string[];
}
