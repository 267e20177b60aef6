import type { KnowledgeSpace } from '../../core/model/knowledge.ts';
import type { Database, Prepared } from '../database.ts';
import { escapeText } from '../text.ts';

/** Spaces per statement. */
const atOnce = 500;

const keyOf = ({ agent, tenant }: KnowledgeSpace): string => `${agent}\n${tenant}`;

/** Numbers of spaces, which never change and are cached. */
export class Spaces {
  readonly #database: Database;
  readonly #numbers = new Map<string, number>();
  #look: Prepared<{ id: number }> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined: the space has no row yet. */
  async find(space: KnowledgeSpace): Promise<number | undefined> {
    const key = keyOf(space);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const { sql } = this.#database;
    this.#look ??= this.#database.prepare(
      sql.selectFrom('knowledge_space').select('id').where('agent', '=', '').where('tenant', '=', '').compile(),
    );
    const [row] = await this.#look(escapeText(space.agent), escapeText(space.tenant));
    if (row) this.#numbers.set(key, row.id);
    return row?.id;
  }

  /** Finds many, in their order, with one query per batch of unknown spaces. */
  async findAll(spaces: readonly KnowledgeSpace[]): Promise<readonly (number | undefined)[]> {
    const unknown = spaces.filter((space) => !this.#numbers.has(keyOf(space)));
    for (let from = 0; from < unknown.length; from += atOnce) await this.#learn(unknown.slice(from, from + atOnce));
    return spaces.map((space) => this.#numbers.get(keyOf(space)));
  }

  async #learn(spaces: readonly KnowledgeSpace[]): Promise<void> {
    const rows = await this.#database.sql
      .selectFrom('knowledge_space')
      .select(['id', 'agent', 'tenant'])
      .where('agent', 'in', [...new Set(spaces.map(({ agent }) => escapeText(agent)))])
      .where('tenant', 'in', [...new Set(spaces.map(({ tenant }) => escapeText(tenant)))])
      .execute();
    const found = new Map(rows.map(({ id, agent, tenant }) => [keyOf({ agent, tenant }), id]));
    for (const space of spaces) {
      const id = found.get(keyOf({ agent: escapeText(space.agent), tenant: escapeText(space.tenant) }));
      if (id !== undefined) this.#numbers.set(keyOf(space), id);
    }
  }
}
