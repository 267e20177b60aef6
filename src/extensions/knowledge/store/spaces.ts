import { sql } from 'kysely';
import type { Database } from '../../../stores/database.ts';
import { escapeText } from '../../../stores/text.ts';
import type { KnowledgeSpace } from '../model/knowledge.ts';

export const spaceKey = ({ agent, tenant }: KnowledgeSpace): string => `${agent}\n${tenant}`;

/**
 * Returns a function that finds the number of a space; undefined if the space has no row yet. Numbers never change and
 * are cached.
 */
export function createSpaces(database: Database) {
  const numbers = new Map<string, number>();
  const findId = database.prepare(
    sql<{ id: number }>`select id from knowledge_space where agent = ${''} and tenant = ${''}`,
  );

  return async (space: KnowledgeSpace): Promise<number | undefined> => {
    const key = spaceKey(space);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const [row] = await findId(escapeText(space.agent), escapeText(space.tenant));
    if (row) numbers.set(key, row.id);
    return row?.id;
  };
}
