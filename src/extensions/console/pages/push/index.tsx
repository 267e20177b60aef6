import './push.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type DeliveryStatus } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route, setQuery } from '../../shell/router.ts';
import { count } from '../../ui/format.ts';
import {
  ActionButton,
  Badge,
  Button,
  Copy,
  type Fact,
  Facts,
  Field,
  Notice,
  Page,
  Select,
  Tabs,
  Text,
  Time,
} from '../../ui/index.ts';
import { deliveryFilterFrom, keyOf, positions, receiversOf, shownDeliveries, undelivered } from './deliveries.ts';
import { DeliveriesTable, Due, ReceiversTable } from './tables.tsx';

/** Milliseconds between two reads: many deliveries are read less often. */
const [interval, longInterval, many] = [2_000, 10_000, 500];

/** The most that the page reads: with more, it says so. */
const mostDeliveries = 5_000;
const pageSize = 1_000;

interface Deliveries {
  readonly list: readonly DeliveryStatus[];
  /** Whether there are more than were read. */
  readonly more: boolean;
}

/** Reads undelivered events, those of one task or of all, up to a bound. */
async function readDeliveries(taskId: string, signal: AbortSignal): Promise<Deliveries> {
  const list: DeliveryStatus[] = [];
  for (let pageToken = ''; ; ) {
    const page = await admin.call(
      'ListDeliveries',
      { pageSize, ...(taskId && { taskId }), ...(pageToken && { pageToken }) },
      { signal },
    );
    list.push(...(page.deliveries ?? []));
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '' || list.length >= mostDeliveries) return { list, more: pageToken !== '' };
  }
}

export default function PushPage(): JSX.Element {
  const { query } = route.value;
  const taskId = query.get('task') ?? '';
  const view = query.get('view') === 'receivers' ? 'receivers' : 'deliveries';
  const isLong = useSignal(false);
  const { value, error, busy, reload } = useRead((signal) => readDeliveries(taskId, signal), {
    every: isLong.value ? longInterval : interval,
    key: taskId,
  });
  const said = useSignal('');
  const done = (text: string): void => {
    said.value = text;
    reload();
  };
  const list = value?.list ?? [];
  isLong.value = list.length > many;
  const receivers = receiversOf(list);
  const { receiver } = deliveryFilterFrom(query);
  const wanted = { ...(taskId && { taskId }), ...(receiver && { receiver }) };
  return (
    <Page
      title="Push"
      busy={busy && value === undefined}
      error={error}
      onRetry={reload}
      actions={<Retry of={wanted} disabled={list.length === 0} onDone={done} />}
    >
      <Tabs
        label="Views"
        selected={view}
        tabs={[
          { id: 'deliveries', title: 'Undelivered', href: hrefOf('push'), count: value && list.length },
          {
            id: 'receivers',
            title: 'Receivers',
            href: hrefOf('push', [], { view: 'receivers' }),
            count: value && receivers.length,
          },
        ]}
      />
      <div aria-live="polite">
        {said.value && (
          <Notice severity="ok" action={<Button onClick={() => (said.value = '')}>Close</Button>}>
            {said.value}
          </Notice>
        )}
      </div>
      {value?.more && (
        <Notice severity="warning">
          There are more than {count(mostDeliveries)} undelivered events, and only the first ones are shown. Enter a
          task id to see those of one task.
        </Notice>
      )}
      {view === 'receivers' ? (
        value && <ReceiversTable rows={receivers} retry={(receiver) => <Retry of={{ receiver }} onDone={done} />} />
      ) : (
        <Undelivered list={value && list} taskId={taskId} onDone={done} />
      )}
    </Page>
  );
}

interface UndeliveredProps {
  /** Undefined: not read yet. */
  readonly list: readonly DeliveryStatus[] | undefined;
  readonly taskId: string;
  readonly onDone: (said: string) => void;
}

function Undelivered({ list, taskId, onDone }: UndeliveredProps): JSX.Element {
  const { query } = route.value;
  const filter = deliveryFilterFrom(query);
  const shown = shownDeliveries(list ?? [], filter);
  const selected = query.get('selected') ?? undefined;
  const detail = list?.find((one) => keyOf(one) === selected);
  const href = (row: DeliveryStatus): string => {
    const next = new URLSearchParams(query);
    next.set('selected', keyOf(row));
    return hrefOf('push', [], next);
  };
  return (
    <>
      <Filters list={list ?? []} taskId={taskId} />
      {list && (
        <div class={detail ? 'split push-split' : undefined}>
          <DeliveriesTable
            rows={shown}
            selected={selected}
            href={href}
            filtered={taskId !== '' || Object.keys(filter).length > 0}
          />
          {detail && <Detail delivery={detail} onDone={onDone} />}
        </div>
      )}
    </>
  );
}

function Filters({ list, taskId }: { readonly list: readonly DeliveryStatus[]; readonly taskId: string }): JSX.Element {
  const filter = deliveryFilterFrom(route.value.query);
  /** The values of a field, and the chosen one, which may have no delivery any more. */
  const choices = (field: 'receiver' | 'agent') => {
    const values = new Set(list.flatMap((one) => one[field] || []));
    if (filter[field]) values.add(filter[field]);
    return [...values].toSorted();
  };
  const set = (field: string) => (value: string) =>
    setQuery({ [field]: value, selected: undefined }, { replace: true });
  return (
    <form class="filters push-filters" onSubmit={(event) => event.preventDefault()}>
      <Field label="Task id" type="search" value={taskId} onInput={set('task')} mono />
      <Select
        label="State"
        value={filter.state ?? ''}
        onChange={set('state')}
        none="All"
        options={[
          { value: 'dead', label: 'Dead' },
          { value: 'waiting', label: 'Waiting' },
        ]}
      />
      <Select
        label="Receiver"
        value={filter.receiver ?? ''}
        onChange={set('receiver')}
        none="All"
        options={choices('receiver')}
      />
      <Select label="Agent" value={filter.agent ?? ''} onChange={set('agent')} none="All" options={choices('agent')} />
    </form>
  );
}

/** One row in full. */
function Detail(props: { readonly delivery: DeliveryStatus; readonly onDone: (said: string) => void }): JSX.Element {
  const { delivery, onDone } = props;
  const { taskId, taskKey, configId, agent, principal, receiver, dialect, attempts, reason, state, time } = delivery;
  const events = undelivered(delivery);
  const facts: readonly Fact[] = [
    ['State', <Badge state={state} />],
    state === 'dead' ? ['Given up', <Time at={time} />] : ['Next attempt', <Due delivery={delivery} />],
    ['Attempts', attempts ? String(attempts) : undefined],
    ['Reason', reason && <Text value={reason} multiline />],
    ['Receiver', receiver && <Text value={receiver} />],
    ['Events', `${positions(delivery)}${events > 1 ? ` (${count(events)})` : ''}`],
    ['Dialect', dialect],
    ['Configuration', configId && <Text value={configId} mono />],
    ['Agent', agent && <Text value={agent} />],
    ['Owner', principal && <Text value={principal} mono />],
  ];
  return (
    <section class="split-side panel" aria-label="Selected delivery">
      <header class="push-detail-head">
        <h2>
          <Text value={taskId} mono />
        </h2>
        <Copy value={taskId} label="Copy the task's id" />
        <Button
          kind="quiet"
          icon="close"
          label="Close the selected delivery"
          onClick={() => setQuery({ selected: undefined })}
        />
      </header>
      <Facts kind="facts fact-rows" facts={facts} />
      <div class="row">
        <Retry of={{ taskId }} onDone={onDone} />
        <a class="button" href={hrefOf('tasks', [taskKey ?? taskId])}>
          Open the task
        </a>
      </div>
    </section>
  );
}

/** A button that has undelivered events delivered again, after a question: of a task, of a receiver, or all. */
function Retry(props: {
  readonly of?: { readonly taskId?: string; readonly receiver?: string };
  readonly disabled?: boolean;
  /** Called with what to tell about it. */
  readonly onDone: (said: string) => void;
}): JSX.Element {
  const { of = {}, disabled = false, onDone } = props;
  const label = of.taskId ? 'Retry this task' : of.receiver ? 'Retry this receiver' : 'Retry all tasks';
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
