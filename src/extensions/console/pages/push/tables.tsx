import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { DeliveryStatus } from '../../../../gen/admin-v1/types.ts';
import { hrefOf } from '../../shell/route.ts';
import { count } from '../../ui/format.ts';
import { Badge, type Column, Empty, Table, Text, Time } from '../../ui/index.ts';
import { countdown, keyOf, positions, type ReceiverSummary } from './deliveries.ts';

type Now = Signal<number>;

/** When the next attempt is due, counted down, or when the event was given up. */
export function Due({ delivery, now }: { readonly delivery: DeliveryStatus; readonly now: Now }): JSX.Element {
  const { state, time } = delivery;
  if (state === 'dead')
    return (
      <span>
        given up <Time at={time} />
      </span>
    );
  return <span class="number">{countdown(time, now.value) || '–'}</span>;
}

const columnsAt = (now: Now): readonly Column<DeliveryStatus>[] => [
  {
    id: 'task',
    title: 'Task',
    cell: ({ taskId }) => <Text value={taskId} mono max={80} />,
    sort: ({ taskId }) => taskId,
    width: 'minmax(6rem, 1.6fr)',
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state }) => <Badge state={state} />,
    sort: ({ state }) => state,
    width: '5.5rem',
  },
  {
    id: 'time',
    title: 'Next attempt',
    cell: (delivery) => <Due delivery={delivery} now={now} />,
    sort: ({ time = '' }) => time,
    width: '8.5rem',
  },
  {
    id: 'attempts',
    title: 'Attempts',
    cell: ({ attempts = 0 }) => attempts || '–',
    sort: ({ attempts = 0 }) => attempts,
    width: '5.5rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'events',
    title: 'Events',
    cell: (delivery) => <span class="number">{positions(delivery)}</span>,
    width: '6rem',
    optional: true,
  },
  {
    id: 'receiver',
    title: 'Receiver',
    cell: ({ receiver = '' }) => <Text value={receiver} max={120} />,
    sort: ({ receiver = '' }) => receiver,
    width: 'minmax(9rem, 1.4fr)',
    optional: true,
  },
  {
    id: 'agent',
    title: 'Agent',
    cell: ({ agent = '' }) => <Text value={agent} max={80} />,
    sort: ({ agent = '' }) => agent,
    width: 'minmax(5rem, .8fr)',
    optional: true,
  },
  {
    id: 'reason',
    title: 'Reason',
    cell: ({ reason = '' }) => <Text value={reason} max={200} />,
    sort: ({ reason = '' }) => reason,
    width: 'minmax(8rem, 2fr)',
    optional: true,
  },
];

interface DeliveriesTableProps {
  readonly rows: readonly DeliveryStatus[];
  readonly selected: string | undefined;
  /** Address of a row. */
  readonly href: (row: DeliveryStatus) => string;
  /** Whether rows are left out by filters. */
  readonly filtered: boolean;
  /** Whether only the columns that tell rows apart are shown, since one row is shown in full beside the table. */
  readonly narrow: boolean;
  readonly now: Now;
}

const inFullAlone: ReadonlySet<string> = new Set(['receiver', 'agent', 'reason']);

/** What was not delivered: one row for each dead letter, and for each configuration that waits. */
export const DeliveriesTable = ({ rows, selected, href, filtered, narrow, now }: DeliveriesTableProps): JSX.Element => (
  <Table
    label="Undelivered events"
    columns={columnsAt(now).filter(({ id }) => !(narrow && inFullAlone.has(id)))}
    rows={rows}
    rowKey={keyOf}
    href={href}
    selected={selected}
    empty={
      <Empty title={filtered ? 'No undelivered event matches the filters' : 'There are no undelivered events'}>
        {!filtered && 'Webhooks have acknowledged all events, or first attempts are in progress.'}
      </Empty>
    }
  />
);

const receiverColumns = (now: Now): readonly Column<ReceiverSummary>[] => [
  {
    id: 'receiver',
    title: 'Receiver',
    cell: ({ receiver }) => <Text value={receiver || 'unknown'} max={120} />,
    sort: ({ receiver }) => receiver,
    width: 'minmax(10rem, 2fr)',
  },
  {
    id: 'dead',
    title: 'Dead',
    cell: ({ dead }) => (dead > 0 ? <span class="badge badge-error">{count(dead)}</span> : '–'),
    sort: ({ dead }) => dead,
    width: '5rem',
  },
  {
    id: 'waiting',
    title: 'Waiting',
    cell: ({ waiting }) => (waiting > 0 ? count(waiting) : '–'),
    sort: ({ waiting }) => waiting,
    width: '5rem',
    align: 'end',
  },
  {
    id: 'events',
    title: 'Events',
    cell: ({ events }) => count(events),
    sort: ({ events }) => events,
    width: '5rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'attempts',
    title: 'Attempts',
    cell: ({ attempts }) => attempts || '–',
    sort: ({ attempts }) => attempts,
    width: '6rem',
    align: 'end',
    optional: true,
  },
  {
    id: 'next',
    title: 'Next attempt',
    cell: ({ next }) => <span class="number">{countdown(next, now.value) || '–'}</span>,
    sort: ({ next = '' }) => next,
    width: '8rem',
    optional: true,
  },
  {
    id: 'reason',
    title: 'Reason',
    cell: ({ reason = '' }) => <Text value={reason} max={200} />,
    width: 'minmax(8rem, 2fr)',
    optional: true,
  },
];

/** What waits for each webhook's host. */
export const ReceiversTable = ({
  rows,
  now,
}: {
  readonly rows: readonly ReceiverSummary[];
  readonly now: Now;
}): JSX.Element => (
  <Table
    label="Receivers"
    columns={receiverColumns(now)}
    rows={rows}
    rowKey={({ receiver }) => receiver}
    href={({ receiver }) => hrefOf('push', [], { receiver })}
    empty={<Empty title="No receiver has undelivered events" />}
  />
);
