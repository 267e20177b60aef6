import { canonicalEvent } from '../workload/canonical.ts';
import type { Violation } from '../workload/check-logs.ts';
import type { Ledger } from '../workload/ledger.ts';
import { type Logs, told } from '../workload/logs.ts';
import type { Fleet } from './fleet.ts';
import type { Delivered, Removed } from './observer.ts';

/**
 * Checks that only replicas which something has happened to are declared dead: an outage of the database affects all
 * equally.
 */
export function checkRemoved(removed: readonly Removed[], { hosts, struck, database }: Fleet): Violation[] {
  const living = [...hosts].filter(([pid, host]) => !struck.has(pid) && !database.harmed.has(host));
  const instances = new Set(living.map(([, host]) => database.instanceOf(host)));
  return removed
    .filter(({ instance }) => instances.has(instance))
    .map(({ instance }) => ({ what: `${instance} was taken for dead, and nothing had happened to it` }));
}

/** The position of a webhook is stored when its receiver has accepted everything up to it. */
export function checkDelivered(delivered: readonly Delivered[], { notified }: Ledger, logs: Logs): Violation[] {
  if (logs.dead > 0) return [];
  const byKey = new Map(logs.tasks.map((task) => [task.key, task]));
  return delivered.flatMap(({ at, key, url, cursor }) => {
    const task = byKey.get(key);
    const all = notified.get(url.slice(url.lastIndexOf('/') + 1));
    if (!task || !all) return [];
    const accepted = new Set(all.filter((one) => one.accepted && one.at <= at).map(({ body }) => canonicalEvent(body)));
    const expected = task.log.filter((entry) => entry.seq <= cursor && told(entry));
    const missing = expected.find(({ event }) => !accepted.has(canonicalEvent(event)));
    return missing
      ? [{ what: `its webhook counted as delivered up to ${cursor} before it had ${missing.seq}`, task }]
      : [];
  });
}
