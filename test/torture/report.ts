import type { Said } from './ledger.ts';
import { markersOf } from './logs.ts';
import type { Outcome, TortureOptions } from './run.ts';

/** Violations that are told of. */
const most = 20;

/** What a run came to, for people. */
export function report({ violations, said, counts, folder }: Outcome, { seed, seconds }: TortureOptions): string {
  const width = Math.max(...Object.keys(counts).map((name) => name.length));
  const lines = Object.entries(counts).map(([name, count]) => `${name.padEnd(width)}  ${count}`);
  const [first] = violations;
  if (!first) return [...lines, `seed ${seed}, ${seconds} s: nothing was violated`].join('\n');
  lines.push('', `seed ${seed}, ${seconds} s: ${violations.length} violations; the logs lie in ${folder}`, '');
  for (const { what, task } of violations.slice(0, most)) {
    lines.push(`- ${task ? `task ${task.id} (${task.agent}): ` : ''}${what.slice(0, 1_000)}`);
  }
  if (violations.length > most) lines.push(`- and ${violations.length - most} more`);
  const { task } = violations.find((one) => one.task) ?? {};
  if (task) {
    const markers = new Set(markersOf(task).map(([marker]) => marker));
    const about = (one: Said): boolean => markers.has(one.marker) || [one.taskId, one.continues].includes(task.id);
    lines.push('', `the log of task ${task.id}, whose key is ${task.key}, and what its clients know:`);
    lines.push(...said.filter(about).map((one) => JSON.stringify(one)));
    for (const { seq, at, event } of task.log) {
      lines.push(`${String(seq).padStart(4)} ${new Date(at).toISOString()} ${JSON.stringify(event)}`);
    }
  }
  return lines.join('\n');
}
