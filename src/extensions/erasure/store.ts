import { createHmac, randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { isObject } from '../../core/model/json.ts';
import { readStored, UnreadableRow } from '../../core/model/stored-form.ts';
import type { Store } from '../../core/ports/store.ts';
import type { WrittenTopic } from '../../stores/cluster/store-watch.ts';
import { integerIn, textIn } from '../../stores/damaged-rows.ts';
import type { Transaction } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { guardWith } from '../../stores/part-methods.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';
import { begun, type Change, type Erasure, type OpenErasure, type Progress, progressAfter } from './model.ts';
import type { Part } from './steps.ts';

/** `principal`: null once the erasure is over. `body`: the progress as JSON. */
const table: Migration = {
  number: 38,
  name: 'erasures',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('erasure')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('principal', text)
      .$call(required(text, 'begun_by', 'body'))
      .$call(required(integer, 'before_at', 'token'))
      .addColumn('ended_at', integer)
      .modifyEnd(clustered)
      .execute();
  },
};

interface Row {
  readonly id: string;
  readonly principal: string | null;
  readonly begun_by: string;
  readonly before_at: number;
  readonly ended_at: number | null;
  readonly body: string;
  readonly token: number;
}

function progressIn(body: string): Progress {
  const progress = readStored<Progress>('The progress of an erasure', body);
  if (typeof progress.step === 'string' && isObject(progress.erased) && isObject(progress.remaining)) return progress;
  throw new UnreadableRow('its body is no progress of an erasure');
}

const erasureOf = (row: Row): Erasure => ({
  id: textIn(row, 'id'),
  principal: row.principal === null ? undefined : unescapeText(row.principal),
  begunBy: unescapeText(row.begun_by),
  before: integerIn(row, 'before_at'),
  endedAt: row.ended_at === null ? undefined : integerIn(row, 'ended_at'),
  progress: progressIn(row.body),
  token: integerIn(row, 'token'),
});

/** Returns the id of a caller's erasure. It reveals the caller only to those who have the store's secret. */
export async function erasureIdOf(store: Pick<Store, 'secret'>, principal: string): Promise<string> {
  const secret = await store.secret('erasures');
  return createHmac('sha256', secret).update(principal).digest('hex').slice(0, 32);
}

/** Opens a look at whether there was ever an erasure (`Store.extend`). Before the first one, there is no table. */
export async function openHistory({ has }: StoreHost) {
  return { hasAny: () => has(table) };
}

/** Opens the table of erasures in the store (`Store.extend`). */
export async function openErasures(host: StoreHost): Promise<ErasureStore> {
  await host.migrate('erasures', [table]);
  return new ErasureStore(host);
}

const newToken = (): number => randomInt(2 ** 31);

/** The rows of erasures. */
export class ErasureStore {
  readonly host: StoreHost;
  readonly #topic: WrittenTopic;
  readonly #guarded: ReturnType<typeof guardWith>;

  constructor(host: StoreHost) {
    this.host = host;
    this.#guarded = guardWith(host.failure);
    // Progress is no change: the replica that makes it does the work.
    this.#topic = host.topic(
      'erasures',
      () => sql`(
        select count(*) || ' ' || coalesce(sum(before_at), 0) || ' ' || count(ended_at) from erasure)`,
    );
  }

  /** As of `StoreTopic.listen`. */
  listen(within: number, changed: () => void): () => void {
    return this.#topic.listen(within, changed);
  }

  async find(id: string): Promise<Erasure | undefined> {
    const [found] = await this.#read(sql`where id = ${id}`);
    return found;
  }

  /** Reads the erasures that are not over. The oldest comes first. */
  async unfinished(): Promise<OpenErasure[]> {
    const found = await this.#read(sql`where ended_at is null order by before_at, id limit 100`);
    return found.filter((one): one is OpenErasure => one.principal !== undefined);
  }

  async #read(where: RawBuilder<unknown>): Promise<Erasure[]> {
    const { damaged, rows } = this.host;
    const found = await rows(sql<Row>`select * from erasure ${where}`);
    return found.flatMap((row) => damaged.read('erasure', [row.id], () => erasureOf(row)) ?? []);
  }

  /**
   * Stores a new erasure of the caller in place of one that is over. If an erasure is not over, it stays. Durable when it
   * resolves.
   */
  async begin({ id, principal, begunBy }: Pick<OpenErasure, 'id' | 'principal' | 'begunBy'>): Promise<void> {
    const body = JSON.stringify(begun);
    const by = escapeText(begunBy);
    const name = escapeText(principal);
    try {
      await this.host.rows(sql`
        insert into erasure (id, principal, begun_by, before_at, ended_at, body, token)
        values (${id}, ${name}, ${by}, ${this.host.clock.now()}, null, ${body}, ${newToken()})
        on conflict (id) do update set principal = excluded.principal, begun_by = excluded.begun_by,
          before_at = excluded.before_at, ended_at = null, body = excluded.body, token = excluded.token
        where erasure.ended_at is not null`);
    } finally {
      this.#topic.wrote();
    }
  }

  /**
   * Carries out a part of a step and stores the progress in one transaction. Undefined: another replica was first, and the part
   * changed nothing.
   */
  async advance(erasure: OpenErasure, part: Change | Part): Promise<Advanced | undefined> {
    const { database, clock } = this.host;
    const { id, token, progress } = erasure;
    const advanced = await this.#guarded(() =>
      database.transact(function* (): Transaction<Advanced | undefined> {
        const compile = (query: RawBuilder<unknown>) => query.compile(database.sql);
        const [held] = yield compile(
          sql`update erasure set token = ${newToken()} where id = ${id} and token = ${token} returning id`,
        );
        if (!held) return undefined;
        const change = typeof part === 'function' ? yield* part() : part;
        const { progress: after, isOver } = progressAfter(progress, change);
        const end = isOver ? sql`, principal = null, ended_at = ${clock.now()}` : sql``;
        yield compile(sql`update erasure set body = ${JSON.stringify(after)} ${end} where id = ${id}`);
        return { progress: after, isOver, waits: change.waits === true };
      }),
    );
    if (advanced?.isOver) this.#topic.wrote();
    return advanced;
  }
}

export interface Advanced {
  readonly progress: Progress;
  readonly isOver: boolean;
  /** Whether the next part should begin after a while. */
  readonly waits: boolean;
}
