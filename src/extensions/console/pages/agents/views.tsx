import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import {
  admin,
  type CallerStatus,
  type ListCallersResponse,
  type ListLossesResponse,
  type ListReplicasResponse,
  type LossCount,
  type ReloadConfigResponse,
  type ReplicaStatus,
} from '../../gateway/admin.ts';
import { type Read, useRead } from '../../gateway/hooks.ts';
import { count } from '../../ui/format.ts';
import { ActionButton, Badge, type Column, Empty, Failure, Json, Notice, Table, Text, Time } from '../../ui/index.ts';

/** One view of the page: its content once it was read, or why it could not be read. */
export function View<T>({
  read,
  children,
}: {
  readonly read: Read<T>;
  readonly children: (value: T) => JSX.Element;
}): JSX.Element {
  const { value, error, busy, reload } = read;
  return (
    <section class="stack" aria-busy={busy}>
      <Failure error={error} onRetry={reload} />
      {value === undefined ? error === undefined && <p class="muted">Reading…</p> : children(value)}
    </section>
  );
}

/** A number of calls that failed. */
export const Failed = ({ calls = 0 }: { readonly calls: number | undefined }): JSX.Element => (
  <span class={calls > 0 ? 'bad' : 'muted'}>{count(calls)}</span>
);

/** An id or a name with a word beside it. */
export const Tagged = ({ children, tag }: { readonly children: JSX.Element; readonly tag: string | false }) => (
  <>
    {children}
    {tag && <span class="tag">{tag}</span>}
  </>
);

const callerColumns: readonly Column<CallerStatus>[] = [
  { title: 'Caller', field: 'principal', as: 'mono', width: 'minmax(9rem, 2fr)' },
  { title: 'Calls', field: 'calls', as: 'count', width: '5rem' },
  {
    title: 'Failed',
    field: 'failedCalls',
    as: 'count',
    cell: ({ failedCalls }) => <Failed calls={failedCalls} />,
    width: '5rem',
    optional: true,
  },
  {
    title: 'Last used',
    field: 'lastUsedAt',
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : <span class="muted">not seen</span>),
    width: '7rem',
  },
  {
    title: 'Last call',
    cell: ({ lastOperation = '', lastAgent }) => (
      <Text value={lastAgent ? `${lastOperation}, ${lastAgent}` : lastOperation} />
    ),
    width: 'minmax(8rem, 2fr)',
    optional: true,
  },
  {
    title: 'Speaks',
    cell: ({ lastDialect, lastBinding }) => <Text value={[lastDialect, lastBinding].filter(Boolean).join(', ')} />,
    width: 'minmax(7rem, 1fr)',
    optional: true,
  },
  {
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
          columns={callerColumns}
          rows={callers}
          rowKey={({ principal }) => principal}
          empty="No caller yet"
        />
      </>
    )}
  </View>
);

const lossColumns: readonly Column<LossCount>[] = [
  { title: 'Field', field: 'path', as: 'mono', width: 'minmax(10rem, 2fr)' },
  { title: "Caller's dialect", field: 'dialect', width: '9rem' },
  { title: 'Dropped', field: 'count', as: 'count', width: '5rem' },
  { title: 'Last', field: 'lastAt', as: 'time', width: '7rem', optional: true },
  { title: 'Agent', field: 'lastAgent', width: '10rem', optional: true },
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
          columns={lossColumns}
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

const replicaColumns: readonly Column<ReplicaStatus>[] = [
  {
    title: 'Replica',
    field: 'id',
    cell: ({ id, isThis = false }) => (
      <Tagged tag={isThis && 'this one'}>
        <Text value={id} mono />
      </Tagged>
    ),
    width: 'minmax(10rem, 2fr)',
  },
  { title: 'State', cell: ({ alive }) => <Badge state={alive ? 'alive' : 'dead'} />, width: '6rem' },
  { title: 'Host', field: 'host', optional: true },
  { title: 'Process', field: 'pid', width: '5rem', align: 'end', optional: true },
  { title: 'Tasks', field: 'tasks', as: 'count', width: '4rem' },
  { title: 'Started', field: 'startedAt', as: 'time', width: '7rem', optional: true },
  { title: 'Heartbeat', field: 'heartbeatAt', as: 'time', width: '6rem', optional: true },
  { title: 'Version', field: 'version', width: '6rem', optional: true },
];

/** The replicas on the gateway's store. */
export const Replicas = ({ read }: { readonly read: Read<ListReplicasResponse> }): JSX.Element => (
  <View read={read}>
    {({ replicas = [] }) => (
      <Table
        label="Replicas"
        columns={replicaColumns}
        rows={replicas}
        rowKey={({ id }) => id}
        empty="No replica wrote to the store"
      />
    )}
  </View>
);

/** The active configuration, and the button that reads its file again. */
export function Configuration(): JSX.Element {
  const read = useRead((signal) => admin.call('GetConfig', {}, { signal }));
  const report = useSignal<ReloadConfigResponse | undefined>(undefined);
  const reload = async (): Promise<void> => {
    report.value = await admin.call('ReloadConfig', {});
    read.reload();
  };
  return (
    <View read={read}>
      {({ settings = {}, file = '', activeSince, reloadable = false }) => (
        <>
          <div class="row spread">
            <p class="muted">
              {file === '' ? 'No file' : <Text value={file} mono />}; became active <Time at={activeSince} />. Secrets
              are shown as ***.
            </p>
            <ActionButton
              label="Reload"
              icon="reload"
              title="Reload the configuration?"
              disabled={!reloadable}
              act={reload}
            >
              This replica reads <Text value={file} mono /> again and applies it. Connections stay open, and running
              tasks go on. A configuration with mistakes changes nothing.
            </ActionButton>
          </div>
          {report.value && <Said report={report.value} />}
          <Json label="Configuration" value={settings} depth={2} maxHeight="70vh" />
        </>
      )}
    </View>
  );
}

function Said({ report }: { readonly report: ReloadConfigResponse }): JSX.Element {
  const { added = [], changed = [], removed = [], endedStreams = 0, restart = [] } = report;
  const facts = [
    ...[added.length > 0 && `added ${added.join(', ')}`, changed.length > 0 && `changed ${changed.join(', ')}`],
    ...[removed.length > 0 && `removed ${removed.join(', ')}`, endedStreams > 0 && `ended ${endedStreams} streams`],
  ].filter(Boolean);
  return (
    <Notice severity={restart.length > 0 ? 'warning' : 'ok'}>
      The configuration was reloaded: {facts.join('; ') || 'no agent changed'}.
      {restart.length > 0 && ` After a restart: ${restart.join(', ')}.`}
    </Notice>
  );
}
