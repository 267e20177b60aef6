import type { JSX } from 'preact';
import { outcomeOf } from '../../calls/decisions.ts';
import type { CallSummary } from '../../gateway/admin.ts';
import { Complete, type Completeness } from '../../metrics/complete.tsx';
import { hrefOf } from '../../shell/router.ts';
import { shortId } from '../../tasks/marks.tsx';
import { type Column, Table, Text, Time } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';

/** A decision of a rule, and the call that it is about. */
type Row = CallSummary & NonNullable<CallSummary['decisions']>[number] & { readonly key: string };

/** A column with a value that is a link. */
const linked = (
  title: string,
  field: 'rule' | 'principal' | 'agent' | 'taskId',
  href: (row: Row) => string,
): Column<Row> => ({
  title,
  field,
  cell: (row) => row[field] && <a href={href(row)}>{visibleLine(shortId(row[field]), 120)}</a>,
});

const columns: readonly Column<Row>[] = [
  {
    title: 'Time',
    field: 'time',
    cell: ({ time, requestId, id }) => (
      <a href={hrefOf('calls', [requestId || id])}>
        <Time at={time} />
      </a>
    ),
  },
  linked('Rule', 'rule', ({ rule }) => hrefOf('calls', [], { rule })),
  { title: 'Decision', field: 'outcome', cell: (row) => <Text value={outcomeOf(row)} /> },
  linked('Caller', 'principal', ({ principal }) => hrefOf('calls', [], { principal, decided: 'true' })),
  linked('Agent', 'agent', ({ agent = '' }) => hrefOf('agents', [agent])),
  { title: 'Reason', field: 'reason', width: 'minmax(9rem, 2fr)' },
  linked('Task', 'taskId', ({ taskKey, taskId = '' }) => hrefOf('tasks', [taskKey || taskId])),
];

interface LatestProps {
  readonly calls: readonly CallSummary[];
  readonly facts: Completeness;
  /** Start of the time that is shown. */
  readonly from: string;
}

/** The latest decisions of policies and guards, with the calls and the tasks that they are about. */
export const LatestDecisions = ({ calls, facts, from }: LatestProps): JSX.Element => (
  <section class="stack" aria-label="Latest decisions">
    <h2>Latest decisions</h2>
    <p class="muted">
      <Complete of={facts} from={from} /> Of calls that were not refused, a selection for each caller is kept across
      restarts.
    </p>
    <Table
      label="Latest decisions"
      columns={columns}
      rows={calls.flatMap((call) =>
        (call.decisions ?? []).map((one, at): Row => ({ ...call, reason: '', ...one, key: `${call.id} ${at}` })),
      )}
      rowKey={({ key }) => key}
      maxHeight="28rem"
      empty="No rule has decided in the last 24 hours, but to let calls through"
    />
  </section>
);
