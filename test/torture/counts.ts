import type { Clients } from '../workload/clients.ts';
import type { Ledger } from '../workload/ledger.ts';
import { type Logs, markersOf, stopped } from '../workload/logs.ts';
import { readExecutions } from './agents/executions.ts';
import type { Tally } from './chaos.ts';
import type { Cluster } from './cluster.ts';
import type { Fate } from './database-link.ts';
import type { FaultName } from './faults.ts';

/** Names of the counts of each fault. */
const struck: Readonly<Record<FaultName, string>> = {
  kill: 'gateways killed',
  ambush: 'gateways killed after they had told the end of a task',
  stop: 'gateways told to stop',
  pause: 'gateways paused',
  cutoff: 'gateways cut off from the database',
  database: 'database restarts',
  freeze: 'times that the database stood still',
  commits: 'times that writes lost their answers',
  slow: 'times that the database was slow',
  upstream: 'times that the upstream agent was away',
  answers: 'times that messages to the upstream agent lost their answers',
};

const lostWrites: Readonly<Record<Exclude<Fate, 'passed'>, string>> = {
  reset: 'writes whose answer was lost by a reset',
  swallowed: 'writes whose answer never came',
  late: 'writes whose answer was late',
  unsent: 'writes that were lost on their way',
};

export interface Counted {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  readonly clients: Clients;
  /** Milliseconds by which each gateway's clock was off. */
  readonly clocks: readonly number[];
  readonly tally: Tally;
}

/** Events of a run, in numbers. */
export function countsOf(counted: Counted, logs: Logs): Record<string, string | number> {
  const { cluster, ledger, clients, clocks, tally } = counted;
  const { said, watched, notified, canceled } = ledger;
  const acknowledged = said.filter(({ taskId }) => taskId !== undefined);
  const seen = watched.flatMap((one) => one.seen);
  const got = [...notified.values()].flat();
  const executions = readExecutions(cluster.executions);
  const texts = new Map(said.map(({ marker, text }) => [marker, text]));
  const logged = new Set(logs.tasks.flatMap((task) => markersOf(task).map(([marker]) => marker)));
  const lost = executions.filter(({ marker }) => !logged.has(marker) && !texts.get(marker)?.startsWith('reply'));
  return {
    ...Object.fromEntries(Object.entries(struck).map(([what, name]) => [name, tally[what as FaultName] ?? 0])),
    ...Object.fromEntries(Object.entries(lostWrites).map(([fate, name]) => [name, fatesOf(cluster, fate as Fate)])),
    'messages cut off from the answer of the upstream agent': [...cluster.far.fates.values()].reduce(
      (sum, n) => sum + n,
      0,
    ),
    'clocks that were off, in seconds': clocks.some((ms) => ms !== 0) ? clocks.map((ms) => ms / 1_000).join(', ') : 0,
    'starts that failed without the database': cluster.falls.length,
    'messages sent': said.length,
    'messages acknowledged': acknowledged.length,
    'messages that took more than one attempt': said.filter(({ attempts }) => attempts > 1).length,
    'attempts that failed': [...clients.retried].map(([kind, count]) => `${kind} ${count}`).join(', ') || 0,
    'messages refused, or given up': tallied(said.flatMap(({ refusal }) => refusal ?? [])),
    'messages sent without a key': said.filter(({ keyed }) => !keyed).length,
    'keys used again': said.reduce((sum, { repeats }) => sum + repeats, 0),
    executions: executions.length,
    'executions of messages that are in no log': lost.length,
    'cancellations acknowledged': canceled.length,
    tasks: logs.tasks.length,
    'tasks by state': tallied(logs.tasks.map(({ state }) => state.slice('TASK_STATE_'.length).toLowerCase())),
    'tasks failed with their gateway, by agent': tallied(logs.tasks.filter(stopped).map(({ agent }) => agent)),
    events: logs.tasks.reduce((sum, { log }) => sum + log.length, 0),
    subscribers: watched.length,
    'streams taken up again': watched.reduce((sum, { resumed }) => sum + resumed, 0),
    'events seen by subscribers': seen.length,
    'ms from event to subscriber (median, 99 %, most)': clocks.some((ms) => ms !== 0) ? '?' : lagsOf(ledger, logs),
    webhooks: logs.hooks.length,
    notifications: got.length,
    'notifications not accepted': got.filter(({ accepted }) => !accepted).length,
    'notifications given up': logs.dead,
  };
}

const fatesOf = ({ links }: Cluster, fate: Fate): number =>
  links.reduce((sum, { fates }) => sum + (fates.get(fate) ?? 0), 0);

function tallied(words: readonly string[]): string | number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join('; ') || 0;
}

/** Milliseconds that events took to reach readers that were listening when they happened. */
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
