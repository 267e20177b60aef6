import type { ErrorKind } from '../../core/model/errors.ts';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import type { CardFinding } from '../../gen/admin-v1/types.ts';
import type { OperationName } from '../../gen/services.ts';
import type { BindingName } from '../bindings.ts';
import type { FoundCard } from '../read-card.ts';

/** The response from one possible location of a card. */
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
  /** URL of the interface; for gRPC and Connect, an origin. */
  readonly url: string;
  readonly tenant?: string;
  /** Whether the agent's card lists it. */
  readonly listed: boolean;
}

/** A way that works. */
export interface FoundEndpoint extends EndpointReport {
  /** The request of the probe and the response to it. */
  readonly evidence: string;
  /** Other dialects that fit the same responses. Only sending a message could decide between them. */
  readonly unsure?: readonly DialectName[];
}

/** A way that does not work. */
export interface RejectedEndpoint extends EndpointReport {
  readonly why: string;
  /** `unauthenticated` and `permissionDenied`: it may work with credentials. */
  readonly kind: ErrorKind;
}

/**
 * Whether the agent supports an operation (`native`), the gateway replaces it (`lifted`), or it is unavailable
 * (`impossible`).
 */
export type OperationSupport = 'native' | 'lifted' | 'impossible';

/** The gateway's support for one operation. */
export interface OperationReport {
  readonly operation: OperationName;
  readonly how: OperationSupport;
  /** The methods that are called, or the reason why the operation is lifted or impossible. */
  readonly why: string;
  /** Paths of the request that the dialect cannot express and that the gateway handles itself. */
  readonly supplied: readonly string[];
  /** Paths of the request that the dialect cannot express, and that are lost. */
  readonly lost: readonly string[];
}

/** The result of a probe. */
export interface ProbeReport {
  readonly target: string;
  /** Every location at which a card was requested. */
  readonly cards: readonly CardReport[];
  /** The best card. */
  readonly card?: FoundCard;
  /** Findings about the best card, or about one that no dialect can read, the most severe first. */
  readonly findings: readonly CardFinding[];
  /** The ways that work. The first is the best one, which `auto` uses. */
  readonly found: readonly FoundEndpoint[];
  readonly rejected: readonly RejectedEndpoint[];
  /** The operations over the best way; empty if nothing was found. */
  readonly abilities: readonly OperationReport[];
  /** Notes for the user, such as credentials that were held back. */
  readonly notes: readonly string[];
}
