import '../../tasks/tasks.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CallList, callFiltersOf, noCallFilters } from '../../calls/call-list.ts';
import { RecordButton } from '../../calls/record-button.tsx';
import { messageOf } from '../../gateway/error.ts';
import { useOpened, useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { LiveTable } from '../../tasks/live-table.tsx';
import { LiveMark } from '../../tasks/marks.tsx';
import { Empty, Page } from '../../ui/index.ts';
import { CallPage, readRecordings } from './call.tsx';
import { columns } from './columns.tsx';
import { CallFilterFields } from './filters.tsx';
import { isOver, RecordingLine, RecordingPage } from './recording.tsx';

/** `#/calls`: the latest calls. `#/calls/ID`: the call with this request id. `?recording=ID`: a recording. */
export default function CallsPage(): JSX.Element {
  const [id] = route.value.path;
  const recording = route.value.query.get('recording');
  if (recording) return <RecordingPage key={recording} id={recording} />;
  return id === undefined ? <CallListPage /> : <CallPage key={id} requestId={id} />;
}

/** Milliseconds between reads of how many calls are recorded, while some are. Each read is a line of the audit log. */
const pace = 5_000;

/** The latest calls of all replicas, kept current. */
function CallListPage(): JSX.Element {
  const { query } = route.value;
  const address = query.toString();
  const filters = useMemo(() => callFiltersOf(query), [address]);
  const [list, again] = useOpened(() => new CallList(filters), address);
  const active = useSignal(false);
  const recorded = useRead(
    async (signal) => {
      const { recordings = [] } = await readRecordings(signal);
      active.value = recordings.some((one) => !isOver(one));
      return recordings;
    },
    active.value ? { every: pace } : {},
  );
  const recordings = recorded.value ?? [];
  const isFiltered = Object.values(filters).some((text) => text !== '');
  return (
    <Page
      title="Calls"
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
      actions={
        recorded.error === undefined ? (
          <RecordButton
            key={address}
            of={{ agent: filters.agent, principal: filters.principal, taskKey: filters.task }}
          />
        ) : (
          <p class="muted">{messageOf(recorded.error)}</p>
        )
      }
    >
      {recordings.length > 0 && (
        <details open={active.value}>
          <summary>Recordings ({recordings.length})</summary>
          {recordings.map((recording) => (
            <RecordingLine key={recording.id} recording={recording} onStopped={recorded.reload} />
          ))}
        </details>
      )}
      <CallFilterFields filters={filters} isFiltered={isFiltered} />
      <LiveTable
        list={list}
        what="call"
        columns={columns}
        href={({ requestId, id }) => hrefOf('calls', [requestId ?? id], query)}
        noFilters={isFiltered ? noCallFilters : undefined}
        empty={
          <Empty title="No calls yet">
            The gateway remembers the latest calls since it started. Those that only read the console are not listed.
          </Empty>
        }
      />
    </Page>
  );
}
