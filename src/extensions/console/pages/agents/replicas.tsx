import type { JSX } from 'preact';
import type { ListReplicasResponse, ReplicaStatus } from '../../../../gen/admin-v1/types.ts';
import type { Read } from '../../gateway/poll.ts';
import { count } from '../../ui/format.ts';
import { Badge, type Column, Table, Text, Time } from '../../ui/index.ts';
import { View } from './view.tsx';

const columns: readonly Column<ReplicaStatus>[] = [
  {
    id: 'id',
    title: 'Replica',
    cell: ({ id, isThis }) => (
      <>
        <Text value={id} mono />
        {isThis && <span class="tag">this one</span>}
      </>
    ),
    sort: ({ id }) => id,
    width: 'minmax(10rem, 2fr)',
  },
  { id: 'alive', title: 'State', cell: ({ alive }) => <Badge state={alive ? 'alive' : 'dead'} />, width: '6rem' },
  {
    id: 'host',
    title: 'Host',
    cell: ({ host = '' }) => <Text value={host} />,
    sort: ({ host = '' }) => host,
    optional: true,
  },
  { id: 'pid', title: 'Process', cell: ({ pid = '' }) => pid, width: '5rem', align: 'end', optional: true },
  {
    id: 'tasks',
    title: 'Tasks',
    cell: ({ tasks = 0 }) => count(tasks),
    sort: ({ tasks = 0 }) => tasks,
    width: '4rem',
    align: 'end',
  },
  { id: 'started', title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, width: '7rem', optional: true },
  {
    id: 'seen',
    title: 'Heartbeat',
    cell: ({ heartbeatAt }) => <Time at={heartbeatAt} />,
    width: '6rem',
    optional: true,
  },
  { id: 'version', title: 'Version', cell: ({ version = '' }) => version, width: '6rem', optional: true },
];

/** The replicas on the gateway's store. */
export const Replicas = ({ read }: { readonly read: Read<ListReplicasResponse> }): JSX.Element => (
  <View read={read}>
    {({ replicas = [] }) => (
      <Table
        label="Replicas"
        columns={columns}
        rows={replicas}
        rowKey={({ id }) => id}
        empty="No replica wrote to the store"
      />
    )}
  </View>
);
