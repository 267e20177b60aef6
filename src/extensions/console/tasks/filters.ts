import type { TaskState } from '../../../core/model/a2a.ts';
import { lifecycle, stateWord } from '../../../core/model/lifecycle.ts';
import type { FindTasksRequest, TaskSummary } from '../../../gen/admin-v1/types.ts';

/** A filter of a list, for the address, the form and the requests. */
export interface Filter {
  /** The field of requests. */
  readonly field: string;
  /** Label in the form. Absent: it has no field of its own there. */
  readonly label?: string;
  /** Kind of values. Absent: a text. */
  readonly kind?: 'agent' | 'time' | 'states' | 'flag' | 'outcome';
  /** Whether it is rarely used: the form shows it on demand. */
  readonly rare?: true;
}

/** The filters of a list, by their names in the address. */
export type FilterTable = Readonly<Record<string, Filter>>;

/**
 * Values of some filters, as in the address. Times are those of RFC 3339, or a span before now, such as `24h`. States
 * are their words with commas between them.
 */
export type Filters<Table extends FilterTable> = { readonly [Name in keyof Table]?: string };

/** The filters of tasks. All but the text, the states and the times are equal to a field of the task. */
export const taskFilters = {
  agent: { field: 'agent', label: 'Agent', kind: 'agent' },
  after: { field: 'changedAfter', label: 'Changed', kind: 'time' },
  before: { field: 'changedBefore', kind: 'time' },
  text: { field: 'text', label: 'Text or id' },
  principal: { field: 'principal', label: 'Caller' },
  context: { field: 'contextId', label: 'Context' },
  tenant: { field: 'tenant', label: 'Tenant', rare: true },
  dialect: { field: 'dialect', label: 'Dialect', rare: true },
  binding: { field: 'binding', label: 'Binding', rare: true },
  // As a group of reasons has it: with an ellipsis in place of ids and numbers.
  reason: { field: 'reason', label: 'Reason', rare: true },
  state: { field: 'states', kind: 'states' },
} as const satisfies FilterTable;

/** Outcomes of calls, in the address. */
const outcomes: readonly string[] = ['failed', 'refused', 'slow'];

/** The filters of calls. */
export const callFilters = {
  text: { field: 'text', label: 'Search' },
  agent: { field: 'agent', label: 'Agent', kind: 'agent' },
  after: { field: 'after', label: 'Arrived', kind: 'time' },
  before: { field: 'before', kind: 'time' },
  principal: { field: 'principal', label: 'Caller', rare: true },
  operation: { field: 'operation', label: 'Operation', rare: true },
  dialect: { field: 'dialect', label: 'Dialect', rare: true },
  binding: { field: 'binding', label: 'Binding', rare: true },
  error: { field: 'error', label: 'Kind of error', rare: true },
  task: { field: 'taskId', label: 'Task id or key', rare: true },
  request: { field: 'requestId', label: 'Request or trace id', rare: true },
  rule: { field: 'rule', label: 'Policy or guard', rare: true },
  decision: { field: 'decision', label: 'Decision', rare: true },
  decided: { field: 'decided', kind: 'flag' },
  failed: { field: 'failed', kind: 'flag' },
  outcome: { field: 'outcome', kind: 'outcome' },
} as const satisfies FilterTable;

export type TaskFilters = Filters<typeof taskFilters>;

/** All states that a task can be in, in the order of a task's life. */
export const taskStates = (Object.keys(lifecycle) as TaskState[]).filter((state) => lifecycle[state] !== 'unknown');

/** The states in which a task waits for its client. */
export const waitingStates = taskStates.filter((state) => lifecycle[state] === 'interrupted');

/** Formats states for the address. */
export const wordsOf = (states: readonly TaskState[]): string => states.map(stateWord).join(',');

/** Reads states from the address. Unknown words are left out. */
function statesOf(text: string): TaskState[] {
  const words = text.split(',');
  return taskStates.filter((state) => words.includes(stateWord(state)));
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const spanText = /^([1-9]\d{0,4})([mhd])$/;

/** Returns the time that a filter names, in milliseconds; undefined if it names none. */
export function timeOf(text: string, now: number): number | undefined {
  const [, count, unit] = spanText.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * units[unit as keyof typeof units];
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Returns the filters that an address names. Invalid values are left out. */
export function filtersOf<Table extends FilterTable>(table: Table, query: URLSearchParams): Filters<Table> {
  const values = Object.entries(table).flatMap(([name, { kind }]) => {
    const text = query.get(name)?.trim() ?? '';
    if (kind === 'time' && timeOf(text, 0) === undefined) return [];
    if (kind === 'outcome' && !outcomes.includes(text)) return [];
    const value = kind === 'states' ? wordsOf(statesOf(text)) : text;
    return value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

/** Returns the patch that removes all filters from the address. */
export const noneOf = (table: FilterTable): Readonly<Record<string, undefined>> =>
  Object.fromEntries(Object.keys(table).map((name) => [name, undefined]));

/** Whether any filter is set. */
export const isFiltered = (filters: object): boolean => Object.values(filters).some(Boolean);

/** Returns the fields of a request for objects that pass the filters. */
export function requestOf<Request extends object>(
  table: FilterTable,
  filters: Readonly<Record<string, string | undefined>>,
  now: number,
): Request {
  const fieldOf = (text: string, kind: Filter['kind']) => {
    if (kind === 'states') return statesOf(text);
    if (kind === 'outcome') return `CALL_OUTCOME_${text.toUpperCase()}`;
    if (kind === 'time') return new Date(timeOf(text, now) ?? now).toISOString();
    return kind === 'flag' ? true : text;
  };
  const fields = Object.entries(table).flatMap(([name, { field, kind }]) => {
    const text = filters[name];
    return text ? [[field, fieldOf(text, kind)]] : [];
  });
  return Object.fromEntries(fields);
}

/** Whether the reason of a task is one of a group, whose reason has an ellipsis in place of ids and numbers. */
function hasReason({ reason = '' }: TaskSummary, folded: string): boolean {
  const [first = '', ...others] = folded.split('…');
  let at = first.length;
  return (
    reason.startsWith(first) &&
    others.every((piece) => {
      const found = reason.indexOf(piece, at);
      at = found + piece.length;
      return found >= 0;
    })
  );
}

/** Whether a task has a text, by the gateway's search in its row. */
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
 * Returns a function that decides whether live tasks pass the filters, as the gateway does.
 *
 * @param found keys of tasks that the gateway found by the text: it may index more words than their rows have
 */
export function taskMatcher(filters: TaskFilters, now: number, found: ReadonlySet<string>) {
  const { text, states, changedAfter, changedBefore, reason, ...equal } = requestOf<FindTasksRequest>(
    taskFilters,
    filters,
    now,
  );
  const fields = Object.entries(equal);
  const after = Date.parse(changedAfter ?? '');
  const before = Date.parse(changedBefore ?? '');
  return (task: TaskSummary): boolean => {
    const changed = Date.parse(task.updatedAt ?? '');
    return (
      fields.every(([field, value]) => task[field as keyof TaskSummary] === value) &&
      (!states || states.includes(task.state)) &&
      (Number.isNaN(after) || changed >= after) &&
      (Number.isNaN(before) || changed < before) &&
      (!text || found.has(task.key) || hasText(task, text)) &&
      (!reason || found.has(task.key) || hasReason(task, reason))
    );
  };
}
