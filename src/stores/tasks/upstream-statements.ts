import type { CompiledQuery, Kysely } from 'kysely';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { TaskBinding } from '../../core/ports/upstream-ids.ts';
import type { UpstreamBinding } from '../database.ts';
import type { Tables } from '../schema.ts';
import { escapeText } from '../text.ts';

/** Statements that write bindings, compiled once, and their parameters. */

/** Placeholder: values come later, in the order of the columns. */
const placeholder = '';
const owner = { agent: placeholder, tenant: placeholder, principal: placeholder };

/** Binds a task; replaces an earlier binding. Its parameters: `taskParameters`. */
export const bindTask = (sql: Kysely<Tables>): CompiledQuery =>
  sql
    .insertInto('upstream_task')
    .values({ key: placeholder, ...owner, id: placeholder, task_id: placeholder, context_id: placeholder })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ ref }) => ({ task_id: ref('excluded.task_id'), context_id: ref('excluded.context_id') })),
    )
    .compile();

/** Binds a task that exists and has no other owner; otherwise changes nothing. */
export const bindOwnTask = (sql: Kysely<Tables>, bound: UpstreamBinding, instance: string): CompiledQuery =>
  sql
    .insertInto('upstream_task')
    .columns(['key', 'agent', 'tenant', 'principal', 'id', 'task_id', 'context_id'])
    .expression(({ selectFrom, val }) =>
      selectFrom('task')
        .select(({ ref }) => [ref('task.key').as('key'), 'agent', 'tenant', 'principal', 'id'])
        .select([val(bound.upstreamTaskId).as('task_id'), val(bound.upstreamContextId).as('context_id')])
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
  upstreamTaskId,
  upstreamContextId,
}: UpstreamBinding): string[] => [...[key, agent, tenant, principal], ...[id, upstreamTaskId, upstreamContextId]];

/** Binds a context; replaces an earlier binding. Its parameters: `contextParameters`. */
export const bindContext = (sql: Kysely<Tables>): CompiledQuery =>
  sql
    .insertInto('upstream_context')
    .values({ ...owner, id: placeholder, context_id: placeholder, used_at: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['agent', 'tenant', 'principal', 'id'])
        .doUpdateSet(({ ref }) => ({ context_id: ref('excluded.context_id'), used_at: ref('excluded.used_at') })),
    )
    .compile();

type BoundContext = Pick<UpstreamBinding, 'agent' | 'tenant' | 'principal' | 'contextId' | 'upstreamContextId' | 'at'>;

export const contextParameters = ({ agent, tenant, principal, contextId, upstreamContextId, at }: BoundContext) => [
  ...[agent, tenant, principal],
  ...[contextId, upstreamContextId, at],
];

/** An owner in columns. */
export const ownerColumns = ({ agent, tenant, principal }: TaskOwner): TaskOwner => ({
  agent: escapeText(agent),
  tenant: escapeText(tenant),
  principal: escapeText(principal),
});

/**
 * A binding in columns.
 *
 * @param at milliseconds, by the store's clock
 */
export const upstreamBinding = ({ task, upstream: there }: TaskBinding, at: number): UpstreamBinding => ({
  key: escapeText(task.key),
  ...ownerColumns(task),
  id: escapeText(task.id),
  contextId: escapeText(task.contextId),
  upstreamTaskId: escapeText(there.id),
  upstreamContextId: escapeText(there.contextId),
  at,
});
