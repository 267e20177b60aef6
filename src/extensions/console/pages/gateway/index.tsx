import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { StopButton, useStops } from '../../calls/stop-button.tsx';
import {
  admin,
  type CallerStatus,
  type DamagedRow,
  type ListNumbersResponse,
  type LossCount,
  type ReloadConfigResponse,
  type ReplicaStatus,
  type Stop,
} from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { Complete } from '../../metrics/complete.tsx';
import { figureColumns, isNamed, NumbersLine, useNumbers } from '../../metrics/numbers.tsx';
import { status } from '../../shell/facts.ts';
import type { Route } from '../../shell/route.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { count, words } from '../../ui/format.ts';
import {
  ActionButton,
  Badge,
  type Column,
  Empty,
  Json,
  Missing,
  Notice,
  Page,
  Table,
  Tabs,
  Tagged,
  Text,
  Time,
} from '../../ui/index.ts';
import { Generations, readGenerations } from './generations.tsx';
import { LostReplicas } from './lost-replicas.tsx';
import { Registrations, readRegistrations } from './registrations.tsx';
import { Rules, readRules } from './rules.tsx';

interface ViewProps<T> {
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** Key of what is read, which is then read once. Absent: it is read every ten seconds. */
  readonly of?: string;
  readonly children: (value: T, reload: () => void) => JSX.Element;
}

/** The page with one view of the gateway. */
function View<T extends object>({ read, of, children }: ViewProps<T>): JSX.Element {
  const found = useRead(read, of === undefined ? { every: 10_000 } : { key: of });
  const { value, reload } = found;
  return (
    <Page title="Gateway" of={found}>
      <Tabs
        label="Views"
        selected={viewOf(route.value)}
        tabs={Object.keys(views).map((id) => ({ id, title: words(id), href: hrefOf('gateway', [], { view: id }) }))}
      />
      <Missing replicas={(value as { readonly missingReplicas?: string[] } | undefined)?.missingReplicas} />
      {value && children(value, reload)}
    </Page>
  );
}

/** Minutes of the numbers of callers. */
const day = 24 * 60;

/** Columns with the numbers of callers. */
function numberColumns(numbers: ListNumbersResponse | undefined): readonly Column<CallerStatus>[] {
  const totals = new Map(numbers?.groups?.map(({ principal = '', numbers: { calls = 0 } = {} }) => [principal, calls]));
  const totalOf = ({ principal }: CallerStatus): number => totals.get(principal) ?? 0;
  const shown = (caller: CallerStatus): string => (totals.size > 0 ? count(totalOf(caller)) : '–');
  return [
    { title: 'Calls', sort: totalOf, cell: shown, width: '4rem', align: 'end' },
    ...figureColumns('principal', numbers, ({ principal }: CallerStatus) => principal),
  ];
}

const callerColumns = (stopped: ReadonlySet<string>, onChanged: () => void): readonly Column<CallerStatus>[] => [
  {
    title: 'Stop',
    cell: ({ principal }) =>
      isNamed(principal) && (
        <StopButton kind="caller" subject={principal} isStopped={stopped.has(principal)} onChanged={onChanged} />
      ),
    width: '7.5rem',
  },
  {
    title: 'Last call',
    field: 'lastUsedAt',
    cell: ({ lastUsedAt, lastOperation, lastAgent, lastDialect, lastBinding }) => (
      <>
        <Time at={lastUsedAt} />{' '}
        <Text value={[lastOperation, lastAgent, lastDialect, lastBinding].filter(Boolean).join(', ')} />
      </>
    ),
    width: 'minmax(7rem, 3fr)',
  },
  {
    title: 'Scopes',
    cell: ({ scopes = [], configured }) => <Text value={scopes.join(' ') || (configured ? 'all but admin' : '')} />,
    width: 'minmax(4.5rem, 1fr)',
  },
];

const callerColumn: Column<CallerStatus> = {
  title: 'Caller',
  field: 'principal',
  cell: ({ principal }) => <Text value={principal || 'without a valid credential'} mono={principal !== ''} max={200} />,
  width: 'minmax(8rem, 2fr)',
};

/** The callers of the configuration and those of the last day, those with the most calls and refusals first. */
function Callers(): JSX.Element {
  const { value: stops = [], reload } = useStops();
  const stopped = new Set(stops.flatMap(({ kind, subject }) => (kind === 'caller' ? [subject] : [])));
  const numbers = useNumbers('principal', day).value;
  return (
    <View read={(signal) => admin.call('ListCallers', {}, { signal })}>
      {({ callers = [] }) => {
        const known = new Map(callers.map((caller) => [caller.principal, caller]));
        const counted = new Set((numbers?.groups ?? []).map(({ principal = '' }) => principal));
        const rows = [
          ...Array.from(counted, (principal) => known.get(principal) ?? { principal }),
          ...callers.filter(({ principal }) => !counted.has(principal)),
        ];
        return (
          <>
            <Table
              label="Callers"
              columns={[callerColumn, ...numberColumns(numbers), ...callerColumns(stopped, reload)]}
              rows={rows}
              rowKey={({ principal }) => principal}
              href={({ principal }) => (isNamed(principal) ? hrefOf('calls', [], { principal }) : undefined)}
              empty="No caller yet"
            />
            {numbers && <NumbersLine of={numbers} />}
          </>
        );
      }}
    </View>
  );
}

const stopColumns = (onChanged: () => void): readonly Column<Stop>[] => [
  { title: 'Kind', field: 'kind', width: '5rem' },
  {
    title: 'Name',
    field: 'subject',
    cell: ({ kind, subject }) =>
      kind === 'caller' ? (
        <Text value={subject} mono />
      ) : (
        <a href={hrefOf(kind === 'agent' ? 'agents' : 'tasks', [subject])}>
          <Text value={subject} mono />
        </a>
      ),
    width: 'minmax(9rem, 2fr)',
  },
  { title: 'Reason', field: 'reason', width: 'minmax(9rem, 2fr)' },
  { title: 'By', field: 'stoppedBy', as: 'mono' },
  { title: 'Since', field: 'stoppedAt', as: 'time', width: '7rem' },
  {
    title: 'Undo',
    cell: ({ kind, subject }) => <StopButton kind={kind as 'root'} subject={subject} isStopped onChanged={onChanged} />,
    width: '9rem',
  },
];

/** Callers, agents and trees of tasks that operators have stopped. */
const Stops = (): JSX.Element => (
  <View read={(signal) => admin.call('ListStops', {}, { signal })}>
    {({ stops = [] }, read) => (
      <Table
        label="Stops"
        columns={stopColumns(read)}
        rows={stops}
        rowKey={({ kind, subject }) => `${kind} ${subject}`}
        empty="Nothing is stopped"
      />
    )}
  </View>
);

const lossColumns: readonly Column<LossCount>[] = [
  { title: 'Field', field: 'path', as: 'mono', width: 'minmax(10rem, 2fr)' },
  {
    title: 'Dialect',
    cell: ({ dialect, ofAgent }) => <Text value={`${dialect} (${ofAgent ? 'agent' : 'caller'})`} />,
    width: '12rem',
  },
  { title: 'Dropped', field: 'count', as: 'count', width: '5rem' },
  {
    title: 'Last',
    field: 'lastAt',
    cell: ({ lastAt, lastRequestId }) => (
      <a href={hrefOf('calls', lastRequestId ? [lastRequestId] : [])}>
        <Time at={lastAt} />
      </a>
    ),
    width: '7rem',
  },
  { title: 'Agent', field: 'lastAgent', width: '8rem' },
  { title: 'Caller', field: 'lastPrincipal', width: '8rem' },
];

/** Losses of conversions between dialects. */
const Losses = (): JSX.Element => (
  <View read={(signal) => admin.call('ListLosses', {}, { signal })}>
    {({ losses = [], ...counted }) => (
      <>
        <p class="muted">
          Fields of A2A 1.0 that the dialect of a caller, or of an agent, cannot express, dropped since the replicas
          started. <Complete of={counted} />
        </p>
        <Table
          label="Losses"
          columns={lossColumns}
          rows={losses}
          rowKey={({ dialect, path, ofAgent }) => `${dialect} ${ofAgent} ${path}`}
          empty={
            <Empty title="Nothing was dropped">
              Every field of every request and answer so far could be expressed in the other side's dialect.
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
  {
    title: 'State',
    cell: ({ alive, draining }) => <Badge state={alive ? (draining ? 'draining' : 'alive') : 'dead'} />,
    width: '6rem',
  },
  { title: 'Host', field: 'host' },
  { title: 'Process id', field: 'pid', width: '6rem', align: 'end' },
  { title: 'Tasks', field: 'tasks', as: 'count', width: '4rem' },
  { title: 'Started', field: 'startedAt', as: 'time', width: '7rem' },
  { title: 'Heartbeat', field: 'heartbeatAt', as: 'time', width: '6rem' },
  { title: 'Version', field: 'version', width: '6rem' },
];

/** The replicas on the gateway's store, those that have vanished, and the rows of it that the answering replica cannot read. */
const Replicas = (): JSX.Element => (
  <View read={(signal) => admin.call('ListReplicas', {}, { signal })}>
    {({ replicas = [], lost = [] }, reload) => (
      <>
        <LostReplicas lost={lost} onSeen={reload} />
        <Table
          label="Replicas"
          columns={replicaColumns}
          rows={replicas}
          rowKey={({ id }) => id}
          empty="No replica wrote to the store"
        />
        <DamagedRows rows={status.value?.damagedRows ?? []} />
      </>
    )}
  </View>
);

const damagedColumns: readonly Column<DamagedRow>[] = [
  { title: 'Table', field: 'table', as: 'mono', width: '12rem' },
  { title: 'Key', field: 'key', as: 'mono', width: 'minmax(10rem, 2fr)' },
  { title: 'Why', field: 'reason', width: 'minmax(10rem, 2fr)' },
  { title: 'Noticed', field: 'noticedAt', as: 'time', width: '7rem' },
];

const DamagedRows = ({ rows }: { readonly rows: readonly DamagedRow[] }): JSX.Element | null =>
  rows.length === 0 ? null : (
    <>
      <Notice severity="error">
        This replica cannot read these rows of its store, and has left them out. Everything else works. Repair or delete
        them, or restore them from a backup.
      </Notice>
      <Table
        label="Damaged rows"
        columns={damagedColumns}
        rows={rows}
        rowKey={({ table, key }) => `${table} ${key}`}
        empty="Every row can be read"
      />
    </>
  );

/** The active configuration, and the button that reads its file again. */
function Configuration(): JSX.Element {
  const report = useSignal<ReloadConfigResponse | undefined>(undefined);
  return (
    // Each reading is in the audit log: one for each configuration.
    <View of={status.value?.configActiveSince ?? ''} read={(signal) => admin.call('GetConfig', {}, { signal })}>
      {({ settings = {}, file = '', activeSince, reloadable = false, refused = '', refusedAt }, read) => (
        <>
          {refused !== '' && (
            <Notice severity="error">
              The configuration of <Time at={refusedAt} /> was refused: <Text value={refused} mono />
            </Notice>
          )}
          <div class="row spread">
            <p class="muted">
              {file === '' ? 'No file' : <Text value={file} mono />}; became active <Time at={activeSince} />. Secrets
              are shown as ***.
            </p>
            <ActionButton
              operation="ReloadConfig"
              label="Reload"
              icon="reload"
              title="Reload the configuration?"
              disabled={!reloadable}
              act={async () => {
                report.value = await admin.call('ReloadConfig', {});
                read();
              }}
            >
              <p>
                This replica reads <Text value={file} mono /> again and applies it. Connections stay open, and running
                tasks go on. A configuration with mistakes changes nothing.
              </p>
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
  const facts = Object.entries({ added, changed, removed }).map(
    ([what, names]) => names.length > 0 && `${what} ${names.join(', ')}`,
  );
  const changes = [...facts, endedStreams > 0 && `ended ${endedStreams} streams`].filter(Boolean).join('; ');
  return (
    <Notice severity={restart.length > 0 ? 'warning' : 'ok'}>
      The configuration was reloaded: {changes || 'no agent changed'}.
      {restart.length > 0 && ` After a restart: ${restart.join(', ')}.`}
    </Notice>
  );
}

const views = {
  callers: Callers,
  stops: Stops,
  replicas: Replicas,
  registrations: () => <View read={readRegistrations}>{(of, read) => <Registrations of={of} onChanged={read} />}</View>,
  policies: () => <View read={readRules}>{(found) => <Rules {...found} />}</View>,
  losses: Losses,
  generations: () => <View read={readGenerations}>{(answer) => <Generations of={answer} />}</View>,
  configuration: Configuration,
};

const viewOf = ({ query }: Route): keyof typeof views => {
  const wanted = query.get('view') ?? '';
  return Object.hasOwn(views, wanted) ? (wanted as keyof typeof views) : 'callers';
};

/** The gateway itself: its callers, replicas, losses and configuration. */
export default function GatewayPage(): JSX.Element {
  const Content = views[viewOf(route.value)];
  return <Content />;
}
