import type { CompiledQuery, Kysely } from 'kysely';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { Binding } from '../../core/ports/upstream-ids.ts';
import type { BoundWrite } from '../database.ts';
import type { Tables } from '../schema.ts';
import { escapeText } from '../text.ts';

/** How bindings are written: statements that are compiled once, and their parameters. */

/** Values come later, in the order of the columns. */
const mark = '';
const owner = { agent: mark, tenant: mark, principal: mark };

/** Binds a task, anew where it is bound already. Its parameters: `taskParameters`. */
export const bindTask = (sql: Kysely<Tables>): CompiledQuery =>
  sql
    .insertInto('upstream_task')
    .values({ key: mark, ...owner, id: mark, task_id: mark, context_id: mark })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ ref }) => ({ task_id: ref('excluded.task_id'), context_id: ref('excluded.context_id') })),
    )
    .compile();

/** Binds a task that is there and that no other gateway works on, likewise. Changes nothing otherwise. */
export const bindOwnTask = (sql: Kysely<Tables>, bound: BoundWrite, instance: string): CompiledQuery =>
  sql
    .insertInto('upstream_task')
    .columns(['key', 'agent', 'tenant', 'principal', 'id', 'task_id', 'context_id'])
    .expression(({ selectFrom, val }) =>
      selectFrom('task')
        .select(({ ref }) => [ref('task.key').as('key'), 'agent', 'tenant', 'principal', 'id'])
        .select([val(bound.taskThere).as('task_id'), val(bound.contextThere).as('context_id')])
        .where('task.key', '=', bound.key)
        .where((eb) => eb.or([eb('owner', '=', instance), eb('owner', 'is', null)])),
    )
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ ref }) => ({ task_id: ref('excluded.task_id'), context_id: ref('excluded.context_id') })),
    )
    .compile();

export const taskParameters = ({
  key,
  agent,
  tenant,
  principal,
  id,
  taskThere,
  contextThere,
}: BoundWrite): string[] => [...[key, agent, tenant, principal], ...[id, taskThere, contextThere]];

/** Binds a context likewise. Its parameters: `contextParameters`. */
export const bindContext = (sql: Kysely<Tables>): CompiledQuery =>
  sql
    .insertInto('upstream_context')
    .values({ ...owner, id: mark, context_id: mark, used_at: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['agent', 'tenant', 'principal', 'id'])
        .doUpdateSet(({ ref }) => ({ context_id: ref('excluded.context_id'), used_at: ref('excluded.used_at') })),
    )
    .compile();

type BoundContext = Pick<BoundWrite, 'agent' | 'tenant' | 'principal' | 'contextId' | 'contextThere' | 'at'>;

export const contextParameters = ({ agent, tenant, principal, contextId, contextThere, at }: BoundContext) => [
  ...[agent, tenant, principal],
  ...[contextId, contextThere, at],
];

/** An owner as its columns have it. */
export const ownerColumns = ({ agent, tenant, principal }: TaskOwner): TaskOwner => ({
  agent: escapeText(agent),
  tenant: escapeText(tenant),
  principal: escapeText(principal),
});

/**
 * A binding as its columns have it.
 *
 * @param at milliseconds, by the store's clock
 */
export const boundWrite = ({ task, there }: Binding, at: number): BoundWrite => ({
  key: escapeText(task.key),
  ...ownerColumns(task),
  id: escapeText(task.id),
  contextId: escapeText(task.contextId),
  taskThere: escapeText(there.id),
  contextThere: escapeText(there.contextId),
  at,
});
