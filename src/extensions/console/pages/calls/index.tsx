import '../../tasks/tasks.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { callList } from '../../calls/call-list.ts';
import { RecordButton } from '../../calls/record-button.tsx';
import { isOver, readRecordings, recordingInterval } from '../../calls/recordings.ts';
import { messageOf } from '../../gateway/error.ts';
import { useOpened, useRead } from '../../gateway/hooks.ts';
import { Complete } from '../../metrics/complete.tsx';
import { hrefOf, route } from '../../shell/router.ts';
import { FilterForm, type Toggle } from '../../tasks/filter-fields.tsx';
import { callFilters, filtersOf } from '../../tasks/filters.ts';
import { LiveTable } from '../../tasks/live-table.tsx';
import { LiveMark } from '../../tasks/marks.tsx';
import { Empty, Page } from '../../ui/index.ts';
import { CallPage, columns } from './call.tsx';
import { LastFailedPage } from './last-failed.tsx';
import { RecordingLine, RecordingPage } from './recording.tsx';

/** `#/calls`: the latest calls. `#/calls/ID`: the call with this request id. `?recording=ID`: a recording. `?last=AGENT`: failed calls. */
export default function CallsPage(): JSX.Element {
  const [id] = route.value.path;
  const { query } = route.value;
  const recording = query.get('recording');
  const last = query.get('last');
  if (recording) return <RecordingPage key={recording} id={recording} />;
  if (last) return <LastFailedPage key={last} agent={last} />;
  return id === undefined ? <CallListPage /> : <CallPage key={id} requestId={id} />;
}

const toggles: readonly Toggle[] = [
  ['outcome', 'failed', 'Failed'],
  ['outcome', 'refused', 'Refused'],
  ['outcome', 'slow', 'Slow'],
  ['after', '15m', 'Last 15 minutes'],
  ['after', '1h', 'Last hour'],
];

/** The latest calls of all replicas, kept current. */
function CallListPage(): JSX.Element {
  const { query } = route.value;
  const address = query.toString();
  const filters = useMemo(() => filtersOf(callFilters, query), [address]);
  const [list, read] = useOpened(() => callList(filters), address);
  const isRecording = useSignal(false);
  const recorded = useRead(async (signal) => (await readRecordings(signal)).recordings ?? [], {
    ...(isRecording.value && { every: recordingInterval }),
  });
  const recordings = recorded.value ?? [];
  isRecording.value = recordings.some((recording) => !isOver(recording));
  const { agent = '', principal = '', task = '' } = filters;
  return (
    <Page
      title="Calls"
      beside={<LiveMark stream={list.stream} />}
      of={read}
      actions={
        recorded.error === undefined ? (
          <RecordButton key={address} of={{ agent, principal, taskKey: task }} />
        ) : (
          <p class="muted">{messageOf(recorded.error)}</p>
        )
      }
    >
      {recordings.length > 0 && (
        <details open={isRecording.value}>
          <summary>Recordings ({recordings.length})</summary>
          {recordings.map((recording) => (
            <RecordingLine key={recording.id} recording={recording} onStopped={recorded.reload} />
          ))}
        </details>
      )}
      <FilterForm of="calls" table={callFilters} toggles={toggles} />
      <p class="muted">
        <Complete of={list.facts.value} from={filters.after} />
      </p>
      <LiveTable
        list={list}
        what="call"
        columns={columns}
        href={({ requestId, id }) => hrefOf('calls', [requestId ?? id], query)}
        filters={callFilters}
        empty={
          <Empty title="No calls yet">
            Failed and slow calls are kept, and others while replicas have room. Calls that only read the console are
            not listed.
          </Empty>
        }
      />
    </Page>
  );
}
