import { type RawBuilder, sql } from 'kysely';
import type { CallKey, TaskOwner } from '../../core/model/ids.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { KnownCall } from '../../core/ports/task-store.ts';
import { checkCallAnswer } from '../../core/tasks/idempotency-key.ts';
import type { Leases } from '../cluster/leases.ts';
import { belongsTo, type Database, type Traits } from '../database.ts';
import type { IdempotencyTable } from '../schema.ts';
import { escapeOwner, escapeText, unescapeText } from '../text.ts';
import { deleteTaskStates } from './agent-state.ts';

/** Milliseconds for which an idempotency key is kept. */
export const rememberedFor = 24 * 60 * 60 * 1000;

/**
 * The parameters of `claimKey`.
 *
 * @param instance this gateway's name in rows
 * @param turn for a message: the task's key, escaped, and the position before the turn
 */
export function keyParameters(call: CallKey, instance: string, turn?: readonly [taskKey: string, seq: number]) {
  const { agent, tenant, principal, key } = keyColumns(call.owner, call.key);
  const [taskKey, seq] = turn ?? [null, null];
  return [agent, tenant, principal, key, call.digest, call.nonce, instance, taskKey, seq];
}

/**
 * Claims a key that is free, expired, already this call's, or held with the nonce `instead`. Changes one row, or none.
 *
 * @param values the values of `keyParameters`. Default: placeholders
 */
export const claimKey = (traits: Traits, values = Array<string | number | null>(9).fill(''), instead?: string) => sql`
  insert into idempotency as held
    (agent, tenant, principal, key, digest, nonce, owner, task_key, task_seq, created_at)
  values (${sql.join(values.slice(0, -1))}, cast(${values.at(-1)} as ${traits.integer}), ${traits.now})
  on conflict (agent, tenant, principal, key) do update set
    digest = excluded.digest, nonce = excluded.nonce, owner = excluded.owner, task_key = excluded.task_key,
    task_seq = excluded.task_seq, answer = null, created_at = excluded.created_at
  where held.created_at < ${expiredBefore(traits)} or held.nonce = excluded.nonce
    ${instead === undefined ? sql`` : sql`or held.nonce = ${instead}`}`;

/** Time before which claimed keys have expired, by the database's clock, which all replicas share. */
const expiredBefore = ({ now }: Traits): RawBuilder<number> => sql<number>`${now} - ${sql.lit(rememberedFor)}`;

/** Idempotency keys of messages, whose reply is in the task's log, and of calls, whose reply is stored with the key. */
export class IdempotencyKeys {
  readonly #database: Database;
  readonly #leases: Leases;
  readonly #damaged: DamagedRows;
  readonly #db: Database['sql'];
  readonly #traits: Traits;

  constructor(database: Database, leases: Leases, damaged: DamagedRows) {
    this.#database = database;
    this.#leases = leases;
    this.#damaged = damaged;
    this.#db = database.sql;
    this.#traits = database.traits;
  }

  /** The call that holds the key, unless it has expired. */
  async findCall(owner: TaskOwner, key: string): Promise<KnownCall | undefined> {
    const { rows } = await sql<Omit<IdempotencyTable, keyof TaskOwner> & { instance: string | null }>`
      select digest, nonce, task_key, task_seq, answer, owner, instance
      from idempotency left join gateway on instance = owner
      where ${matches(owner, key)} and created_at >= ${expiredBefore(this.#traits)}`.execute(this.#db);
    const [row] = rows;
    if (!row) return undefined;
    const { digest, nonce, task_key, task_seq, answer, instance } = row;
    // A repeated call is refused because its answer cannot be read: it must not be carried out twice.
    if (answer !== null) this.#damaged.read('idempotency', rowKey(owner, key), () => checkCallAnswer(answer));
    return {
      digest,
      nonce: nonce ?? '',
      ...(task_key !== null && task_seq !== null && { turn: { key: unescapeText(task_key), seq: task_seq } }),
      ...(answer !== null && { answer }),
      replica: row.owner === this.#leases.instance ? 'this' : instance === null ? 'dead' : 'other',
    };
  }

  /** Claims a key that is free, or held with the nonce `instead`; otherwise resolves with the call that holds it. */
  async claimCall(call: CallKey, instead?: string): Promise<KnownCall | undefined> {
    const claim = claimKey(this.#traits, keyParameters(call, this.#leases.instance), instead);
    // The key may become free between the two statements, so both are repeated.
    for (;;) {
      if ((await claim.execute(this.#db)).numAffectedRows) return undefined;
      const known = await this.findCall(call.owner, call.key);
      if (known) return known;
    }
  }

  /** Stores the reply of the call that holds the key. */
  async answerCall(call: CallKey, answer: string): Promise<void> {
    await sql`update idempotency set answer = ${answer} where ${isHeldBy(call)}`.execute(this.#db);
  }

  /**
   * Frees the key if the call holds it and has no answer. An answer may have been stored although the store did not confirm it.
   */
  async releaseCall(call: CallKey): Promise<void> {
    await sql`delete from idempotency where ${isHeldBy(call)} and answer is null`.execute(this.#db);
  }

  /** Implements `TaskStore.pin`: `retract` never deletes a task with `pushed` set. */
  async pin(key: string): Promise<boolean> {
    const { numAffectedRows } = await sql`update task set pushed = 1 where key = ${escapeText(key)}`.execute(this.#db);
    return numAffectedRows === 1n;
  }

  /**
   * Deletes a task that this gateway owns and that has only its first event. Then gives its call the reply, or frees
   * the key. Resolves with whether the task was deleted.
   */
  async retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const task = escapeText(key);
    const isGone = sql`not exists (select 1 from task where task.key = ${task})`;
    const settle =
      answer === undefined
        ? sql`delete from idempotency`
        : sql`update idempotency set answer = ${answer}, task_key = null, task_seq = null`;
    const [removed] = await this.#database.transaction([
      sql`delete from task where key = ${task} and seq = 1 and pushed = 0 and owner = ${this.#leases.instance}`,
      sql`delete from task_event where key = ${task} and ${isGone}`,
      ...deleteTaskStates(sql`${task}`),
      ...(call ? [sql`${settle} where ${isHeldBy(call)} and task_key = ${task} and ${isGone}`] : []),
    ]);
    return removed === 1;
  }

  /** Deletes at most `limit` expired keys. */
  async expire(limit: number): Promise<void> {
    await sql`
      delete from idempotency where (agent, tenant, principal, key) in (
        select agent, tenant, principal, key from idempotency where created_at < ${expiredBefore(this.#traits)}
        limit ${limit})`.execute(this.#db);
  }
}

const rowKey = (owner: TaskOwner, key: string): string[] => [owner.agent, owner.tenant, owner.principal, key];

const keyColumns = (owner: TaskOwner, key: string) => ({ ...escapeOwner(owner), key: escapeText(key) });

const matches = (owner: TaskOwner, key: string) => sql`${belongsTo(owner)} and key = ${escapeText(key)}`;

/** A condition that this call holds its key. After the key has expired, another call may hold it. */
const isHeldBy = ({ owner, key, nonce }: CallKey) => sql`${matches(owner, key)} and nonce = ${nonce}`;
