import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { query } from '../../support/postgres.ts';
import { type Answered, receiver } from './work.ts';

const corpus = new URL('corpus/', import.meta.url);

/** Names of the entries, the oldest schema first. */
export const entries: readonly string[] = readdirSync(fileURLToPath(corpus)).sort();

export interface Entry {
  /** Number of the newest migration that its program knew. */
  readonly schema: number;
  /** Time of writing: milliseconds. */
  readonly at: number;
  /** Requests and their answers. */
  readonly done: readonly Answered[];
}

const contentOf = (entry: string, name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`${entry}/${name}.gz`, corpus)));

export const readEntry = (entry: string, kind: string): Entry =>
  JSON.parse(contentOf(entry, `${kind}.json`).toString());

/** Milliseconds since the program of an entry was killed, as far as its database says. */
export const age = 60_000;
const day = 86_400_000;

type Run = (text: string, values?: readonly (string | number)[]) => Promise<readonly Record<string, unknown>[]>;

/** Changes a database as if it had been written a minute ago, with a webhook at another address. */
async function renew(run: Run, columns: Run, at: number, webhook: string, parameter: (i: number) => string) {
  for (const { table, column, type } of (await columns('')) as Record<string, string>[]) {
    const place = `"${column}"`;
    if (/int/i.test(type ?? '')) {
      const [p1, p2, p3] = [parameter(1), parameter(2), parameter(3)];
      const values = [Date.now() - age - at, at - day, at + day];
      await run(`update "${table}" set ${place} = ${place} + ${p1} where ${place} between ${p2} and ${p3}`, values);
    } else if (table === 'push_config') {
      await run(`update "${table}" set ${place} = replace(${place}, '${receiver}', '${webhook}')`);
    }
  }
}

/** Writes the SQLite file of an entry to `path`. */
export async function loadSqlite(entry: string, path: string, webhook: string): Promise<void> {
  unpack(entry, path);
  const database = new DatabaseSync(path);
  const run: Run = async (text, values = []) => database.prepare(text).all(...values);
  const columns = async (): Promise<Record<string, unknown>[]> =>
    database
      .prepare(`
        select m.name as "table", i.name as "column", i.type as "type"
        from sqlite_master m join pragma_table_info(m.name) i where m.type = 'table' and m.name not like 'sqlite%'`)
      .all();
  await renew(run, columns, readEntry(entry, 'sqlite').at, webhook, () => '?');
  database.close();
}

/** Loads the dump of an entry into an empty database. */
export async function loadPostgres(entry: string, url: string, webhook: string): Promise<void> {
  await query(url, contentOf(entry, 'postgres.sql').toString());
  const run: Run = (text, values = []) => query(url, text, [...values]);
  const columns = (): Promise<Record<string, unknown>[]> =>
    query(
      url,
      `select table_name as "table", column_name as "column", data_type as "type" from information_schema.columns
       where table_schema = current_schema()`,
    );
  await renew(run, columns, readEntry(entry, 'postgres').at, webhook, (i) => `$${i}::bigint`);
}

/** The schema of a SQLite file, and the shapes of the JSON in its columns: what a program has to know to read it. */
export function formOf(path: string): {
  readonly schema: readonly string[];
  readonly shapes: Record<string, string[]>;
} {
  const database = new DatabaseSync(path);
  const all = (text: string): Record<string, string>[] => database.prepare(text).all() as never;
  const made = all(
    `select name, sql from sqlite_master where sql is not null and name not like 'sqlite%' order by name`,
  );
  const shapes: Record<string, string[]> = {};
  for (const { name: table } of all(`select name from sqlite_master where type = 'table'`)) {
    for (const row of all(`select * from "${table}"`)) {
      for (const [column, text] of Object.entries(row)) {
        if (typeof text !== 'string' || !text.startsWith('{')) continue;
        shapes[`${table}.${column}`] = [
          ...new Set([...(shapes[`${table}.${column}`] ?? []), shapeOf(JSON.parse(text))]),
        ].sort();
      }
    }
  }
  database.close();
  return { schema: made.map(({ sql }) => sql ?? ''), shapes };
}

/** The names and types in a JSON value. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).map(([name, inner]) => `${name}:${name === 'form' ? inner : shapeOf(inner)}`);
  return `{${members.sort().join(',')}}`;
}

/** The SQLite file of an entry as it was written. */
export function unpack(entry: string, path: string): void {
  writeFileSync(path, contentOf(entry, 'sqlite.db'));
}
