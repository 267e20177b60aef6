import type { Tally } from './chaos.ts';
import type { Clients } from './clients.ts';
import type { Cluster } from './cluster.ts';
import type { Ledger } from './ledger.ts';
import type { Logs } from './logs.ts';

/** What happened, in numbers. */
export function countsOf(
  { cluster, ledger, clients }: { cluster: Cluster; ledger: Ledger; clients: Clients },
  logs: Logs,
  tally: Tally,
): Record<string, string | number> {
  const { said, watched, notified, canceled } = ledger;
  const acknowledged = said.filter(({ taskId }) => taskId !== undefined);
  const seen = watched.flatMap((one) => one.seen);
  const got = [...notified.values()].flat();
  return {
    'gateways killed': tally.kill,
    'gateways told to stop': tally.stop,
    'gateways paused': tally.pause,
    'database restarts': tally.database,
    'starts that failed without the database': cluster.falls.length,
    'messages sent': said.length,
    'messages acknowledged': acknowledged.length,
    'messages that took more than one attempt': said.filter(({ attempts }) => attempts > 1).length,
    'attempts that failed': [...clients.retried].map(([kind, count]) => `${kind} ${count}`).join(', ') || 0,
    'messages refused, or given up': tallied(said.flatMap(({ refusal }) => refusal ?? [])),
    'cancellations acknowledged': canceled.length,
    tasks: logs.tasks.length,
    'tasks by state': tallied(logs.tasks.map(({ state }) => state.slice('TASK_STATE_'.length).toLowerCase())),
    'tasks failed with their gateway': logs.tasks.filter(fell).length,
    events: logs.tasks.reduce((sum, { log }) => sum + log.length, 0),
    subscribers: watched.length,
    'streams taken up again': watched.reduce((sum, { resumed }) => sum + resumed, 0),
    'events seen by subscribers': seen.length,
    'ms from event to subscriber (median, 99 %, most)': lagsOf(ledger, logs),
    webhooks: logs.hooks.length,
    notifications: got.length,
    'notifications not accepted': got.filter(({ accepted }) => !accepted).length,
    'notifications given up': logs.dead,
  };
}

const fell = ({ log }: Logs['tasks'][number]): boolean =>
  /gateway stopped/i.test(log.at(-1)?.event.statusUpdate?.status.message?.parts[0]?.text ?? '');

function tallied(words: readonly string[]): string | number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join('; ') || 0;
}

/** How long events took to those who were listening when they happened. */
function lagsOf({ watched }: Ledger, { byId }: Logs): string {
  const lags: number[] = [];
  for (const { taskId, seen } of watched) {
    const log = byId.get(taskId)?.log ?? [];
    for (const { seq, at, since } of seen) {
      const made = log[seq - 1]?.at ?? 0;
      if (made > since) lags.push(at - made);
    }
  }
  lags.sort((one, other) => one - other);
  const of = (share: number): number => lags[Math.floor((lags.length - 1) * share)] ?? 0;
  return `${of(0.5)}, ${of(0.99)}, ${of(1)}`;
}
