import type { Authenticate } from '../../core/limits/admission.ts';
import { limited, RequestLimiter } from '../../core/limits/request-limit.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Store } from '../../core/ports/store.ts';
import type { ConfigSnapshot } from '../reload/active-config.ts';

export interface LimitingOptions {
  readonly store: Pick<Store, 'peers'>;
  readonly audit: Audit;
}

/**
 * Says how callers are admitted in each generation: as it authenticates them, as often as it allows. What they have used
 * up stays counted as long as the limit is the same. Anonymous callers share a principal, and are told apart by their
 * networks, also while nothing is bounded: what they have open counts when something is.
 */
export function createAdmission({ store, audit }: LimitingOptions): (generation: ConfigSnapshot) => Authenticate {
  let limiter: { readonly perMinute: number | undefined; readonly requests: RequestLimiter } | undefined;
  return ({ config: { limits }, access: { authenticate } }) => {
    const { requestsPerMinute: perMinute } = limits;
    if (limiter?.perMinute !== perMinute) limiter = undefined;
    limiter ??= { perMinute, requests: new RequestLimiter({ perMinute, audit, peers: store.peers }) };
    return limited(authenticate, limiter.requests);
  };
}
