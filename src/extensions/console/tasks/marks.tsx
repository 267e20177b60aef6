import type { JSX } from 'preact';
import type { TaskSummary } from '../../../gen/admin-v1/types.ts';
import type { LiveState } from '../gateway/live.ts';
import { traceUrl } from '../gateway/settings.ts';
import { fault } from '../shell/connection.ts';
import { duration } from '../ui/format.ts';
import { type Column, now, Text } from '../ui/index.ts';
import { visibleLine } from '../ui/visible.ts';
import { spanOf } from './describe.ts';
import type { Following } from './following.ts';

/** Short facts about tasks, on several pages. */

/** Shortens an id: to the ends of a UUID, whose beginning is the time and not distinctive; other ids stay unchanged. */
export const shortId = (id: string): string =>
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id) ? `${id.slice(0, 4)}…${id.slice(-8)}` : id;

/** A shortened id of a task or a context. The full one is its title. */
export const Id = ({ value }: { readonly value: string }): JSX.Element => (
  <span class="id" title={visibleLine(value, 300)}>
    <Text value={shortId(value)} mono />
  </span>
);

/** Duration of a task so far. */
export function Elapsed({ task }: { readonly task: TaskSummary }): JSX.Element {
  const { start, end } = spanOf(task, now.value);
  return <span class="number">{Number.isNaN(end) ? '–' : duration(end - start)}</span>;
}

/** A trace's id; a link if the configuration has a page for traces. */
export function TraceLink({ traceId }: { readonly traceId: string }): JSX.Element {
  const url = traceUrl(traceId);
  const id = <Text value={traceId} max={40} mono />;
  if (url === undefined) return id;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {id}
    </a>
  );
}

/** One line of a text from outside, which makes no column wider. The whole text is its title. */
export const Line = ({ value = '' }: { readonly value: string | undefined }) => (
  <span class="one-line" title={visibleLine(value, 300)}>
    <Text value={value} />
  </span>
);

/** Milliseconds of a task so far. */
const lengthOf = (task: TaskSummary): number => {
  const { start, end } = spanOf(task, now.peek());
  return end - start || 0;
};

/** Columns about a task in every list, after the column that names it. */
export const wordsOfTasks: readonly Column<TaskSummary>[] = [
  { title: 'Request', field: 'preview', cell: ({ preview }) => <Line value={preview} />, width: 'minmax(8rem, 9fr)' },
  { title: 'State', field: 'state', as: 'state', width: '8.2rem' },
  { title: 'Reason', field: 'reason', cell: ({ reason }) => <Line value={reason} />, width: 'minmax(8rem, 9fr)' },
  {
    title: 'Caller',
    field: 'principal',
    cell: ({ principal = '', tenant }) => <Line value={tenant ? `${principal} (${tenant})` : principal} />,
    width: '7rem',
  },
  {
    title: 'Protocol',
    cell: ({ dialect, binding }) => <Line value={[dialect, binding].filter(Boolean).join(', ')} />,
    width: '7rem',
  },
  { title: 'Duration', sort: lengthOf, cell: (task) => <Elapsed task={task} />, width: '5.5rem', align: 'end' },
  { title: 'Changed', field: 'updatedAt', as: 'time', width: '6rem', align: 'end' },
];

const texts: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting…',
  open: 'Live',
  lost: 'Connection lost. Trying again…',
  ended: '',
  refused: 'Not live',
};

/** Shows whether the data are kept current. */
export function LiveMark(props: {
  readonly stream: Pick<Following<unknown, unknown>, 'state' | 'refusal'>;
}): JSX.Element {
  const { stream } = props;
  const state = stream.state.value;
  const more = state === 'refused' ? stream.refusal.value : state === 'open' ? fault.value : undefined;
  return (
    <span class={`live live-${state}`} role="status">
      {more ? `${texts[state]}. ${more.message}` : texts[state]}
    </span>
  );
}
