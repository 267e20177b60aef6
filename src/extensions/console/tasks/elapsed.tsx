import type { JSX } from 'preact';
import { now } from '../ui/basic.tsx';
import { duration } from '../ui/format.ts';
import { durationOf } from './describe.ts';

/** How long a task took, or takes by now. */
export function Elapsed({
  task,
}: {
  readonly task: { readonly createdAt?: string; readonly updatedAt?: string; readonly state: string };
}): JSX.Element {
  const milliseconds = durationOf(task, now.value);
  return <span class="number">{milliseconds === undefined ? '–' : duration(milliseconds)}</span>;
}
