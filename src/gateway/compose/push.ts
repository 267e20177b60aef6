import type { Config } from '../../config/types.ts';
import { canonicalDialect } from '../../core/model/call.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { UrlGuard } from '../../net/guard.ts';

export { openPushAdmin as openPushDesk, type PushDesk, type PushTrouble } from '../../stores/index.ts';

import { createHttpClient } from '../../net/http-client.ts';
import { createSender, type Deliverer, startDeliverer } from '../../push/index.ts';
import type { Traces } from '../tracing/traces.ts';

export interface PushDeps {
  /** Read for every attempt. */
  readonly settings: Config['push'];
  /** Read for every notification. */
  readonly limits: Pick<Config['limits'], 'webhooks'>;
  readonly store: Store;
  readonly dialects: Dialects;
  readonly guard: UrlGuard;
  /** Where what is told of is in a trace. */
  readonly traces: Pick<Traces, 'sending'>;
  readonly logger: Logger;
  readonly audit: Audit;
}

/** Begins to deliver push notifications: each in the form of the dialect that asked for it, to where the guard allows. */
export function startPush({ settings, limits, store, dialects, guard, traces, logger, audit }: PushDeps): Deliverer {
  const http = createHttpClient({ connectTimeout: Math.min(settings.timeout, 10_000), guard });
  const own = dialects.byName.get(canonicalDialect) ?? dialects.default;
  const dialect = (name: string): Dialect => {
    const known = dialects.byName.get(name);
    return known?.push ? known : own;
  };
  const send = createSender({
    http,
    guard,
    get timeout() {
      return settings.timeout;
    },
  });
  const deliverer = startDeliverer({
    store,
    dialect,
    send: traces.sending(send),
    logger,
    audit,
    get maxAge() {
      return settings.maxAge;
    },
    get perMinute() {
      return limits.webhooks.perMinute;
    },
  });
  return {
    stats: () => deliverer.stats(),
    async close(graceMs) {
      await deliverer.close(graceMs);
      http.close();
    },
  };
}
