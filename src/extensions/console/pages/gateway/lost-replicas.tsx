import type { JSX } from 'preact';
import { admin, type LostReplica } from '../../gateway/admin.ts';
import { useAction } from '../../gateway/hooks.ts';
import { may } from '../../shell/session.ts';
import { clock, count } from '../../ui/format.ts';
import { Button, type Column, Failure, Notice, Table, Text } from '../../ui/index.ts';

/** An exact time, which the search for the cause needs. */
const exact = (at: string | undefined): string => (at === undefined ? '–' : clock(Date.parse(at), 'exact'));

const columns = (seen: (ids: string[]) => void): readonly Column<LostReplica>[] => [
  { title: 'Replica', field: 'id', as: 'mono', width: 'minmax(9rem, 2fr)' },
  { title: 'Last alive', cell: ({ aliveAt }) => exact(aliveAt), sort: ({ aliveAt = '' }) => aliveAt, width: '13rem' },
  { title: 'Host', field: 'host' },
  { title: 'Process', field: 'pid', width: '5rem', align: 'end' },
  {
    title: 'Started',
    cell: ({ startedAt }) => exact(startedAt),
    sort: ({ startedAt = '' }) => startedAt,
    width: '13rem',
  },
  { title: 'Version', field: 'version', width: '6rem' },
  { title: 'While', cell: ({ draining }) => <Text value={draining ? 'draining' : 'serving'} />, width: '6rem' },
  ...(may('AcknowledgeReplicas')
    ? [
        {
          title: 'Seen',
          cell: ({ id }: LostReplica) => <Button onClick={() => seen([id])}>Seen</Button>,
          width: '6rem',
        },
      ]
    : []),
];

/** Replicas that have vanished without stopping, until an operator has seen them. */
export function LostReplicas(props: {
  readonly lost: readonly LostReplica[];
  readonly onSeen: () => void;
}): JSX.Element | null {
  const { lost, onSeen } = props;
  const { run, busy, error } = useAction(async (signal, ids: string[]) => {
    await admin.call('AcknowledgeReplicas', { ids }, { signal });
    onSeen();
  });
  if (lost.length === 0) return null;
  return (
    <section class="stack" aria-label="Vanished replicas">
      <Notice
        severity="warning"
        action={
          lost.length > 1 && may('AcknowledgeReplicas') ? (
            <Button busy={busy} onClick={() => run(lost.map(({ id }) => id))}>
              All seen
            </Button>
          ) : undefined
        }
      >
        {lost.length === 1 ? 'A replica has' : `${count(lost.length)} replicas have`} vanished without stopping.
        Replicas that serve take over the tasks. <strong>Seen</strong> removes a replica from this list, for all
        operators.
      </Notice>
      <Failure error={error} />
      <Table label="Vanished replicas" columns={columns(run)} rows={lost} rowKey={({ id }) => id} maxHeight="40vh" />
    </section>
  );
}
