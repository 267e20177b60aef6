import type { JSX } from 'preact';
import { settings } from '../gateway/settings.ts';
import { shortId } from '../tasks/marks.tsx';
import { clock, count, duration } from '../ui/format.ts';
import { Badge, Text, Time } from '../ui/index.ts';
import { fault } from './connection.ts';
import { asOf, isCurrent, status } from './facts.ts';

/** Milliseconds without a heartbeat, sent every two seconds, after which a replica is late. */
const lateness = 4_000;

/** The gateway in one line, on every page: the answering replica, its state, and the age of the data. */
export function StatusLine(): JSX.Element {
  const now = isCurrent.value ? status.value : undefined;
  const state = fault.value?.kind ?? (now ? 'ready' : 'unknown');
  const version = now?.version || settings.value?.version;
  const others = now?.others ?? [];
  const alive = others.filter((other) => other.alive);
  const dead = others.length - alive.length;
  const draining = alive.filter((other) => other.draining).length;
  const lost = now?.lostReplicas ?? 0;
  const late = alive.filter(({ heartbeatLagMs = 0 }) => Number(heartbeatLagMs) > lateness).length;
  const different = alive.filter((other) => other.version && other.version !== version).length;
  const time = asOf.value || (now && Date.parse(now.time));
  return (
    <footer class="status">
      <Badge state={state} severity={fault.value ? 'warning' : now ? 'ok' : 'idle'} />
      {now?.replica && (
        <span>
          <a href="#/gateway?view=replicas">Replica</a> <Text value={shortId(now.replica)} mono />
          {others.length > 0 && ` and ${count(others.length)} more`}
          {dead > 0 && <span class="bad">, {dead} dead</span>}
          {draining > 0 && <span class="bad">, {draining} draining</span>}
          {lost > 0 && <span class="bad">, {count(lost)} vanished</span>}
          {late > 0 && <span class="bad">, {late} late</span>}
          {different > 0 && <span class="bad">, {different} of another version</span>}
        </span>
      )}
      {version && <span>v{version}</span>}
      {(now?.stops ?? 0) > 0 && (
        <a href="#/gateway?view=stops" class="bad">
          {now?.stops} stopped
        </a>
      )}
      {(now?.damagedRows?.length ?? 0) > 0 && (
        <a href="#/gateway?view=replicas" class="bad">
          {count(now?.damagedRows?.length ?? 0)} damaged {now?.damagedRows?.length === 1 ? 'row' : 'rows'}
        </a>
      )}
      {now?.draining && <span class="bad">draining</span>}
      {now?.store.state === 'ok' && <span>store OK</span>}
      {now?.store.state === 'away' && (
        <span class="bad">
          store away, <Time at={now.store.since} />
        </span>
      )}
      {now?.eventLoopLagP99Ms !== undefined && (
        <span title="The 99th percentile of the delays of its event loop in the last ten seconds">
          lag {duration(Number(now.eventLoopLagP99Ms))}
        </span>
      )}
      {time && <span class="status-time">as of {clock(time)}</span>}
    </footer>
  );
}
