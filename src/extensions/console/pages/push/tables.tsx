import type { JSX } from 'preact';
import type { DeliveryStatus } from '../../../../gen/admin-v1/types.ts';
import { hrefOf } from '../../shell/route.ts';
import { count } from '../../ui/format.ts';
import { type Column, Empty, now, Table, Text, Time } from '../../ui/index.ts';
import { keyOf, positions, type ReceiverSummary } from './deliveries.ts';

/** An attempt that is due is made now. */
const Countdown = ({ to = '' }: { readonly to: string | undefined }): JSX.Element => (
  <Time at={Math.max(Date.parse(to), now.value)} />
);

/** When the next attempt is due, counted down, or when the event was given up. */
export function Due({ delivery: { state, time } }: { readonly delivery: DeliveryStatus }): JSX.Element {
  if (state !== 'dead') return <Countdown to={time} />;
  return (
    <span>
      given up <Time at={time} />
    </span>
  );
}

const attempts = ({ attempts = 0 }: { readonly attempts?: number }): string => (attempts > 0 ? count(attempts) : '–');

const columns: readonly Column<DeliveryStatus>[] = [
  { title: 'Task', field: 'taskId', as: 'mono', width: 'minmax(6rem, 1.6fr)' },
  { title: 'State', field: 'state', as: 'state', width: '5.5rem' },
  { title: 'Receiver', field: 'receiver', width: 'minmax(9rem, 1.4fr)' },
  { title: 'Reason', field: 'reason', width: 'minmax(8rem, 2fr)' },
  { title: 'Next attempt', field: 'time', cell: (delivery) => <Due delivery={delivery} />, width: '8.5rem' },
  { title: 'Attempts', field: 'attempts', as: 'count', cell: attempts, width: '5.5rem' },
  { title: 'Events', cell: (delivery) => <span class="number">{positions(delivery)}</span>, width: '6rem' },
  { title: 'Agent', field: 'agent', width: 'minmax(5rem, .8fr)' },
];

interface DeliveriesTableProps {
  readonly rows: readonly DeliveryStatus[];
  readonly selected: string | undefined;
  /** Address of a row. */
  readonly href: (row: DeliveryStatus) => string;
  /** Whether rows are left out by filters. */
  readonly filtered: boolean;
}

/** What was not delivered: one row for each dead letter, and for each configuration that waits. */
export const DeliveriesTable = ({ rows, selected, href, filtered }: DeliveriesTableProps): JSX.Element => (
  <Table
    label="Undelivered events"
    columns={columns}
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

const receiverColumns: readonly Column<ReceiverSummary>[] = [
  {
    title: 'Receiver',
    field: 'receiver',
    cell: ({ receiver }) => <Text value={receiver || 'unknown'} max={120} />,
    width: 'minmax(10rem, 2fr)',
  },
  {
    title: 'Dead',
    field: 'dead',
    cell: ({ dead }) => (dead > 0 ? <span class="badge badge-error">{count(dead)}</span> : '–'),
    width: '5rem',
  },
  {
    title: 'Waiting',
    field: 'waiting',
    as: 'count',
    cell: ({ waiting }) => (waiting > 0 ? count(waiting) : '–'),
    width: '5rem',
  },
  { title: 'Events', field: 'events', as: 'count', width: '5rem' },
  { title: 'Attempts', field: 'attempts', as: 'count', cell: attempts, width: '6rem' },
  { title: 'Next attempt', field: 'next', cell: ({ next }) => <Countdown to={next} />, width: '8rem' },
  { title: 'Reason', field: 'reason', width: 'minmax(8rem, 2fr)' },
];

interface ReceiversTableProps {
  readonly rows: readonly ReceiverSummary[];
  /** A button that delivers what waits for a receiver. */
  readonly retry: (receiver: string) => JSX.Element;
}

/** What waits for each webhook's host. */
export const ReceiversTable = ({ rows, retry }: ReceiversTableProps): JSX.Element => (
  <Table
    label="Receivers"
    columns={[
      ...receiverColumns,
      { title: 'Again', cell: ({ receiver }) => receiver !== '' && retry(receiver), width: '11rem' },
    ]}
    rows={rows}
    rowKey={({ receiver }) => receiver}
    href={({ receiver }) => hrefOf('push', [], { receiver })}
    empty={<Empty title="No receiver has undelivered events" />}
  />
);
