import type { JSX } from 'preact';
import type { CallRow } from '../../calls/call-list.ts';
import { textOfDecisions } from '../../calls/decisions.ts';
import { isOf, readRecordings } from '../../calls/recordings.ts';
import { admin, type CallSummary } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { TraceLink } from '../../tasks/marks.tsx';
import { clock, count, duration } from '../../ui/format.ts';
import {
  Badge,
  Clock,
  type Column,
  Copy,
  Empty,
  type Fact,
  Facts,
  Missing,
  Notice,
  Page,
  Text,
} from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { Advice } from './advice.tsx';

/** The outcome that the caller saw. */
export const Outcome = ({ call: { status, error } }: { readonly call: CallSummary }): JSX.Element => (
  <Badge state={status || (error ? 'failed' : 'ok')} severity={error ? 'error' : 'ok'} />
);

/** A value of a call as a link that filters the list by it. */
const filter = (name: string, value = ''): JSX.Element | null =>
  value === '' ? null : (
    <a href={hrefOf('calls', [], { ...Object.fromEntries(route.value.query), [name]: value })}>
      <Text value={value} />
    </a>
  );

/** Columns of lists of calls. */
export const columns: readonly Column<CallRow>[] = [
  { title: 'Time', field: 'time', cell: ({ time }) => <Clock at={time} />, width: '5.4rem' },
  { title: 'Status', sort: ({ status = '' }) => status, cell: (call) => <Outcome call={call} />, width: '5rem' },
  { title: 'Agent', field: 'agent', cell: ({ agent }) => filter('agent', agent), width: 'minmax(5rem, 1.4fr)' },
  { title: 'Operation', field: 'operation', width: 'minmax(7.5rem, 2fr)' },
  {
    title: 'Caller',
    field: 'principal',
    cell: ({ principal }) => filter('principal', principal),
    width: 'minmax(5.5rem, 1.4fr)',
  },
  { title: 'Error', field: 'error', cell: ({ error }) => filter('error', error), width: 'minmax(7.5rem, 2fr)' },
  { title: 'Reason', field: 'reason', width: 'minmax(9rem, 3fr)' },
  {
    title: 'Lost fields',
    sort: ({ losses = 0 }) => losses,
    cell: ({ losses = 0 }) => <span class={losses > 0 ? 'bad' : 'muted'}>{count(losses)}</span>,
    width: '5.2rem',
    align: 'end',
  },
  {
    title: 'Duration',
    field: 'durationMs',
    sort: ({ durationMs = 0 }) => Number(durationMs),
    as: 'duration',
    width: '5rem',
    align: 'end',
  },
];

/** The calls with a request id: one, unless a client repeats its own. */
export function CallPage({ requestId }: { readonly requestId: string }): JSX.Element {
  const read = useRead((signal) => admin.call('ListCalls', { requestId }, { signal }));
  const { value } = read;
  const recorded = useRead(readRecordings);
  const { query } = route.value;
  const calls = (value?.calls ?? []).filter((call) => call.requestId === requestId);
  const recordings = (recorded.value?.recordings ?? []).filter((one) => calls.some((call) => isOf(one, call)));
  return (
    <Page
      title={`Call ${visibleLine(requestId, 60)}`}
      up={{ href: hrefOf('calls', [], query), title: 'Calls' }}
      of={read}
    >
      <Missing replicas={value?.missingReplicas} />
      {calls.map((call) => (
        <CallFacts key={call.id} call={call} />
      ))}
      <p class="row">
        {recordings.map(({ id }) => (
          <a key={id} href={hrefOf('calls', [], { recording: id, record: requestId })}>
            As it was on the wire
          </a>
        ))}
        {calls.some(({ error, durationMs }) => error && durationMs !== undefined) && (
          <a href={hrefOf('calls', [], { last: calls[0]?.agent, record: requestId })}>The failed call on the wire</a>
        )}
      </p>
      {value && calls.length === 0 && (
        <Empty title="No such call is remembered">
          Failed and slow calls are kept. Of the others, replicas remember the latest since they started.
        </Empty>
      )}
    </Page>
  );
}

/** Facts about a call, with links to its task and agent. */
export function CallFacts({ call }: { readonly call: CallSummary }): JSX.Element {
  const { time, agent = '', principal = '', error, reason = '', durationMs, events = 0, losses = 0 } = call;
  const { lossPaths = [], taskId = '', taskKey = '', requestId = '', traceId, decisions = [], ...more } = call;
  const text = (value: string | undefined) => value && <Text value={value} max={120} />;
  const link = (value: string, page: string, path: string[], query = {}) =>
    value && <a href={hrefOf(page, path, query)}>{text(value)}</a>;
  const facts: readonly Fact[] = [
    ['Time', clock(Date.parse(time), 'exact')],
    ['Agent', link(agent, 'agents', [agent])],
    ['Operation', text(more.operation)],
    ['Caller', link(principal, 'calls', [], { principal })],
    ['Address', text(more.address)],
    ['Tenant', text(more.tenant)],
    ['Dialect', text(more.dialect)],
    ['Binding', text(more.binding)],
    ['Policy', text(more.policy)],
    ['Decisions', decisions.length > 0 && <Text value={textOfDecisions(decisions)} max={600} />],
    ['Duration', durationMs !== undefined && duration(Number(durationMs))],
    ['Events', events > 0 && count(events)],
    ['Task', link(taskId, 'tasks', [taskKey || taskId])],
    ['Other calls', link(taskId && 'of this task', 'calls', [], { task: taskKey || taskId })],
    ['Request id', [text(requestId), <Copy key="copy" value={requestId} label="Copy the request id" />]],
    ['Trace', traceId && <TraceLink traceId={traceId} />],
    ['Replica', link(more.replica ?? '', 'gateway', [], { view: 'replicas' })],
  ];
  return (
    <>
      {error && (
        <Notice severity="error">
          <Outcome call={call} /> <a href={hrefOf('calls', [], { error })}>{error}</a>:{' '}
          <Text value={reason || 'no reason is known'} multiline />
          <p>
            <Advice call={call} />
          </p>
        </Notice>
      )}
      <Facts kind="task-facts" facts={facts} />
      {losses > 0 && (
        <Notice severity="warning">
          Conversions dropped {count(losses)} {losses === 1 ? 'field' : 'fields'}:{' '}
          <Text value={lossPaths.join(', ')} mono />
          {lossPaths.length < losses && '…'}
        </Notice>
      )}
    </>
  );
}
