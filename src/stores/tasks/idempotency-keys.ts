import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { CallKey, TaskOwner } from '../../core/model/ids.ts';
import type { KeyedCall, KnownCall } from '../../core/ports/task-store.ts';
import type { Leases } from '../cluster/leases.ts';
import type { Database, IdempotencyKeyWrite } from '../database.ts';
import type { IdempotencyTable } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';

/** Milliseconds for which an idempotency key is kept. */
export const rememberedFor = 24 * 60 * 60 * 1000;

/** Columns of the primary key. */
const unique = ['agent', 'tenant', 'principal', 'key'] as const;

/** An idempotency key and its turn in columns. */
export const keyWrite = ({ call, seq }: KeyedCall, taskKey: string): IdempotencyKeyWrite => ({
  ...keyColumns(call.owner, call.key),
  digest: call.digest,
  nonce: call.nonce,
  taskKey,
  seq,
});

/**
 * Claims a key that is free, expired or already this call's. Its parameters: `keyParameters`. Changes one row, or none.
 */
export function claimKeyStatement({ sql: db, traits }: Pick<Database, 'sql' | 'traits'>): CompiledQuery {
  const mark = '';
  return db
    .insertInto('idempotency')
    .values({
      ...{ agent: mark, tenant: mark, principal: mark, key: mark, digest: mark, nonce: mark, owner: mark },
      ...{ task_key: mark, task_seq: sql`cast(${mark} as ${traits.integer})`, created_at: traits.now },
    })
    .onConflict((conflict) =>
      conflict
        .columns([...unique])
        .doUpdateSet(({ ref }) => ({
          ...{ digest: ref('excluded.digest'), nonce: ref('excluded.nonce'), owner: ref('excluded.owner') },
          ...{ task_key: ref('excluded.task_key'), task_seq: ref('excluded.task_seq'), answer: sql`null` },
          created_at: ref('excluded.created_at'),
        }))
        .where((eb) =>
          eb.or([
            eb('idempotency.created_at', '<', expiredBefore(traits)),
            eb('idempotency.nonce', '=', eb.ref('excluded.nonce')),
          ]),
        ),
    )
    .compile();
}

export const keyParameters = (key: IdempotencyKeyWrite, instance: string): (string | number)[] => [
  ...[key.agent, key.tenant, key.principal, key.key, key.digest, key.nonce, instance],
  ...[key.taskKey, key.seq],
];

/** By the database's clock, which all replicas share. */
const expiredBefore = ({ now }: Database['traits']): RawBuilder<number> =>
  sql<number>`${now} - ${sql.lit(rememberedFor)}`;

/**
 * The idempotency keys: of messages, whose reply is the task's log, and of calls whose reply is stored with the key.
 */
export class IdempotencyKeys {
  readonly #database: Database;
  readonly #leases: Leases;

  constructor(database: Database, leases: Leases) {
    this.#database = database;
    this.#leases = leases;
  }

  /** The call that holds the key, unless it has expired. */
  async findCall(owner: TaskOwner, key: string): Promise<KnownCall | undefined> {
    const { sql: db, traits } = this.#database;
    const row = await db
      .selectFrom('idempotency')
      .leftJoin('gateway', 'gateway.instance', 'idempotency.owner')
      .select(['digest', 'nonce', 'task_key', 'task_seq', 'answer', 'idempotency.owner'])
      .select('instance')
      .where((eb) => eb.and(keyColumns(owner, key)))
      .where('created_at', '>=', expiredBefore(traits))
      .executeTakeFirst();
    if (!row) return undefined;
    const { digest, nonce, task_key, task_seq, answer, instance } = row;
    return {
      digest,
      nonce: nonce ?? '',
      ...(task_key !== null && task_seq !== null && { turn: { key: unescapeText(task_key), seq: task_seq } }),
      ...(answer !== null && { answer }),
      replica: row.owner === this.#leases.instance ? 'this' : instance === null ? 'dead' : 'other',
    };
  }

  /**
   * Claims the key where it is free, or held with the nonce `instead`; otherwise resolves with the call that holds it.
   */
  async claimCall(call: CallKey, instead?: string): Promise<KnownCall | undefined> {
    const { sql: db, traits } = this.#database;
    const fresh = {
      digest: call.digest,
      nonce: call.nonce,
      owner: this.#leases.instance,
      created_at: traits.now,
      task_key: null,
      task_seq: null,
      answer: null,
    };
    // The key may become free between the two statements: try again.
    for (;;) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('idempotency')
        .values({ ...keyColumns(call.owner, call.key), ...fresh })
        .onConflict((conflict) =>
          conflict
            .columns([...unique])
            .doUpdateSet(fresh)
            .where((eb) =>
              eb.or([
                eb('idempotency.created_at', '<', expiredBefore(traits)),
                // A statement whose answer was lost is repeated.
                eb('idempotency.nonce', '=', call.nonce),
                ...(instead === undefined ? [] : [eb('idempotency.nonce', '=', instead)]),
              ]),
            ),
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows) return undefined;
      const known = await this.findCall(call.owner, call.key);
      if (known) return known;
    }
  }

  /** Stores the reply of the call that holds the key. */
  async answer(call: CallKey, answer: string): Promise<void> {
    await this.#database.sql
      .updateTable('idempotency')
      .set({ answer })
      .where((eb) => eb.and(callColumns(call)))
      .execute();
  }

  /** Frees the key if the call holds it. */
  async release(call: CallKey): Promise<void> {
    await this.#database.sql
      .deleteFrom('idempotency')
      .where((eb) => eb.and(callColumns(call)))
      .execute();
  }

  /** As of `TaskStore.pin`: `retract` never deletes a task with `pushed` set. */
  async pin(key: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database.sql
      .updateTable('task')
      .set({ pushed: 1 })
      .where('key', '=', escapeText(key))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /**
   * Deletes a task that this gateway owns and that has only its first event. Then gives its call the reply, or frees
   * the key. Resolves with whether the task was deleted.
   */
  async retract(key: string, call: CallKey | undefined, answer: string | undefined): Promise<boolean> {
    const { sql: db } = this.#database;
    const task = escapeText(key);
    const still = db.selectFrom('task').select('task.key').where('task.key', '=', task);
    const [removed] = await this.#database.transaction([
      db
        .deleteFrom('task')
        .where('key', '=', task)
        .where('seq', '=', 1)
        .where('pushed', '=', 0)
        .where('owner', '=', this.#leases.instance)
        .compile(),
      db.deleteFrom('task_event').where('key', '=', task).where('key', 'not in', still).compile(),
      ...(call ? [this.#settleKey(call, task, answer)] : []),
    ]);
    return removed === 1;
  }

  /** Sets the reply of the call, or frees its key, if its task was deleted. */
  #settleKey(call: CallKey, task: string, answer: string | undefined): CompiledQuery {
    const { sql: db } = this.#database;
    const gone = db.selectFrom('task').select('task.key').where('task.key', '=', task);
    if (answer === undefined) {
      const freed = db.deleteFrom('idempotency').where((eb) => eb.and({ ...callColumns(call), task_key: task }));
      return freed.where('task_key', 'not in', gone).compile();
    }
    const answered = db.updateTable('idempotency').set({ answer, task_key: null, task_seq: null });
    return answered
      .where((eb) => eb.and({ ...callColumns(call), task_key: task }))
      .where('task_key', 'not in', gone)
      .compile();
  }

  /** Deletes at most `limit` expired keys. */
  async expire(limit: number): Promise<void> {
    const { sql: db, traits } = this.#database;
    await db
      .deleteFrom('idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple(...unique),
          'in',
          selectFrom('idempotency')
            .select([...unique])
            .where('created_at', '<', expiredBefore(traits))
            .limit(limit)
            .$asTuple(...unique),
        ),
      )
      .execute();
  }
}

type KeyColumns = Pick<IdempotencyTable, (typeof unique)[number]>;

const keyColumns = ({ agent, tenant, principal }: TaskOwner, key: string): KeyColumns => ({
  agent: escapeText(agent),
  tenant: escapeText(tenant),
  principal: escapeText(principal),
  key: escapeText(key),
});

/** Columns that match the key only while this call holds it: after it expired, another call may. */
const callColumns = (call: CallKey): KeyColumns & { nonce: string } => ({
  ...keyColumns(call.owner, call.key),
  nonce: call.nonce,
});
