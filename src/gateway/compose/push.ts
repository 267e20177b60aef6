import { canonicalDialect } from '../../core/model/call.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { UrlGuard } from '../../net/guard.ts';

export { openPushAdmin, type PushAdmin, type UndeliveredPush } from '../../stores/index.ts';

import { createHttpClient } from '../../net/http-client.ts';
import { createSender, type Deliverer, startDeliverer } from '../../push/index.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import type { Traces } from '../tracing/traces.ts';

export interface PushDeps {
  readonly active: ActiveConfig;
  readonly store: Store;
  readonly dialects: Dialects;
  readonly guard: UrlGuard;
  readonly traces: Pick<Traces, 'sending'>;
  readonly logger: Logger;
  readonly audit: Audit;
}

/** Starts to deliver push notifications: each in the dialect that registered it, to URLs that the guard allows. */
export function startPush({ active, store, dialects, guard, traces, logger, audit }: PushDeps): Deliverer {
  const limits = active.select('limits');
  const settings = active.select('push');
  const http = createHttpClient({ connectTimeout: Math.min(settings.timeout, 10_000), guard });
  const own = dialects.byName.get(canonicalDialect) ?? dialects.default;
  const dialect = (name: string): Dialect => {
    const known = dialects.byName.get(name);
    return known?.push ? known : own;
  };
  const deliverer = startDeliverer({
    store,
    dialect,
    send: traces.sending(createSender(active.select('push', { http, guard }))),
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
