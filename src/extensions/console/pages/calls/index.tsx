import '../../tasks/tasks.css';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CallList, type CallRow, callFiltersOf, noCallFilters } from '../../calls/call-list.ts';
import { useOpened } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { LiveTable } from '../../tasks/live-table.tsx';
import { LiveMark } from '../../tasks/marks.tsx';
import { duration } from '../../ui/format.ts';
import { Clock, type Column, Empty, Failed, Page, Text } from '../../ui/index.ts';
import { CallPage, Outcome } from './call.tsx';
import { CallFilterFields } from './filters.tsx';

/** `#/calls`: the latest calls. `#/calls/ID`: the call with this request id. */
export default function CallsPage(): JSX.Element {
  const [id] = route.value.path;
  return id === undefined ? <CallListPage /> : <CallPage key={id} requestId={id} />;
}

/** A value of a call that filters the list by it. */
const filter = (name: string, value = ''): JSX.Element | null =>
  value === '' ? null : (
    <a href={hrefOf('calls', [], { ...Object.fromEntries(route.value.query), [name]: value })}>
      <Text value={value} />
    </a>
  );

const columns: readonly Column<CallRow>[] = [
  { title: 'Time', cell: ({ time }) => <Clock at={time} />, width: '5.4rem' },
  { title: 'Status', cell: (call) => <Outcome call={call} />, width: '7rem' },
  { title: 'Agent', cell: ({ agent }) => filter('agent', agent), width: 'minmax(5rem, 1fr)' },
  { title: 'Operation', field: 'operation', width: 'minmax(8rem, 1fr)' },
  { title: 'Caller', cell: ({ principal }) => filter('principal', principal), width: 'minmax(6rem, 1fr)' },
  { title: 'Error', cell: ({ error }) => filter('error', error), width: 'minmax(8rem, 1fr)' },
  { title: 'Reason', field: 'reason', width: 'minmax(9rem, 3fr)' },
  { title: 'Lost', cell: ({ losses }) => <Failed calls={losses} />, width: '3rem', align: 'end' },
  {
    title: 'Duration',
    cell: ({ durationMs }) => (durationMs === undefined ? '–' : duration(Number(durationMs))),
    width: '5rem',
    align: 'end',
  },
];

/** The latest calls of all replicas, kept current. */
function CallListPage(): JSX.Element {
  const { query } = route.value;
  const address = query.toString();
  const filters = useMemo(() => callFiltersOf(query), [address]);
  const [list, again] = useOpened(() => new CallList(filters), address);
  const isFiltered = Object.values(filters).some((text) => text !== '');
  return (
    <Page
      title="Calls"
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
    >
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
