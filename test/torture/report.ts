import type { Said } from '../workload/ledger.ts';
import { markersOf, type StoredLog } from '../workload/logs.ts';
import type { Outcome, TortureOptions } from './run.ts';

/** Violations that are printed, and characters of each before the tasks are shown. */
const [most, shortest] = [20, 300];
/** Tasks whose logs are shown. */
const mostTasks = 8;

/** Settings that identify a run. */
export const runOf = ({ seed, seconds, troubles }: TortureOptions): string =>
  `seed ${seed}, ${seconds} s, ${troubles.join(' ')}`;

/** The report of a run: the most important lines come first, since records of output are cut in the middle. */
export function report({ violations, said, counts, folder, log }: Outcome, options: TortureOptions): string {
  const run = runOf(options);
  const width = Math.max(...Object.keys(counts).map((name) => name.length));
  const numbers = Object.entries(counts).flatMap(([name, count]) =>
    count === 0 ? [] : [`${name.padEnd(width)}  ${count}`],
  );
  if (violations.length === 0) return [`${run}: nothing was violated`, ...numbers].join('\n');
  const lines = [`${run}: ${violations.length} violations; the logs lie in ${folder}`];
  for (const { check, what, task } of violations.slice(0, most)) {
    lines.push(`- ${check}: ${task ? `task ${task.id} (${task.agent}): ` : ''}${what.slice(0, shortest)}`);
  }
  if (violations.length > most) lines.push(`- and ${violations.length - most} more`);
  lines.push('', ...log);
  const byTask = [...Map.groupBy(violations, ({ task }) => task)];
  for (const [task, found] of byTask.slice(0, mostTasks)) {
    lines.push('', ...found.map(({ check, what }) => `${check}: ${what.slice(0, 10 * shortest)}`));
    if (task) lines.push(...historyOf(task, said));
  }
  return [...lines, '', ...numbers].join('\n');
}

/** A task's log, and what its clients know of it. */
function historyOf(task: StoredLog, said: readonly Said[]): string[] {
  const markers = new Set(markersOf(task).map(([marker]) => marker));
  const about = (one: Said): boolean => markers.has(one.marker) || [one.taskId, one.continues].includes(task.id);
  return [
    `the log of task ${task.id}, whose key is ${task.key}, and what its clients know:`,
    ...said.filter(about).map((one) => JSON.stringify(one)),
    ...task.log.map(({ seq, at, event }) => {
      return `${String(seq).padStart(4)} ${new Date(at).toISOString()} ${JSON.stringify(event)}`;
    }),
  ];
}

const columns = [
  'seed',
  'sent',
  'no key',
  'again',
  'tasks',
  'executions',
  'rest ms',
  'violations',
  'what struck',
] as const;
const widths = [8, 6, 6, 6, 6, 10, 8, 11, 0] as const;

const line = (cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i < widths.length - 1 ? String(cell).padStart(widths[i] ?? 0) : `  ${cell}`)).join('');

/** The head of a table with one line for each run. */
export const tableHead = (): string => line(columns);

/** The line of a run. */
export function tableLine({ counts, violations, tally }: Outcome, { seed, troubles }: TortureOptions): string {
  const numbers = [
    'messages sent',
    'messages sent without a key',
    'keys used again',
    'tasks',
    'executions',
    'ms to rest',
  ];
  const struck = troubles.map((what) => (what === 'clocks' ? what : `${what} ${tally[what] ?? 0}`)).join(', ');
  const kinds = [...Map.groupBy(violations, ({ check }) => check)].map(([check, all]) => `${check} ${all.length}`);
  const found = violations.length > 0 ? `  VIOLATED: ${kinds.join(', ')}` : '';
  return line([seed, ...numbers.map((name) => counts[name] ?? 0), violations.length, struck + found]);
}
