import type { JSX } from 'preact';
import '../../tasks/tasks.css';
import { route } from '../../shell/router.ts';
import { FilePage } from './file.tsx';
import { TaskListPage } from './list.tsx';
import { TaskPage } from './task.tsx';

/** All tasks, one task, or the history of a task from a file. */
export default function TasksPage(): JSX.Element {
  const { path, query } = route.value;
  const [key] = path;
  if (key !== undefined) return <TaskPage key={key} taskKey={key} />;
  return query.get('view') === 'file' ? <FilePage /> : <TaskListPage />;
}
