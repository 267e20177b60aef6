import type { CallOutcome, RememberedCall, TaskOwner } from '../core/ports.ts';
import type { Database } from './database.ts';
import type { Leases } from './leases.ts';
import { escapeText, unescapeText } from './text.ts';

/** Milliseconds that an idempotency key is remembered. */
export const rememberedFor = 24 * 60 * 60 * 1000;

/** Who executes a call that is over: no gateway has this name. */
const nobody = '';

/** First calls with an idempotency key, and what came of them. */
export class RememberedCalls {
  readonly #database: Database;
  readonly #leases: Leases;

  constructor(database: Database, leases: Leases) {
    this.#database = database;
    this.#leases = leases;
  }

  /** The first call with this key, or undefined when this is it. A key of over a day ago counts as new. */
  async remember(owner: TaskOwner, key: string, digest: string): Promise<RememberedCall | undefined> {
    const now = Date.now();
    const fresh = { digest, owner: this.#leases.instance, created_at: now };
    const id = idOf(owner, key);
    // Between the two statements the first call may be forgotten; then this one is the first.
    for (;;) {
      const { numInsertedOrUpdatedRows } = await this.#database.sql
        .insertInto('idempotency')
        .values({ ...id, ...fresh, task_key: null, task_seq: null, answer: null })
        .onConflict((conflict) =>
          conflict
            .columns(['agent', 'tenant', 'principal', 'key'])
            .doUpdateSet({ ...fresh, task_key: null, task_seq: null, answer: null })
            .where('idempotency.created_at', '<', now - rememberedFor),
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows) return undefined;
      const known = await this.#find(id);
      if (known) return known;
    }
  }

  async settle(owner: TaskOwner, key: string, { task, answer, over }: CallOutcome): Promise<void> {
    const changes = {
      ...(task && { task_key: escapeText(task.key), task_seq: task.seq }),
      ...(answer !== undefined && { answer }),
      ...(over && { owner: nobody }),
    };
    if (Object.keys(changes).length === 0) return;
    await this.#database.sql
      .updateTable('idempotency')
      .set(changes)
      .where((eb) => eb.and(this.#own(owner, key)))
      .execute();
  }

  async forget(owner: TaskOwner, key: string): Promise<void> {
    await this.#database.sql
      .deleteFrom('idempotency')
      .where((eb) => eb.and(this.#own(owner, key)))
      .execute();
  }

  /** Forgets at most `limit` keys of over a day ago. */
  async expire(limit: number): Promise<void> {
    await this.#database.sql
      .deleteFrom('idempotency')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('agent', 'tenant', 'principal', 'key'),
          'in',
          selectFrom('idempotency')
            .select(['agent', 'tenant', 'principal', 'key'])
            .where('created_at', '<', Date.now() - rememberedFor)
            .limit(limit)
            .$asTuple('agent', 'tenant', 'principal', 'key'),
        ),
      )
      .execute();
  }

  /** The key while it is this gateway's: one of over a day ago may be another call's by now. */
  #own(owner: TaskOwner, key: string) {
    return { ...idOf(owner, key), owner: this.#leases.instance };
  }

  async #find(id: ReturnType<typeof idOf>): Promise<RememberedCall | undefined> {
    const row = await this.#database.sql
      .selectFrom('idempotency')
      .leftJoin('gateway', 'gateway.instance', 'idempotency.owner')
      .select(['digest', 'task_key', 'task_seq', 'answer', 'instance'])
      .where((eb) => eb.and(id))
      .executeTakeFirst();
    if (!row) return undefined;
    const { digest, task_key, task_seq, answer, instance } = row;
    return {
      digest,
      ...(task_key !== null && task_seq !== null && { task: { key: unescapeText(task_key), seq: task_seq } }),
      ...(answer !== null && { answer }),
      alive: instance !== null,
    };
  }
}

const idOf = ({ agent, tenant, principal }: TaskOwner, key: string) => ({
  agent: escapeText(agent),
  tenant: escapeText(tenant),
  principal: escapeText(principal),
  key: escapeText(key),
});
