import '../../tasks/tasks.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type DeliveryStatus } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { FilterForm, type Toggle } from '../../tasks/filter-fields.tsx';
import { type FilterTable, filtersOf } from '../../tasks/filters.ts';
import { Id, Line } from '../../tasks/marks.tsx';
import { count } from '../../ui/format.ts';
import { ActionButton, Button, type Column, Empty, Notice, now, Page, Table, Text, Time } from '../../ui/index.ts';
import { keyOf, ofReceiver, positions, type ReceiverSummary, receiversOf } from './deliveries.ts';

/** Milliseconds between two reads. */
const interval = 5_000;

/** Largest number of deliveries that the page reads; it shows a notice if there are more. */
const mostDeliveries = 5_000;
const pageSize = 1_000;

/** Reads undelivered events of one task or of all, up to a bound, and whether there are more. */
async function readDeliveries(taskId: string, signal: AbortSignal) {
  const list: DeliveryStatus[] = [];
  for (let pageToken = ''; ; ) {
    const page = await admin.call('ListDeliveries', { pageSize, taskId, pageToken }, { signal });
    list.push(...(page.deliveries ?? []));
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '' || list.length >= mostDeliveries) return { list, more: pageToken !== '' };
  }
}

export default function PushPage(): JSX.Element {
  const { query } = route.value;
  const taskId = query.get('task') ?? '';
  const read = useRead((signal) => readDeliveries(taskId, signal), {
    every: interval,
    key: taskId,
  });
  const { value, reload } = read;
  const notice = useSignal('');
  const done = (text: string): void => {
    notice.value = text;
    reload();
  };
  const list = value?.list ?? [];
  const receiver = query.get('receiver') ?? '';
  const isPart = receiver !== '' && !list.some((one) => one.receiver === receiver);
  return (
    <Page
      title="Push"
      of={read}
      actions={<Retry of={{ taskId, receiver }} disabled={list.length === 0 || isPart} onDone={done} />}
    >
      <div aria-live="polite">
        {notice.value && (
          <Notice severity="ok" action={<Button onClick={() => (notice.value = '')}>Close</Button>}>
            {notice.value}
          </Notice>
        )}
      </div>
      {value?.more && (
        <Notice severity="warning">
          There are more than {count(mostDeliveries)} undelivered events, and only the first ones are shown. Enter a
          task id to see those of one task.
        </Notice>
      )}
      {list.length > 0 && <Receivers list={list} selected={receiver} onDone={done} />}
      <Undelivered list={value && list} />
    </Page>
  );
}

/** Time of the next attempt: an overdue one is made now. */
const Due = ({ at = '' }: { readonly at: string | undefined }): JSX.Element => (
  <Time at={Math.max(Date.parse(at), now.value)} />
);

/** Countdown to the next attempt, or the time when the event was given up. */
const NextAttempt = ({ state, time }: DeliveryStatus): JSX.Element =>
  state === 'dead' ? (
    <span>
      given up <Time at={time} />
    </span>
  ) : (
    <Due at={time} />
  );

const some = (number = 0): string => (number > 0 ? count(number) : '–');

const columns: readonly Column<DeliveryStatus>[] = [
  { title: 'Task', field: 'taskId', cell: ({ taskId }) => <Id value={taskId} />, width: '8rem' },
  { title: 'State', field: 'state', as: 'state', width: '5.5rem' },
  { title: 'Receiver', field: 'receiver', width: 'minmax(9rem, 1.4fr)' },
  { title: 'Reason', field: 'reason', cell: ({ reason }) => <Line value={reason} />, width: 'minmax(8rem, 2fr)' },
  { title: 'Next attempt', field: 'time', cell: NextAttempt, width: '10rem' },
  { title: 'Attempts', field: 'attempts', as: 'count', cell: ({ attempts }) => some(attempts), width: '5.5rem' },
  { title: 'Events', cell: (delivery) => <span class="number">{positions(delivery)}</span>, width: '6rem' },
  { title: 'Agent', field: 'agent', width: 'minmax(5rem, .8fr)' },
];

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
    as: 'count',
    cell: ({ dead }) => (dead > 0 ? <span class="badge badge-error">{count(dead)}</span> : '–'),
    width: '5rem',
  },
  { title: 'Waiting', field: 'waiting', as: 'count', cell: ({ waiting }) => some(waiting), width: '5rem' },
  { title: 'Events', field: 'events', as: 'count', width: '5rem' },
  { title: 'Attempts', field: 'attempts', as: 'count', cell: ({ attempts }) => some(attempts), width: '6rem' },
  { title: 'Next attempt', field: 'next', cell: ({ next }) => <Due at={next} />, width: '8rem' },
  { title: 'Reason', field: 'reason', width: 'minmax(8rem, 2fr)' },
];

interface ListProps {
  /** Deliveries. Undefined: not read yet. */
  readonly list: readonly DeliveryStatus[] | undefined;
  /** Called with a text about the outcome of a retry. */
  readonly onDone: (notice: string) => void;
}

/** The hosts that have not taken their events. A receiver leads to its events below, and once more to all of them. */
const Receivers = ({ list, selected, onDone }: ListProps & { readonly selected: string }): JSX.Element => (
  <Table
    label="Receivers"
    columns={[
      ...receiverColumns,
      {
        title: 'Retry',
        cell: ({ receiver }) => receiver !== '' && <Retry of={{ receiver }} onDone={onDone} />,
        width: '13rem',
      },
    ]}
    rows={receiversOf(list ?? [])}
    rowKey={({ receiver }) => receiver}
    href={({ receiver }) => hrefOf('push', [], { receiver: receiver === selected ? '' : receiver })}
    selected={selected}
    maxHeight="15rem"
    orderName="order"
  />
);

/** The filters of undelivered events. */
const filters = {
  task: { field: 'taskId', label: 'Task id' },
  receiver: { field: 'receiver', label: 'Receiver' },
  agent: { field: 'agent', label: 'Agent', kind: 'agent' },
  state: { field: 'state' },
} as const satisfies FilterTable;

const toggles: readonly Toggle[] = [
  ['state', 'dead', 'Dead'],
  ['state', 'waiting', 'Waiting'],
];

/** Undelivered events: one row for each dead letter, and for each configuration that waits. */
function Undelivered({ list }: Pick<ListProps, 'list'>): JSX.Element {
  // The gateway has applied the filter by task.
  const { task, receiver = '', ...chosen } = filtersOf(filters, route.value.query);
  const isFiltered = task !== undefined || receiver !== '' || Object.keys(chosen).length > 0;
  const found = list && ofReceiver(list, receiver);
  const shown = found?.filter((one) => Object.entries(chosen).every(([name, value]) => one[name as 'state'] === value));
  return (
    <>
      <FilterForm of="undelivered events" table={filters} toggles={toggles} />
      {shown && (
        <Table
          label="Undelivered events"
          columns={columns}
          rows={shown}
          rowKey={keyOf}
          href={({ taskKey, taskId: id }) => hrefOf('tasks', [taskKey ?? id])}
          empty={
            isFiltered ? (
              <Empty title="No undelivered event matches the filters" />
            ) : (
              <Empty title="There are no undelivered events">
                Webhooks have acknowledged all events, or first attempts are in progress.
              </Empty>
            )
          }
        />
      )}
    </>
  );
}

/** A button that delivers undelivered events again, after a question: of a task, of a receiver, or all. */
function Retry(props: {
  readonly of: { readonly taskId?: string; readonly receiver?: string };
  readonly disabled?: boolean;
  /** Called with a text about the outcome. */
  readonly onDone: (notice: string) => void;
}): JSX.Element {
  const { of, disabled = false, onDone } = props;
  const label = of.taskId ? 'Retry this task' : of.receiver ? 'Retry this receiver' : 'Retry all deliveries';
  return (
    <ActionButton
      operation="RetryDeliveries"
      label={label}
      icon="reload"
      title={`${label}?`}
      action="Retry now"
      disabled={disabled}
      act={async (signal) => {
        const { retried = 0 } = await admin.call('RetryDeliveries', of, { signal });
        onDone(`Push configurations that are tried again now: ${count(retried)}.`);
      }}
    >
      All events{of.taskId && ' of this task'} that were not delivered are sent to{' '}
      {of.receiver ? <Text value={of.receiver} max={200} /> : 'their webhooks'} again now. A webhook with dead letters
      receives its events in order from the first dead letter on, so it may receive some of them again.
    </ActionButton>
  );
}
