import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { CallKey, TaskOwner } from '../../core/model/ids.ts';
import type { KeyedCall, KnownCall } from '../../core/ports/task-store.ts';
import type { Leases } from '../cluster/leases.ts';
import type { Database, IdempotencyKeyWrite } from '../database.ts';
import type { IdempotencyTable } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';

/** Milliseconds that an idempotency key is remembered. */
export const rememberedFor = 24 * 60 * 60 * 1000;

/** Columns of the primary key. */
const unique = ['agent', 'tenant', 'principal', 'key'] as const;

/** A key and its turn, as columns have them. */
export const keyWrite = ({ call, seq }: KeyedCall, taskKey: string): IdempotencyKeyWrite => ({
  ...keyColumns(call.owner, call.key),
  digest: call.digest,
  nonce: call.nonce,
  taskKey,
  seq,
});

/** Takes a key that is free, or this call's already. Its parameters: `keyParameters`. Changes one row, or none. */
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

/** By the database's clock, which all gateways share. */
const expiredBefore = ({ now }: Database['traits']): RawBuilder<number> =>
  sql<number>`${now} - ${sql.lit(rememberedFor)}`;

/** Rows of idempotency keys: of messages, which the log answers, and of calls that are answered by no task. */
export class IdempotencyKeys {
  readonly #database: Database;
  readonly #leases: Leases;

  constructor(database: Database, leases: Leases) {
    this.#database = database;
    this.#leases = leases;
  }

  /** The first call with this key. One of over a day ago is not known any more. */
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

  /** Takes the key where it is free, or known with the nonce `instead`; else the call that has it. */
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
    // Between the two statements the key may become free; then it is tried again.
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
                // A statement whose answer was lost is carried out once more.
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

  /** Stores what the call with the key was answered. */
  async answer(call: CallKey, answer: string): Promise<void> {
    await this.#database.sql
      .updateTable('idempotency')
      .set({ answer })
      .where((eb) => eb.and(callColumns(call)))
      .execute();
  }

  /** Frees the key, where the call has it. */
  async release(call: CallKey): Promise<void> {
    await this.#database.sql
      .deleteFrom('idempotency')
      .where((eb) => eb.and(callColumns(call)))
      .execute();
  }

  /** As of `TaskStore.pin`: `retract` spares tasks on which push configurations may hang, whether any does or not. */
  async pin(key: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database.sql
      .updateTable('task')
      .set({ pushed: 1 })
      .where('key', '=', escapeText(key))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /**
   * Removes a task of this gateway's that consists of its opening alone, and gives its call the answer, or frees the key.
   * Whether it was removed.
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

  /** Gives the key of a call whose task is gone its answer, or frees it. */
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

  /** Forgets at most `limit` keys of over a day ago. */
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

/** The row while it is this call's: a key of over a day ago may be another call's by now. */
const callColumns = (call: CallKey): KeyColumns & { nonce: string } => ({
  ...keyColumns(call.owner, call.key),
  nonce: call.nonce,
});
