import type { JSX } from 'preact';
import type { Read } from '../../gateway/poll.ts';
import type { CallerStatus, ListCallersResponse } from '../../gateway/types.ts';
import { count } from '../../ui/format.ts';
import { type Column, Table, Text, Time } from '../../ui/index.ts';
import { View } from './view.tsx';

const columns: readonly Column<CallerStatus>[] = [
  {
    id: 'principal',
    title: 'Caller',
    cell: ({ principal }) => <Text value={principal} mono />,
    sort: ({ principal }) => principal,
    width: 'minmax(9rem, 2fr)',
  },
  {
    id: 'calls',
    title: 'Calls',
    cell: ({ calls = 0 }) => count(calls),
    sort: ({ calls = 0 }) => calls,
    width: '5rem',
    align: 'end',
  },
  {
    id: 'failed',
    title: 'Failed',
    cell: ({ failedCalls = 0 }) => <span class={failedCalls > 0 ? 'bad' : 'muted'}>{count(failedCalls)}</span>,
    sort: ({ failedCalls = 0 }) => failedCalls,
    width: '5rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'last',
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : <span class="muted">not seen</span>),
    sort: ({ lastUsedAt = '' }) => lastUsedAt,
    width: '7rem',
  },
  {
    id: 'did',
    title: 'Last call',
    cell: ({ lastOperation = '', lastAgent }) => (
      <Text value={lastAgent ? `${lastOperation}, ${lastAgent}` : lastOperation} />
    ),
    width: 'minmax(8rem, 2fr)',
    optional: true,
  },
  {
    id: 'speaks',
    title: 'Speaks',
    cell: ({ lastDialect, lastBinding }) => <Text value={[lastDialect, lastBinding].filter(Boolean).join(', ')} />,
    width: 'minmax(7rem, 1fr)',
    optional: true,
  },
  {
    id: 'scopes',
    title: 'Scopes',
    cell: ({ scopes = [], configured }) =>
      scopes.length > 0 ? (
        <Text value={scopes.join(' ')} />
      ) : (
        <span class="muted">{configured ? 'all but admin' : ''}</span>
      ),
    width: 'minmax(7rem, 1fr)',
    optional: true,
  },
];

/** The callers that this replica knows. */
export const Callers = ({ read }: { readonly read: Read<ListCallersResponse> }): JSX.Element => (
  <View read={read}>
    {({ callers = [], since }) => (
      <>
        <p class="muted">
          Callers of the configuration, and those that called this replica. It began to count <Time at={since} />.
        </p>
        <Table
          label="Callers"
          columns={columns}
          rows={callers}
          rowKey={({ principal }) => principal}
          empty="No caller yet"
        />
      </>
    )}
  </View>
);
