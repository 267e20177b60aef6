import type { TaskSummary } from '../../../gen/admin-v1/types.ts';
import { Badge, type Column, Text, Time } from '../ui/index.ts';
import { visibleLine } from '../ui/visible.ts';
import { Elapsed } from './marks.tsx';

/** One line of a text that others wrote, which makes no column wider. The whole of it is its title. */
export const Line = ({ value = '' }: { readonly value: string | undefined }) => (
  <span class="one-line" title={visibleLine(value, 300)}>
    <Text value={value} />
  </span>
);

/** What every list says of a task, after the column that names it. */
export const wordsOfTasks: readonly Column<TaskSummary>[] = [
  { title: 'Asked', cell: ({ preview }) => <Line value={preview} />, width: 'minmax(9rem, 9fr)' },
  { title: 'State', cell: ({ state }) => <Badge state={state} />, width: '8.2rem' },
  { title: 'Reason', cell: ({ reason }) => <Line value={reason} />, width: 'minmax(9rem, 9fr)' },
  {
    title: 'Caller',
    cell: ({ principal = '', tenant }) => <Line value={tenant ? `${principal} (${tenant})` : principal} />,
    width: '7rem',
  },
  {
    title: 'Speaks',
    cell: ({ dialect, binding }) => <Line value={[dialect, binding].filter(Boolean).join(', ')} />,
    width: '7.4rem',
  },
  { title: 'Duration', cell: (task) => <Elapsed task={task} />, width: '5.5rem', align: 'end' },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} />, width: '6rem', align: 'end' },
];
