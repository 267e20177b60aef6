import type { JSX } from 'preact';
import type { Read } from '../../gateway/poll.ts';
import type { ListLossesResponse, LossCount } from '../../gateway/types.ts';
import { count } from '../../ui/format.ts';
import { type Column, Empty, Table, Text, Time } from '../../ui/index.ts';
import { View } from './view.tsx';

const columns: readonly Column<LossCount>[] = [
  {
    id: 'path',
    title: 'Field',
    cell: ({ path }) => <Text value={path} mono />,
    sort: ({ path }) => path,
    width: 'minmax(10rem, 2fr)',
  },
  {
    id: 'dialect',
    title: "Caller's dialect",
    cell: ({ dialect }) => <Text value={dialect} />,
    sort: ({ dialect }) => dialect,
    width: '9rem',
  },
  {
    id: 'count',
    title: 'Dropped',
    cell: (loss) => count(loss.count ?? 0),
    sort: (loss) => loss.count ?? 0,
    width: '5rem',
    align: 'end',
  },
  {
    id: 'last',
    title: 'Last',
    cell: ({ lastAt }) => <Time at={lastAt} />,
    sort: ({ lastAt = '' }) => lastAt,
    width: '7rem',
    optional: true,
  },
  {
    id: 'agent',
    title: 'Agent',
    cell: ({ lastAgent = '' }) => <Text value={lastAgent} />,
    width: '10rem',
    optional: true,
  },
];

/** What conversions between dialects dropped. */
export const Losses = ({ read }: { readonly read: Read<ListLossesResponse> }): JSX.Element => (
  <View read={read}>
    {({ losses = [] }) => (
      <>
        <p class="muted">
          Fields of A2A 1.0 that a caller's dialect cannot express, dropped by this replica since it started.
        </p>
        <Table
          label="Losses"
          columns={columns}
          rows={losses}
          rowKey={({ dialect, path }) => `${dialect} ${path}`}
          empty={
            <Empty title="Nothing was dropped">
              Every field of every answer so far could be said in the caller's dialect.
            </Empty>
          }
        />
      </>
    )}
  </View>
);
