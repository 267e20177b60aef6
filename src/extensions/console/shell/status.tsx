import type { JSX } from 'preact';
import { settings } from '../gateway/settings.ts';
import { shortId } from '../tasks/marks.tsx';
import { clock } from '../ui/format.ts';
import { Badge, Text, Time } from '../ui/index.ts';
import { fault } from './connection.ts';
import { asOf, facts } from './facts.ts';

/** The gateway in one line, on every page: which replica answers, whether it is ready, and of when is what is shown. */
export function StatusLine(): JSX.Element {
  const { ready, replicas } = facts.value;
  const own = replicas?.find(({ isThis }) => isThis);
  const dead = replicas?.filter(({ alive }) => !alive).length ?? 0;
  const state = fault.value?.kind ?? (ready ? 'ready' : 'unknown');
  const version = own?.version ?? settings.value?.version;
  return (
    <footer class="status">
      <Badge state={state} severity={fault.value ? 'warning' : ready ? 'ok' : 'idle'} />
      {own && (
        <span>
          <a href="#/gateway?view=replicas">Replica</a> <Text value={shortId(own.id)} mono />
          {dead > 0 && <span class="bad">, {dead} dead</span>}
        </span>
      )}
      {version && <span>v{version}</span>}
      {own && (
        <span>
          store written <Time at={own.heartbeatAt} />
        </span>
      )}
      {asOf.value > 0 && <span class="status-time">as of {clock(asOf.value)}</span>}
    </footer>
  );
}
