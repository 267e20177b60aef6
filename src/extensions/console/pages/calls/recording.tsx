import '../bench/translation/translation.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { CallRow } from '../../calls/call-list.ts';
import { textOf } from '../../calls/record-button.tsx';
import { hasEnded, isOver, recordingInterval, roomOf } from '../../calls/recordings.ts';
import { admin, type RecordedCall, type Recording } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { count } from '../../ui/format.ts';
import { ActionButton, Button, Empty, Missing, Notice, Page, Table, Text, Time } from '../../ui/index.ts';
import { CallFacts, columns } from './call.tsx';
import { Wire } from './wire.tsx';

/** A recording in a line, with the button that stops it. */
export function RecordingLine(props: { readonly recording: Recording; readonly onStopped: () => void }): JSX.Element {
  const { recording, onStopped } = props;
  const { id, recorded = 0, dropped = 0, startedBy = '' } = recording;
  const stop = (): Promise<void> => admin.call('Record', { stop: id }).then(onStopped);
  return (
    <Notice
      severity={isOver(recording) ? 'info' : 'warning'}
      action={
        !hasEnded(recording) && (
          <ActionButton operation="Record" label="Stop" title="Stop this recording?" keep="Go on" act={stop}>
            The frames are kept for an hour.
          </ActionButton>
        )
      }
    >
      {isOver(recording) ? 'Recorded' : 'Recording'} calls of <Text value={textOf(recording)} max={160} />:{' '}
      <a href={hrefOf('calls', [], { recording: id })}>
        {count(recorded)} of {count(roomOf(recording))} calls
      </a>
      {dropped > 0 && `, ${count(dropped)} of them dropped for want of memory`};{' '}
      {hasEnded(recording) ? 'ended' : 'ends'} <Time at={recording.until} />, begun by{' '}
      <Text value={startedBy} max={80} />
    </Notice>
  );
}

/** Reads the calls of a recording: some pages at most, of a few MiB. */
async function read(recording: string, signal: AbortSignal) {
  const records: RecordedCall[] = [];
  for (let pages = 1, pageToken = ''; ; pages++) {
    const answer = await admin.call('ListRecords', { recording, pageSize: 100, pageToken }, { signal });
    records.push(...(answer.records ?? []));
    pageToken = answer.nextPageToken ?? '';
    if (pageToken === '' || pages === 8) return { ...answer, records };
  }
}

function rowOf(record: RecordedCall): CallRow {
  const { id: key, time: updatedAt, eventCount: events = 0, requestLosses = [], replyLosses = [] } = record;
  const lossPaths = [...requestLosses, ...replyLosses];
  return { ...record, key, updatedAt, events, lossPaths, losses: lossPaths.length };
}

/** One recording: its calls, and the chosen one of them on the wire. */
export function RecordingPage({ id }: { readonly id: string }): JSX.Element {
  const isActive = useSignal(false);
  const found = useRead((signal) => read(id, signal), { ...(isActive.value && { every: recordingInterval }) });
  const { value, reload } = found;
  const { recordings = [], records = [], nextPageToken } = value ?? {};
  const recording = recordings.find((one) => one.id === id);
  isActive.value = recording !== undefined && !isOver(recording);
  const chosen = route.value.query.get('record') ?? undefined;
  /** Replicas that record nothing, according to the response that began the recording. */
  const silent = route.value.query.get('missing');
  const shown = records.find((one) => one.id === chosen || one.requestId === chosen);
  return (
    <Page
      title="Recording"
      up={{ href: '#/calls', title: 'Calls' }}
      of={found}
      actions={<Button icon="reload" label="Read again" onClick={reload} />}
    >
      <Missing replicas={[...new Set([...(value?.missingReplicas ?? []), ...(silent?.split(',') ?? [])])]} />
      {value && !recording && <Empty title="There is no such recording">It is kept for an hour after its end.</Empty>}
      {recording && <RecordingLine recording={recording} onStopped={reload} />}
      {recording && (
        <Records label="Recorded calls" records={records} of={{ recording: id }} shown={shown}>
          No call was recorded yet
        </Records>
      )}
      {nextPageToken && <p class="muted">Older calls are left out.</p>}
    </Page>
  );
}

interface RecordsProps {
  readonly label: string;
  readonly records: readonly RecordedCall[];
  /** Query of the page. */
  readonly of: Readonly<Record<string, string>>;
  readonly shown: RecordedCall | undefined;
  /** Text in place of an empty list. */
  readonly children: string;
}

/** A list of recorded calls, and one of them on the wire. */
export const Records = ({ label, records, of, shown, children }: RecordsProps): JSX.Element => (
  <>
    <Table
      label={label}
      columns={columns}
      rows={records.map(rowOf)}
      rowKey={({ key }) => key}
      selected={shown?.id}
      href={({ key }) => hrefOf('calls', [], { ...of, record: key })}
      maxHeight="16rem"
      empty={children}
    />
    {shown && <CallFacts call={rowOf(shown)} />}
    {shown && <Wire key={shown.id} record={shown} />}
  </>
);
