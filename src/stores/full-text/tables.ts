import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Traits } from '../database.ts';
import type { Migration } from '../migrations/step.ts';

/**
 * The index of words of tasks, created by the first gateway with `fullText` on. The words of a task are deleted with the task.
 */
export const fullTextTables: Migration = {
  number: 22,
  name: 'full text',
  async up(db, { fullText, text, numbered }) {
    if (fullText === 'tsvector') {
      await sql`
        create table task_text (id ${numbered}, key ${text} not null unique references task (key) on delete cascade,
          words tsvector not null)`.execute(db);
      await sql`create index task_text_words on task_text using gin (words)`.execute(db);
      return;
    }
    // Without positions, and without the texts. Beginnings of words that are not among `prefix` are read whole, before a limit.
    await sql`
      create virtual table task_text_index using
        fts5(words, content='', contentless_delete=1, detail=none, prefix='3 4 5 6', tokenize="ascii tokenchars '_'")`
      .execute(db)
      .catch((cause: unknown) => {
        throw new Error(`fullText needs SQLite 3.43 or later with FTS5, which this Node.js lacks (${cause})`, {
          cause,
        });
      });
    await sql`create table task_text (id ${numbered}, key ${text} not null unique)`.execute(db);
    await sql`
      create trigger task_text_expired after delete on task begin
        delete from task_text_index where rowid = (select id from task_text where key = old.key);
        delete from task_text where key = old.key;
      end`.execute(db);
  },
};

/** The beginnings of words that the index of SQLite has. */
const indexed = { shortest: 3, longest: 6 } as const;

/** Statements that index the words of a task, unless it was deleted, as the latest change. */
export function putWords({ fullText }: Traits, key: string, words: readonly string[]) {
  const gone = sql`delete from task_text where key = ${key}`;
  if (fullText === 'tsvector') {
    const list = sql`array(select json_array_elements_text(${JSON.stringify(words)}::json))`;
    return [
      gone,
      sql`insert into task_text (key, words) select key, array_to_tsvector(${list}) from task where key = ${key}`,
    ];
  }
  return [
    sql`delete from task_text_index where rowid = (select id from task_text where key = ${key})`,
    gone,
    sql`insert into task_text (key) select key from task where key = ${key}`,
    sql`insert into task_text_index (rowid, words) select id, ${words.join(' ')} from task_text where key = ${key}`,
  ];
}

/** A task that contains the words, by its number in the index. Later changes have larger numbers. */
export interface WordHit {
  readonly id: number;
  readonly key: string;
}

/** Finds tasks with words that begin with each of the given ones: a word of one or two letters must be whole. */
export function createWordSearch({ sql: db, traits }: Pick<Database, 'sql' | 'traits'>) {
  const isWhole = async (word: string): Promise<boolean> =>
    word.length < indexed.shortest ||
    (word.length > indexed.longest && (await hits(`"${word}"`, undefined, 1)).length > 0);

  /** Words are letters, digits and underscores, which need no escape. */
  async function queryOf(words: readonly string[]): Promise<string> {
    if (traits.fullText === 'tsvector')
      return words.map((word) => (word.length < indexed.shortest ? `'${word}'` : `'${word}':*`)).join(' & ');
    const terms = words.map(async (word) => ((await isWhole(word)) ? `"${word}"` : `"${word}" *`));
    return (await Promise.all(terms)).join(' ');
  }

  /** The latest tasks with the words, before a number. */
  async function hits(query: string, before: number | undefined, limit: number): Promise<WordHit[]> {
    const earlier = (column: string): RawBuilder<SqlBool> =>
      before === undefined ? sql`true` : sql`${sql.ref(column)} < ${before}`;
    const found =
      traits.fullText === 'tsvector'
        ? sql<WordHit>`
          select id, key from task_text where words @@ ${query}::tsquery and ${earlier('id')} order by id desc limit ${limit}`
        : sql<WordHit>`
          select task_text.id, task_text.key from (
            select rowid as id from task_text_index where task_text_index match ${query} and ${earlier('rowid')}
            order by rowid desc limit ${limit}) as hit
          join task_text on task_text.id = hit.id order by task_text.id desc`;
    return (await found.execute(db)).rows.map(({ id, key }) => ({ id: Number(id), key }));
  }

  return { queryOf, hits };
}
