import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import '../../tasks/tasks.css';
import type { TaskSummary } from '../../../../gen/admin-v1/types.ts';
import { setCount } from '../../shell/counts.ts';
import { route, setQuery } from '../../shell/router.ts';
import { filtersOf, noFilters, waitingStates } from '../../tasks/filters.ts';
import { LiveMark } from '../../tasks/marks.tsx';
import { TaskList } from '../../tasks/task-list.ts';
import { useOpened } from '../../tasks/use-opened.ts';
import { count } from '../../ui/format.ts';
import { Button, Empty, Page, Select } from '../../ui/index.ts';
import { InboxItem } from './item.tsx';

/** Items that are shown at first: each is read from the gateway on its own. */
const shownAtFirst = 20;

/** The task that has waited for the longest time is the first. */
const longestFirst = (one: TaskSummary, other: TaskSummary): number =>
  (one.stateChangedAt ?? '') < (other.stateChangedAt ?? '') ? -1 : 1;

/** Everything that waits for input or an authorization, answered in place. */
export default function InboxPage(): JSX.Element {
  const shown = useSignal(shownAtFirst);
  const { agent } = filtersOf(route.value.query);
  const [list, again] = useOpened(() => new TaskList({ ...noFilters, agent, states: waitingStates }), agent);
  /** Tasks that were answered here, or for which an answer was begun: they stay, although they wait no more. */
  const kept = useSignal<ReadonlyMap<string, TaskSummary>>(new Map());
  const keep = (task: TaskSummary, wanted: boolean): void => {
    const next = new Map(kept.peek());
    if (wanted) next.set(task.key, task);
    else next.delete(task.key);
    kept.value = next;
  };
  const open = list.rows.value;
  const isWhole = agent === '' && !list.busy.value && list.error.value === undefined;
  useEffect(() => {
    if (isWhole) setCount('inbox', open.length);
  }, [isWhole, open.length]);

  const keys = new Set(open.map(({ key }) => key));
  const items = [...open, ...[...kept.value.values()].filter(({ key }) => !keys.has(key))].sort(longestFirst);
  const agents = [...new Set([...open.map((task) => task.agent), ...(agent ? [agent] : [])])].sort();
  const said = `${count(open.length)}${list.hasMore.value ? '+' : ''} ${open.length === 1 ? 'task waits' : 'tasks wait'}`;
  return (
    <Page
      title="Inbox"
      beside={<LiveMark state={list.state.value} refusal={list.refusal.value} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
      actions={
        agents.length > 1 || agent !== '' ? (
          <Select
            label="Agent"
            hideLabel
            value={agent}
            onChange={(name) => setQuery({ agent: name }, { replace: true })}
            options={[{ value: '', label: 'All agents' }, ...agents.map((name) => ({ value: name, label: name }))]}
          />
        ) : undefined
      }
    >
      <p class="muted list-line" role="status">
        {list.busy.value && open.length === 0 ? 'Reading tasks…' : open.length > 0 ? `${said} for a client.` : ''}
      </p>
      {items.length === 0 && !list.busy.value && list.error.value === undefined && (
        <Empty title="Nothing waits">
          Tasks whose agent asks for input or for an authorization appear here, and can be answered here.
        </Empty>
      )}
      <ul class="inbox" aria-label="Tasks that wait">
        {items.slice(0, shown.value).map((task) => (
          <li key={task.key}>
            <InboxItem
              summary={task}
              waits={keys.has(task.key)}
              onDraft={(begun) => keep(task, begun)}
              onAnswered={(details) => {
                keep(task, true);
                list.take([details.summary]);
              }}
            />
          </li>
        ))}
      </ul>
      {(items.length > shown.value || list.hasMore.value) && (
        <Button
          busy={list.busy.value}
          onClick={() => {
            shown.value += shownAtFirst;
            if (items.length <= shown.value && list.hasMore.value) void list.more();
          }}
        >
          Show more
        </Button>
      )}
    </Page>
  );
}
