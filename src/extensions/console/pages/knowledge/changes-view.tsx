import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { KnowledgeGraphChangeEvent } from '../../../../gen/knowledge-v1/types.ts';
import { type LiveState, live } from '../../gateway/live.ts';
import { route } from '../../shell/router.ts';
import { LiveMark } from '../../tasks/marks.tsx';
import { Badge, type Column, Empty, Failure, Notice, type Severity, Table } from '../../ui/index.ts';
import { changeFields, FilterForm } from './filter-form.tsx';
import { changes, lastPosition, type Space } from './gateway.ts';
import { Source, StatementDialog, statementColumns } from './parts.tsx';
import { filterFrom, type Statement } from './statements.ts';

/** Changes from before the page was opened that are shown first. */
const earlier = 50;
/** Most changes that are kept. */
const mostKept = 1_000;

const severities: Readonly<Record<string, Severity>> = { add: 'ok', remove: 'error', replace: 'warning' };

type Change = KnowledgeGraphChangeEvent;

const statementOf = ({ statement, timestamp }: Change): Statement => ({ ...statement, timestamp }) as Statement;

function columnsOf(space: Space, open: (change: Change) => void): readonly Column<Change>[] {
  const { subject, predicate, object, certainty, details } = statementColumns(space, statementOf, open);
  return [
    { title: 'Change', cell: ({ op }) => <Badge state={op} severity={severities[op] ?? 'idle'} />, width: '6.5rem' },
    subject,
    predicate,
    object,
    certainty,
    {
      title: 'Source and justification',
      cell: ({ changeMetadata = {} }) => (
        <>
          {changeMetadata.verification !== undefined && <Badge state="pending review" severity="warning" />}{' '}
          <Source provenance={changeMetadata} />
        </>
      ),
      width: 'minmax(7rem, 1.6fr)',
    },
    { title: 'Time', field: 'timestamp', as: 'time', width: '5.5rem' },
    details,
  ];
}

/** The latest changes of one agent's knowledge, and those that come, the latest first. */
export function ChangesView({ space }: { readonly space: Space }): JSX.Element {
  const { value: _, minCertainty: __, ...filter } = filterFrom(route.value.query);
  const list = useSignal<readonly Change[]>([]);
  const state = useSignal<LiveState>('connecting');
  const error = useSignal<unknown>(undefined);
  const opened = useSignal<Change | undefined>(undefined);
  const key = JSON.stringify([space, filter]);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    list.value = [];
    error.value = undefined;
    const follow = async (from: number | undefined): Promise<void> => {
      const events = live(changes(space, filter), {
        ...(from !== undefined && { from }),
        signal,
        endless: true,
        next: (_, id, last = -1) => (Number(id) > last ? Number(id) : undefined),
        onState: (next, why) => {
          state.value = next;
          error.value = next === 'refused' ? why : undefined;
        },
      });
      for await (const event of events) list.value = [event, ...list.peek()].slice(0, mostKept);
    };
    const run = async (): Promise<void> => {
      const position = await lastPosition(space, signal).catch(() => undefined);
      await follow(position === undefined ? undefined : Math.max(0, position - earlier));
      // Earlier changes may have expired: then the stream begins now.
      if (!signal.aborted && state.peek() === 'refused' && list.peek().length === 0) await follow(position);
    };
    void run();
    return () => ended.abort();
  }, [key]);
  return (
    <div class="stack">
      <FilterForm key={route.value.query.toString()} label="Filter of changes" fields={changeFields} />
      <div class="statement-line">
        <LiveMark stream={{ state }} />
        <span class="muted">Shows at most the latest {mostKept.toLocaleString('en-US')} changes, newest first.</span>
      </div>
      <Failure error={error.value} />
      {(list.value.length > 0 || state.value === 'open') && (
        <Table
          label="Changes"
          columns={columnsOf(space, (change) => (opened.value = change))}
          rows={list.value}
          rowKey={({ changeId }) => changeId}
          empty={<Empty title="No changes so far">New changes appear here at once.</Empty>}
        />
      )}
      {state.value === 'lost' && (
        <Notice severity="warning">Changes made in the meantime appear when the connection is back.</Notice>
      )}
      <StatementDialog
        space={space}
        statement={opened.value && statementOf(opened.value)}
        onClose={() => (opened.value = undefined)}
      />
    </div>
  );
}
