import type { Principal } from '../core/model/principal.ts';

/** What a credential turned out to be. */
export interface Verified {
  readonly principal: Principal;
  /** Until when this need not be found out again: milliseconds since the epoch. */
  readonly until: number;
  /** The one client certificate with which it counts: its SHA-256 in base64url (RFC 8705 section 3.1). */
  readonly boundTo?: string;
}
