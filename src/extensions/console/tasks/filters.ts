import type { TaskState } from '../../../core/model/a2a.ts';
import { lifecycle, stateWord } from '../../../core/model/lifecycle.ts';
import type { FindTasksRequest, TaskSummary } from '../../../gen/admin-v1/types.ts';

/** The filters that are equal to a field of the task, by their names in the address. */
const fieldOf = { agent: 'agent', principal: 'principal', context: 'contextId', tenant: 'tenant' } as const;
const fieldFilters = Object.keys(fieldOf) as (keyof typeof fieldOf)[];

/** The filter of all tasks: empty texts and lists do not filter. */
export const noFilters = {
  ...{ agent: '', tenant: '', principal: '', context: '' },
  /** What ids and names of a task begin or end with, or its texts contain. */
  text: '',
  states: [] as readonly TaskState[],
  /** Tasks that changed at this time or later: a time of RFC 3339, or a span before now, such as `24h`. */
  after: '',
  /** Tasks that changed before this time. */
  before: '',
};

/** Which tasks are listed. */
export type TaskFilters = Readonly<typeof noFilters>;

/** All states that a task can be in, in the order of a task's life. */
export const taskStates = (Object.keys(lifecycle) as TaskState[]).filter((state) => lifecycle[state] !== 'unknown');

/** The states in which a task waits for its client. */
export const waitingStates = taskStates.filter((state) => lifecycle[state] === 'interrupted');

/** Reads a state's word, such as `input-required`. */
const byWord = new Map(taskStates.map((state) => [stateWord(state), state]));

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const spanText = /^([1-9]\d{0,4})([mhd])$/;

/** The time that a filter names, in milliseconds; undefined where it names none. */
export function timeOf(text: string, now: number): number | undefined {
  const [, count, unit] = spanText.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * units[unit as keyof typeof units];
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The filters that an address names. Values that mean nothing are left out. */
export function filtersOf(query: URLSearchParams): TaskFilters {
  const text = (name: string): string => query.get(name)?.trim() ?? '';
  const time = (name: string): string => (timeOf(text(name), 0) === undefined ? '' : text(name));
  const states = new Set(
    text('state')
      .split(',')
      .flatMap((word) => byWord.get(word) ?? []),
  );
  return {
    ...noFilters,
    ...Object.fromEntries(fieldFilters.map((name) => [name, text(name)])),
    text: text('text') || text('id'),
    states: taskStates.filter((state) => states.has(state)),
    after: time('after'),
    before: time('before'),
  };
}

/** The members of the address that say these filters; undefined removes a member. */
export function addressOf(filters: Partial<TaskFilters>): Record<string, string | undefined> {
  const { states, ...texts } = filters;
  return {
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text || undefined])),
    ...(states && { state: states.map(stateWord).join(',') || undefined }),
  };
}

/** Whether any filter is set. */
export const isFiltered = (filters: TaskFilters): boolean =>
  Object.values(filters).some((value: string | readonly string[]) => value.length > 0);

/** The request for the tasks that pass the filters. */
export function requestOf(filters: TaskFilters, now: number): FindTasksRequest {
  const { states, text } = filters;
  const after = timeOf(filters.after, now);
  const before = timeOf(filters.before, now);
  return {
    ...(text && { text }),
    ...Object.fromEntries(fieldFilters.flatMap((name) => (filters[name] ? [[fieldOf[name], filters[name]]] : []))),
    ...(states.length > 0 && { states: [...states] }),
    ...(after !== undefined && { changedAfter: new Date(after).toISOString() }),
    ...(before !== undefined && { changedBefore: new Date(before).toISOString() }),
  };
}

/** Whether a task has a text, as the gateway looks for it in its row. */
function hasText(task: TaskSummary, text: string): boolean {
  const wanted = text.toLowerCase();
  const { key, id, contextId, principal, agent, preview, reason } = task;
  const lower = (values: readonly (string | undefined)[]) => values.map((value = '') => value.toLowerCase());
  return (
    lower([key, id, contextId, principal, agent]).some((name) => name.startsWith(wanted) || name.endsWith(wanted)) ||
    lower([preview, reason]).some((line) => line.includes(wanted))
  );
}

/**
 * Whether a task passes the filters: the same decision as the gateway's, for tasks that arrive live.
 *
 * @param found whether the gateway found it by the text: it may know more words of the task than its row has
 */
export function matches(filters: TaskFilters, task: TaskSummary, now: number, found = false): boolean {
  const { states, text } = filters;
  const changed = Date.parse(task.updatedAt ?? '');
  const after = timeOf(filters.after, now);
  const before = timeOf(filters.before, now);
  return (
    (text === '' || found || hasText(task, text)) &&
    fieldFilters.every((name) => filters[name] === '' || task[fieldOf[name]] === filters[name]) &&
    (states.length === 0 || states.includes(task.state as TaskState)) &&
    (after === undefined || changed >= after) &&
    (before === undefined || changed < before)
  );
}
