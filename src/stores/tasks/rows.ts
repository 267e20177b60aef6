import { type RawBuilder, sql } from 'kysely';
import type { TaskState } from '../../core/model/a2a.ts';
import { isResting, isTerminal, lifecycle } from '../../core/model/lifecycle.ts';
import { newerForm, UnreadableRow } from '../../core/model/stored-form.ts';
import type { TaskRecord } from '../../core/ports/task-store.ts';
import type { TaskRow } from '../schema.ts';
import { unescapeText } from '../text.ts';

/** The version of the canonical form that this program writes, and the newest one that it can read. */
const canonicalForm = 1;

/** Throws if a body is written in a newer version of the canonical form than this program can read. */
export function requireKnownForm(key: string, form: number): void {
  if (form <= canonicalForm) return;
  throw newerForm(`Task ${unescapeText(key)}`, `version ${form} of the canonical form`, `version ${canonicalForm}`);
}

/**
 * The key of a row, for the position of a page. '' if it is not a text: the following rows with the same time are then left out,
 * too.
 */
export const keyOf = ({ key }: { readonly key: unknown }): string => (typeof key === 'string' ? unescapeText(key) : '');

const statePrefix = 'TASK_STATE_';

/** A state in the form of the column. */
export const stateColumn = (state: TaskState): string => state.slice(statePrefix.length);

/** States after which a task has no more events, in the form of the column. */
export const terminalStates: readonly string[] = (Object.keys(lifecycle) as TaskState[])
  .filter(isTerminal)
  .map(stateColumn);

export const columnsOfRecord = [
  ...(['task.key', 'task.id', 'task.agent', 'task.tenant', 'task.principal', 'task.context_id', 'task.state'] as const),
  ...(['task.status_at', 'task.created_at', 'task.updated_at', 'task.seq', 'task.turn_seq'] as const),
  ...(['task.dialect', 'task.owner'] as const),
];
export const recordColumns: RawBuilder<unknown> = sql.join(columnsOfRecord.map((name) => sql.ref(name)));

type NameIn<Column> = Column extends `task.${infer Name extends keyof TaskRow}` ? Name : never;
export type RecordRow = Pick<TaskRow, NameIn<(typeof columnsOfRecord)[number]>>;

const numbers = ['status_at', 'created_at', 'updated_at', 'seq', 'turn_seq'] as const;

/**
 * The record of a task's row. Throws UnreadableRow for one that is damaged, or in a state that a newer version knows.
 *
 * @param generation the task's generation after its last event
 */
export function recordOf(row: RecordRow, generation: number): TaskRecord {
  const state = `${statePrefix}${row.state}` as TaskState;
  if (!Object.hasOwn(lifecycle, state)) throw new UnreadableRow('its column state is none that this version knows');
  for (const name of numbers)
    if (!Number.isSafeInteger(row[name])) throw new UnreadableRow(`its column ${name} is no whole number`);
  return {
    agent: unescapeText(row.agent),
    tenant: unescapeText(row.tenant),
    principal: unescapeText(row.principal),
    key: unescapeText(row.key),
    id: unescapeText(row.id),
    contextId: unescapeText(row.context_id),
    state,
    statusAt: row.status_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    seq: row.seq,
    latestTurn: row.turn_seq,
    generation,
    rested: row.owner === null && isResting(state),
    dialect: unescapeText(row.dialect),
  };
}
