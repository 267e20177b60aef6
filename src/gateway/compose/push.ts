import { ownDialect } from '../../core/model/call.ts';
import { createHttpClient } from '../../net/http-client.ts';
import { type Deliverer, PushDeliverer } from '../../push/deliverer.ts';
import { createSender } from '../../push/sender.ts';
import type { Opened } from './open.ts';

/** Starts to deliver push notifications: each in the dialect that registered it, to URLs that the guard allows. */
export function startPush({ active, store, dialects, guard, traces, logger, audit, budget }: Opened): Deliverer {
  const limits = active.select('limits');
  const settings = active.select('push');
  const http = createHttpClient({ connectTimeout: Math.min(settings.timeout, 10_000), guard });
  const canonical = dialects.byName.get(ownDialect) ?? dialects.default;
  const deliverer = new PushDeliverer({
    store,
    dialect: (name) => {
      const known = dialects.byName.get(name);
      return known?.push ? known : canonical;
    },
    send: traces.sending(createSender(active.select('push', { http, guard }))),
    logger,
    audit,
    budget,
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
