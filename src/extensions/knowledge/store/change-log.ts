import { sql } from 'kysely';
import { readStored } from '../../../core/model/stored-form.ts';
import type { DamagedRows } from '../../../core/ports/damaged-rows.ts';
import { integerIn } from '../../../stores/damaged-rows.ts';
import type { Database, Prepared } from '../../../stores/database.ts';
import { inline, sizeOf, smallText, withinBytes } from '../../../stores/tasks/byte-limits.ts';
import { escapeText } from '../../../stores/text.ts';
import { type ChangeMeta, type KnowledgeChange, type LogExtent, requireChange, unreadChange } from '../model/graph.ts';
import type { KGStatement, KnowledgeSpace, PatchOp } from '../model/knowledge.ts';
import { lookUp } from './joins.ts';
import type { KnowledgeChangeTable } from './rows.ts';
import type { createSpaces } from './spaces.ts';

/** Maximum bytes of changes that are read at a time. */
const changeBytes = 1_048_576;
const body = sql.ref('body');
/** Number of changes deleted in one transaction. */
const batch = 5_000;

const changeFrom = (row: Omit<KnowledgeChangeTable, 'space'>): KnowledgeChange => {
  const { statement, replaced } = readStored<{ statement: KGStatement; replaced?: KGStatement[] }>(
    `Change ${row.seq} of a knowledge graph`,
    row.body,
  );
  return requireChange({
    position: row.seq,
    changeId: row.change_id,
    at: row.at,
    op: row.op as PatchOp,
    statement,
    ...(replaced && { replaced }),
    meta: JSON.parse(row.meta) as ChangeMeta,
  });
};

/** Reads the change log and deletes its oldest part. */
export class ChangeLog {
  readonly #database: Database;
  readonly #findSpace: ReturnType<typeof createSpaces>;
  readonly #damaged: DamagedRows;
  readonly #findLasts: Prepared<{ i: number; last_seq: number }>;

  constructor(database: Database, findSpace: ReturnType<typeof createSpaces>, damaged: DamagedRows) {
    this.#database = database;
    this.#findSpace = findSpace;
    this.#damaged = damaged;
    const { traits } = database;
    const passed = traits.records('x', { i: 'bigint', agent: 'text', tenant: 'text' }, sql`${''}`);
    const where = sql`space.agent = x.agent and space.tenant = x.tenant`;
    const found = lookUp(traits, passed, { table: 'knowledge_space', alias: 'space' }, where);
    this.#findLasts = database.prepare(sql<{ i: number; last_seq: number }>`select x.i, space.last_seq from ${found}`);
  }

  async changes(at: KnowledgeSpace, after: number, limit: number): Promise<readonly KnowledgeChange[]> {
    const space = await this.#findSpace(at);
    if (space === undefined) return [];
    const { rows } = await sql<Omit<KnowledgeChangeTable, 'space' | 'body'> & { size: number; body: string | null }>`
      select seq, change_id, at, op, meta, ${sizeOf(body)} as size, ${smallText(body, inline.many)} as body
      from knowledge_change where space = ${space} and seq > ${after} order by seq limit ${limit}`.execute(
      this.#database.sql,
    );
    const changes: KnowledgeChange[] = [];
    for (const row of withinBytes(rows, changeBytes, ({ size }) => size)) {
      const text = row.body ?? (await this.#readBody(space, row.seq));
      // The change and those before it have expired meanwhile.
      if (text === undefined) return [];
      const read = () => changeFrom({ ...row, body: text });
      const change = this.#damaged.read('knowledge_change', [space, row.seq], read);
      changes.push(change ?? unreadChange(row.seq, row.at));
    }
    return changes;
  }

  async #readBody(space: number, seq: number): Promise<string | undefined> {
    const { rows } = await sql<{ body: string }>`
      select body from knowledge_change where space = ${space} and seq = ${seq}`.execute(this.#database.sql);
    return rows[0]?.body;
  }

  async extent(at: KnowledgeSpace): Promise<LogExtent> {
    const space = await this.#findSpace(at);
    if (space === undefined) return { first: 1, last: 0 };
    const { rows } = await sql<LogExtent>`
      select first_seq as first, last_seq as last from knowledge_space where id = ${space}`.execute(this.#database.sql);
    const [row] = rows;
    const read = (found: LogExtent) => ({ first: integerIn(found, 'first'), last: integerIn(found, 'last') });
    const known = row && this.#damaged.read('knowledge_space', [at.agent, at.tenant], () => read(row));
    return known ?? { first: 1, last: 0 };
  }

  /** Returns the last positions of the logs of some spaces, in their order; 0 for a space without changes. */
  async lasts(spaces: readonly KnowledgeSpace[]): Promise<readonly number[]> {
    const wanted = spaces.map(({ agent, tenant }, i) => ({ i, agent: escapeText(agent), tenant: escapeText(tenant) }));
    const positions = spaces.map(() => 0);
    for (const { i, last_seq } of await this.#findLasts(JSON.stringify(wanted))) positions[i] = last_seq;
    return positions;
  }

  /** Deletes older changes in all spaces. */
  async expireChanges(before: number, limit: number): Promise<number> {
    const { rows: retained } = await sql<{ id: number; first_seq: number }>`
      select id, first_seq from knowledge_space where first_seq <= last_seq`.execute(this.#database.sql);
    let deleted = 0;
    for (const { id, first_seq } of retained) {
      while (deleted < limit) {
        const next = await this.#endOfOld(id, first_seq, before, Math.min(batch, limit - deleted));
        if (next === undefined) break;
        deleted += await this.#deleteUntil(id, next);
        // Gives other calls a chance to use the database.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return deleted;
  }

  /**
   * Returns the position after the last expired change, at most `limit` further on; undefined if the oldest change has
   * not expired.
   */
  async #endOfOld(space: number, first: number, before: number, limit: number): Promise<number | undefined> {
    const { rows } = await sql<{ seq: number; at: number }>`
      select seq, at from knowledge_change where space = ${space} and seq >= ${first}
      order by seq limit ${limit}`.execute(this.#database.sql);
    const young = rows.findIndex(({ at }) => at >= before);
    const old = young < 0 ? rows.at(-1) : rows[young - 1];
    return old && old.seq + 1;
  }

  /** Moves `first_seq` and deletes the changes before it in one transaction. */
  async #deleteUntil(space: number, next: number): Promise<number> {
    const [, deleted = 0] = await this.#database.transaction([
      sql`update knowledge_space set first_seq = ${next} where id = ${space} and first_seq < ${next}`,
      sql`delete from knowledge_change where space = ${space} and seq < ${next}`,
    ]);
    return deleted;
  }
}
