import type { KnowledgeSpace } from '../../core/knowledge.ts';
import type { Database, Prepared } from '../database.ts';
import { escapeText } from '../text.ts';

const keyOf = ({ agent, tenant }: KnowledgeSpace): string => `${agent}\n${tenant}`;

/** Numbers of spaces, which never change. */
export class Spaces {
  readonly #database: Database;
  readonly #numbers = new Map<string, number>();
  #look: Prepared<{ id: number }> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined: nobody wrote to it yet. */
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
}
