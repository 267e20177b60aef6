import { sql } from 'kysely';
import type { StoreHost } from '../../../stores/extensions.ts';
import { unescapeText } from '../../../stores/text.ts';
import { knowledge } from './migrations/0005-knowledge.ts';

/** Opens access to the authors of changes in the change log (`Store.extend`). */
export async function openAuthors({ has, rows }: StoreHost) {
  return {
    /**
     * Empties the metadata of an author's changes, at most `limit` of them. Resolves with their number and the agents
     * whose graphs they changed.
     *
     * @param before milliseconds since the epoch; later changes are kept
     */
    async erase(principal: string, before: number, limit: number): Promise<ErasedAuthor> {
      if (!(await has(knowledge))) return { count: 0, agents: [] };
      const name = `"principal":${JSON.stringify(principal)}`;
      // `like` is not used, because it ignores case.
      const found = await rows(sql<{ space: number }>`
        update knowledge_change set meta = '{}' where (space, seq) in (
          select space, seq from knowledge_change
          where at <= ${before} and replace(meta, ${name}, '') <> meta limit ${limit})
        returning space`);
      if (found.length === 0) return { count: 0, agents: [] };
      const spaces = sql.join([...new Set(found.map(({ space }) => space))]);
      const named = await rows(sql<{ agent: string }>`select agent from knowledge_space where id in (${spaces})`);
      return { count: found.length, agents: named.map(({ agent }) => unescapeText(agent)) };
    },
  };
}

interface ErasedAuthor {
  readonly count: number;
  readonly agents: readonly string[];
}
