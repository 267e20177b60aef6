/** Columns of a table that PostgreSQL makes from JSON: `"key" text, pushed boolean`. */
const columnsOf = (list: string): string =>
  list
    .split(',')
    .map((column) => column.trim().split(' ')[0]?.replaceAll('"', '') ?? '')
    .map((name) => `value ->> '${name}' as "${name}"`)
    .join(', ');

/** Parts of PostgreSQL's SQL that SQLite has in another form. */
const forms: readonly (readonly [pattern: RegExp, form: string | ((...found: string[]) => string)])[] = [
  [/\$(\d+)/g, '?$1'],
  [/ for (?:no key )?update(?: skip locked)?/g, ''],
  [/json_array_elements_text\((\?\d+)::json\) as w\("key"\)/g, '(select value as "key" from json_each($1)) as w'],
  [
    /json_to_recordset\((\?\d+)::json\) as w\(([^)]*)\)/g,
    (_, parameter = '', columns = '') => `(select ${columnsOf(columns)} from json_each(${parameter})) as w`,
  ],
  [/\(extract\(epoch from clock_timestamp\(\)\) \* 1000\)::double precision/g, "(unixepoch('subsec') * 1000.0)"],
  [/\bcreate unlogged table\b/g, 'create table'],
  // One transaction runs at a time.
  [/pg_advisory_xact_lock\(hashtextextended\((\w+), 0\)\)/g, '$1'],
  [/\bgreatest\(/g, 'max('],
  [/\bleast\(/g, 'min('],
];

/** Follows tasks: SQLite changes two tables in two statements. No program holds a lock, so that none is left. */
const follow = [
  `insert into follower ("key", instance) select value, ?2 from json_each(?1) where true on conflict do nothing`,
  `update task set followed = 1 where "key" in (select value from json_each(?1)) and ?2 is not null`,
  `select "key" from task where ?1 is null and ?2 is null`,
];

/** Statements of SQLite, by the text of the store's. */
const known = new Map<string, readonly string[]>();

/** Texts that are remembered. Each filter of a search has a text of its own. */
const mostKnown = 2_000;

/**
 * The statements of SQLite for one of the store's, of which a few are written for PostgreSQL alone: those between replicas. The
 * rows of the last one are the result.
 */
export function sqliteText(text: string): readonly string[] {
  let statements = known.get(text);
  if (statements) return statements;
  statements = translated(text);
  if (known.size < mostKnown) known.set(text, statements);
  return statements;
}

function translated(text: string): readonly string[] {
  if (/\binsert into follower\b/.test(text)) return follow;
  return [forms.reduce((form, [pattern, by]) => form.replace(pattern, by as string), text)];
}
