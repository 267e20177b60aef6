import { sql } from 'kysely';
import type {
  ChangeMeta,
  KGStatement,
  KnowledgeChange,
  KnowledgeSpace,
  LogExtent,
  PatchOp,
} from '../../core/model/knowledge.ts';
import type { Database } from '../database.ts';
import { inline, sizeOf, smallText, withinBytes } from '../tasks/byte-limits.ts';
import type { KnowledgeChangeTable } from './schema.ts';
import type { Spaces } from './spaces.ts';

/** Bytes of changes that are read at once. */
const changeBytes = 1_048_576;
const body = sql.ref('body');
/** Changes deleted in one transaction. */
const batch = 5_000;

const changeFrom = (row: Omit<KnowledgeChangeTable, 'space'>): KnowledgeChange => {
  const { statement, replaced } = JSON.parse(row.body) as { statement: KGStatement; replaced?: KGStatement[] };
  return {
    position: row.seq,
    changeId: row.change_id,
    at: row.at,
    op: row.op as PatchOp,
    statement,
    ...(replaced && { replaced }),
    meta: JSON.parse(row.meta) as ChangeMeta,
  };
};

/** Reads the change log, and deletes its oldest part. */
export class ChangeLog {
  readonly #database: Database;
  readonly #spaces: Spaces;

  constructor(database: Database, spaces: Spaces) {
    this.#database = database;
    this.#spaces = spaces;
  }

  async changes(at: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return [];
    const rows = await this.#database.sql
      .selectFrom('knowledge_change')
      .select([
        'seq',
        'change_id',
        'at',
        'op',
        'meta',
        sizeOf(body).as('size'),
        smallText(body, inline.many).as('body'),
      ])
      .where('space', '=', space)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
    const changes: KnowledgeChange[] = [];
    for (const row of withinBytes(rows, changeBytes, ({ size }) => size)) {
      const text = row.body ?? (await this.#body(space, row.seq));
      // Expired meanwhile, together with those before it.
      if (text === undefined) return [];
      changes.push(changeFrom({ ...row, body: text }));
    }
    return changes;
  }

  async #body(space: number, seq: number): Promise<string | undefined> {
    const row = await this.#database.sql
      .selectFrom('knowledge_change')
      .select('body')
      .where('space', '=', space)
      .where('seq', '=', seq)
      .executeTakeFirst();
    return row?.body;
  }

  async extent(at: KnowledgeSpace): Promise<LogExtent> {
    const space = await this.#spaces.find(at);
    if (space === undefined) return { first: 1, last: 0 };
    const row = await this.#database.sql
      .selectFrom('knowledge_space')
      .select(['first_seq as first', 'last_seq as last'])
      .where('id', '=', space)
      .executeTakeFirst();
    return row ?? { first: 1, last: 0 };
  }

  /** The last positions of the logs of some spaces, in their order; 0 for a space without changes. */
  async lasts(spaces: readonly KnowledgeSpace[]): Promise<readonly number[]> {
    const numbers = await this.#spaces.findAll(spaces);
    const known = numbers.filter((number) => number !== undefined);
    if (known.length === 0) return numbers.map(() => 0);
    const rows = await this.#database.sql
      .selectFrom('knowledge_space')
      .select(['id', 'last_seq'])
      .where('id', 'in', known)
      .execute();
    const lasts = new Map(rows.map(({ id, last_seq }) => [id, last_seq]));
    return numbers.map((number) => (number === undefined ? 0 : (lasts.get(number) ?? 0)));
  }

  /** Deletes older changes in every space. */
  async expire(before: number, limit: number): Promise<number> {
    const { sql } = this.#database;
    const spaces = await sql
      .selectFrom('knowledge_space')
      .select(['id', 'first_seq'])
      .whereRef('first_seq', '<=', 'last_seq')
      .execute();
    let deleted = 0;
    for (const { id, first_seq } of spaces) {
      while (deleted < limit) {
        const next = await this.#endOfOld(id, first_seq, before, Math.min(batch, limit - deleted));
        if (next === undefined) break;
        deleted += await this.#delete(id, next);
        // Let other calls use the database first.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return deleted;
  }

  /** The position after the last expired change, at most `limit` on; undefined when the oldest change is recent. */
  async #endOfOld(space: number, first: number, before: number, limit: number): Promise<number | undefined> {
    const rows = await this.#database.sql
      .selectFrom('knowledge_change')
      .select(['seq', 'at'])
      .where('space', '=', space)
      .where('seq', '>=', first)
      .orderBy('seq')
      .limit(limit)
      .execute();
    const young = rows.findIndex(({ at }) => at >= before);
    const old = young < 0 ? rows.at(-1) : rows[young - 1];
    return old && old.seq + 1;
  }

  /** Moves `first_seq` and deletes the changes in one transaction. */
  async #delete(space: number, next: number): Promise<number> {
    const { sql } = this.#database;
    const [, deleted = 0] = await this.#database.transaction([
      sql
        .updateTable('knowledge_space')
        .set({ first_seq: next })
        .where('id', '=', space)
        .where('first_seq', '<', next)
        .compile(),
      sql.deleteFrom('knowledge_change').where('space', '=', space).where('seq', '<', next).compile(),
    ]);
    return deleted;
  }
}
