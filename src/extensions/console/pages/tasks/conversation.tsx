import type { JSX } from 'preact';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { isResting } from '../../../../core/model/lifecycle.ts';
import { admin, type TaskSummary } from '../../gateway/admin.ts';
import { useOpened, useRead } from '../../gateway/hooks.ts';
import { hrefOf, navigate } from '../../shell/router.ts';
import { ContextSession } from '../../tasks/context-session.ts';
import { type ContextRow, type Relation, rowsOf } from '../../tasks/context-tree.ts';
import { spanOf } from '../../tasks/describe.ts';
import { Elapsed, Id, LiveMark, TraceLink } from '../../tasks/marks.tsx';
import { count } from '../../ui/format.ts';
import {
  Badge,
  Button,
  type Column,
  Copy,
  Empty,
  moveBetweenRows,
  now,
  Page,
  severityOf,
  Table,
  Text,
  TextForm,
  Time,
  useWindow,
} from '../../ui/index.ts';

/** A conversation by the tasks of it that changed lately. */
interface RecentContext {
  readonly contextId: string;
  readonly agents: readonly string[];
  readonly callers: readonly string[];
  readonly tasks: number;
  readonly updatedAt: string;
}

/** Tasks among which recent conversations are looked for. */
const looked = 300;

const columns: readonly Column<RecentContext>[] = [
  { title: 'Context', cell: ({ contextId }) => <Id value={contextId} />, width: 'minmax(7.6rem, 1.4fr)' },
  { title: 'Agents', cell: ({ agents }) => <Text value={agents.join(', ')} />, width: 'minmax(6rem, 2fr)' },
  { title: 'Callers', cell: ({ callers }) => <Text value={callers.join(', ')} />, width: 'minmax(6rem, 2fr)' },
  { title: 'Tasks', field: 'tasks', as: 'count', width: '4rem' },
  { title: 'Changed', field: 'updatedAt', as: 'time', width: '6rem', align: 'end' },
];

/** Recent conversations to choose from. */
export function RecentConversations(): JSX.Element {
  const { value, error, busy, reload } = useRead(
    async (signal) => byContext((await admin.call('FindTasks', { pageSize: looked }, { signal })).tasks ?? []),
    { every: 5_000 },
  );
  return (
    <Page title="Conversations" up={{ href: '#/tasks', title: 'Tasks' }} busy={busy} error={error} onRetry={reload}>
      <TextForm label="Context id" action="Show" mono onSubmit={(contextId) => navigate(addressOf(contextId))} />
      {value && (
        <>
          <p class="muted">
            Those of the {count(looked)} tasks that changed last, and how many of these tasks they have.
          </p>
          <Table
            label="Recent conversations"
            columns={columns}
            rows={value}
            rowKey={({ contextId }) => contextId}
            href={({ contextId }) => addressOf(contextId)}
            empty={
              <Empty title="No conversations yet">They appear as soon as a client sends a message to an agent.</Empty>
            }
          />
        </>
      )}
    </Page>
  );
}

const addressOf = (context: string): string => hrefOf('tasks', [], { context });

/** The conversations of some tasks, in the order of the tasks. */
function byContext(tasks: readonly TaskSummary[]): RecentContext[] {
  const contexts: RecentContext[] = [];
  for (const [contextId, list] of Map.groupBy(tasks, ({ contextId = '' }) => contextId)) {
    if (contextId === '') continue;
    const agents = [...new Set(list.map(({ agent }) => agent))];
    const callers = [...new Set(list.map(({ principal = '' }) => principal))];
    contexts.push({ contextId, agents, callers, tasks: list.length, updatedAt: list[0]?.updatedAt ?? '' });
  }
  return contexts;
}

const relations: Readonly<Record<Relation, string>> = {
  upstream: 'opened by the agent above',
  reference: 'refers to the task above',
  trace: 'in the trace of the task above',
};

const rowHeight = 56;

/** All tasks of one conversation as a tree, with their course over time. */
export function Conversation({ contextId }: { readonly contextId: string }): JSX.Element {
  const [session, again] = useOpened(() => new ContextSession(contextId), contextId);
  const { list } = session;
  const rows = rowsOf(session.tree.value);
  const agents = new Set(rows.map(({ node }) => node.summary.agent));
  return (
    <Page
      title="Conversation"
      up={{ href: '#/tasks?view=conversations', title: 'Conversations' }}
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value || session.reading.value}
      error={list.error.value}
      onRetry={again}
      actions={<a href={hrefOf('tasks', [], { context: contextId, view: 'list' })}>As a list</a>}
    >
      <p class="context-line">
        <Text value={contextId} mono /> <Copy value={contextId} label="Copy the id of the context" />
        <span class="muted" role="status">
          {rows.length > 0 &&
            `${count(rows.length)} ${rows.length === 1 ? 'task' : 'tasks'} of ${count(agents.size)} ${agents.size === 1 ? 'agent' : 'agents'}`}
          {session.unread.value > 0 && `, references of ${count(session.unread.value)} tasks are not read`}
        </span>
        {list.hasMore.value && (
          <Button kind="quiet" busy={list.busy.value} onClick={() => void list.more()}>
            Read older tasks
          </Button>
        )}
      </p>
      {rows.length > 0 ? (
        <Tree rows={rows} />
      ) : (
        !list.busy.value &&
        list.error.value === undefined && (
          <Empty title="No task has this context">The id may be wrong, or the tasks have expired.</Empty>
        )
      )}
    </Page>
  );
}

/** The rows of the tree. Only those in sight are in the page. Arrow keys move between them. */
function Tree({ rows }: { readonly rows: readonly ContextRow[] }): JSX.Element {
  const { box, from, to } = useWindow(rows.length, rowHeight);
  const isRunning = rows.some(({ node }) => !isResting(node.summary.state as TaskState));
  // The bars of running tasks grow.
  const time = isRunning ? now.value : 0;
  const times = rows.map(({ node }) => spanOf(node.summary, time)).filter(({ end }) => !Number.isNaN(end));
  const start = Math.min(...times.map((span) => span.start));
  const end = Math.max(...times.map((span) => span.end), start + 1);
  return (
    <div
      class="context-box"
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Tasks of the conversation"
      onKeyDown={moveBetweenRows}
    >
      <div
        class="context-tree"
        role="treegrid"
        aria-label="Tasks of the conversation"
        aria-rowcount={rows.length}
        style={{ height: `${rows.length * rowHeight}px` }}
      >
        {rows.slice(from, to).map((row, offset) => (
          <Row key={row.node.summary.key} row={row} at={from + offset} span={{ start, end }} time={time} />
        ))}
      </div>
    </div>
  );
}

type Span = ReturnType<typeof spanOf>;

function Row({
  row,
  at,
  span,
  time,
}: {
  readonly row: ContextRow;
  readonly at: number;
  readonly span: Span;
  readonly time: number;
}): JSX.Element {
  const { node, level } = row;
  const { summary, relation, traceId } = node;
  const own = spanOf(summary, time);
  const share = (time: number): number => ((time - span.start) / (span.end - span.start)) * 100;
  return (
    <div
      class="context-row"
      role="row"
      aria-level={level}
      aria-rowindex={at + 1}
      style={{ transform: `translateY(${at * rowHeight}px)`, '--level': Math.min(level - 1, 8) }}
    >
      <div role="gridcell" class="context-task">
        <a href={hrefOf('tasks', [summary.key])}>
          <strong>
            <Text value={summary.agent} />
          </strong>{' '}
          <Id value={summary.id} />
        </a>
        <span class="muted context-relation">
          {summary.principal && (
            <>
              for <Text value={summary.principal} max={60} />
              {relation || traceId ? ' · ' : ''}
            </>
          )}
          {relation ? relations[relation] : ''}
          {traceId && (
            <>
              {relation ? ' · ' : ''}trace <TraceLink traceId={traceId} />
            </>
          )}
        </span>
      </div>
      <div role="gridcell" class="context-state">
        <Badge state={summary.state} />
      </div>
      <div role="gridcell" class="context-bar">
        <span
          class={`bar fill-${severityOf(summary.state)}`}
          style={{ left: `${share(own.start)}%`, width: `max(3px, ${share(own.end) - share(own.start)}%)` }}
        />
      </div>
      <div role="gridcell" class="context-times number">
        <Time at={summary.createdAt} />
        <span class="muted">
          <Elapsed task={summary} />
        </span>
      </div>
    </div>
  );
}
