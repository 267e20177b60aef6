import { createHash } from 'node:crypto';
import { type CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { escapeText } from './text.ts';

/** A table whose rows belong to an agent and a tenant. */
export interface OwnedTable {
  readonly name: string;
  /** The columns that name a row. */
  readonly key: readonly string[];
  /** The column that the database numbers, and that rows of `parts` have. Default: the first of `key`. */
  readonly numbered?: string;
  /** The tables of what belongs to a row. */
  readonly parts?: readonly PartTable[];
  /** Columns that are a replica's and not the row's own, and what they get. */
  readonly ofReplica?: Row;
  /** Why a row cannot be moved now; undefined where it can. */
  readonly busy?: (row: Row) => string | undefined;
}

/** A table whose rows belong to a row of another one. */
export interface PartTable {
  readonly name: string;
  /** The column that names that row. */
  readonly of: string;
  /** The columns that name a row of this table among those of that row. */
  readonly key: readonly string[];
  /** Whether rows change. Default false: they are only added. */
  readonly changes?: boolean;
  readonly ofReplica?: Row;
}

/** What belongs to tasks and their owners. */
export const taskTables: readonly OwnedTable[] = [
  {
    name: 'task',
    key: ['key'],
    parts: [
      { name: 'task_event', of: 'key', key: ['seq'] },
      { name: 'task_snapshot', of: 'key', key: [], changes: true },
      { name: 'push_config', of: 'key', key: ['id'], changes: true, ofReplica: { owner: null } },
      { name: 'push_dead', of: 'key', key: ['id', 'seq'], changes: true },
    ],
    ofReplica: { owner: null, followed: 0 },
    busy: ({ owner, id }) => (owner === null ? undefined : `the task ${id} is being worked on`),
  },
  { name: 'upstream_task', key: ['key'] },
  { name: 'upstream_context', key: ['agent', 'tenant', 'principal', 'id'] },
  { name: 'idempotency', key: ['agent', 'tenant', 'principal', 'key'] },
  {
    name: 'agent_space',
    key: ['id', 'kind', 'agent', 'tenant', 'principal'],
    numbered: 'space',
    parts: [{ name: 'agent_value', of: 'space', key: ['name'], changes: true }],
  },
];

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** Whose rows are moved. */
export interface Moved {
  /** Undefined: all agents. */
  readonly agent: string | undefined;
  /** Of these tenants, or of all but these. */
  readonly tenants: { readonly only: readonly string[] } | { readonly except: readonly string[] };
}

export interface MoveOptions {
  readonly from: Database;
  readonly to: Database;
  readonly of: Moved;
  /** Called with the table and the number of its rows that were moved so far. */
  readonly onMoved: (table: string, rows: number) => void;
}

/** Rows of a table, of its parts, and parameters of one statement; attempts for rows that change meanwhile. */
const most = { rows: 100, parts: 1_000, parameters: 10_000, attempts: 10 } as const;

/** A row cannot be moved now. */
export class NotMoved extends Error {}

/** A row was changed while it was copied. */
class Changed extends NotMoved {}

/**
 * Moves rows from one database to another: a batch is copied, and is deleted where it was only if it is still as it was copied. What
 * an interrupted move has copied is copied again. The columns of replicas are not taken along.
 *
 * Rejects with `NotMoved` where a row is in use, and with the drivers' errors; what was moved until then is moved.
 */
export async function moveRows(table: OwnedTable, { from, to, of, onMoved }: MoveOptions): Promise<number> {
  const columns = await columnsOf(to, table);

  async function moveBatch(rows: readonly Row[]): Promise<void> {
    const busy = rows.flatMap((row) => table.busy?.(row) ?? [])[0];
    if (busy !== undefined) throw new NotMoved(busy);
    await clear(to, table, rows);
    const numbers = table.numbered === undefined ? undefined : await insertNumbered(to, table, rows, columns);
    const copied: CopiedPart[] = [];
    for (const part of table.parts ?? []) copied.push(await copyPart(part, rows, numbers));
    // Last: a task without its events is not seen.
    if (!numbers) await insert(to, table, rows, columns);
    await from.transact(() => remove(from, table, rows, copied));
  }

  async function copyPart(part: PartTable, owners: readonly Row[], numbers?: Map<Value, Value>): Promise<CopiedPart> {
    const digest = createHash('sha256');
    let count = 0;
    for (let after: Row | undefined; ; ) {
      const page: Row[] = await readPart(from, table, part, owners, after);
      const renumbered = ({ [part.of]: number = null, ...row }: Row) => ({
        ...row,
        [part.of]: numbers?.get(number) ?? number,
      });
      await insert(to, part, page.map(renumbered), columns);
      count += page.length;
      if (part.changes) digest.update(JSON.stringify(page));
      after = page.at(-1);
      if (page.length < most.parts) return { part, count, digest: digest.digest('hex') };
    }
  }

  let moved = 0;
  for (let isNew = true; isNew; ) {
    isNew = false;
    let rows: Row[];
    for (let after: Row | undefined; ; after = rows.at(-1)) {
      rows = await readOwned(from, table, of, after);
      for (let attempt = 1; rows.length > 0; attempt += 1) {
        try {
          await moveBatch(rows);
          break;
        } catch (thrown) {
          if (!(thrown instanceof Changed) || attempt === most.attempts) throw thrown;
          rows = await readOwned(from, table, of, after);
        }
      }
      if (rows.length === 0) break;
      // What was added meanwhile is found by another look.
      isNew = true;
      moved += rows.length;
      onMoved(table.name, moved);
    }
  }
  return moved;
}

/** What was copied of a part, so that a change of it is noticed. */
interface CopiedPart {
  readonly part: PartTable;
  readonly count: number;
  /** Of the rows of each page as JSON, where they may change. */
  readonly digest: string;
}

/** The column by which the parts of a row name it. */
const link = ({ key, numbered = key[0] ?? '' }: OwnedTable): string => numbered;

const list = (values: readonly unknown[]): RawBuilder<unknown> => sql.join(values.map((value) => sql`${value}`));
const refs = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)));

function belongs({ agent, tenants }: Moved): RawBuilder<SqlBool> {
  const ofAgent = agent === undefined ? sql`true` : sql`agent = ${escapeText(agent)}`;
  const [names, word] = 'only' in tenants ? [tenants.only, sql`in`] : [tenants.except, sql`not in`];
  const ofTenants = names.length === 0 ? sql`true` : sql`tenant ${word} (${list(names.map(escapeText))})`;
  return sql<SqlBool>`${ofAgent} and ${ofTenants}`;
}

const later = (key: readonly string[], after: Row | undefined): RawBuilder<unknown> =>
  after ? sql`(${refs(key)}) > (${list(key.map((name) => after[name]))})` : sql`true`;

async function readOwned({ sql: db }: Database, { name, key }: OwnedTable, of: Moved, after?: Row): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(name)} where ${belongs(of)} and ${later(key, after)}
    order by ${refs(key)} limit ${sql.lit(most.rows)}`.execute(db);
  return rows;
}

const partOf = (table: OwnedTable, part: PartTable, owners: readonly Row[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(part.of)} in (${list(owners.map((row) => row[link(table)]))})`;

const partQuery = (table: OwnedTable, part: PartTable, owners: readonly Row[], after: Row | undefined) => {
  const key = [part.of, ...part.key];
  return sql<Row>`
    select * from ${sql.table(part.name)} where ${partOf(table, part, owners)} and ${later(key, after)}
    order by ${refs(key)} limit ${sql.lit(most.parts)}`;
};

const readPart = async (from: Database, ...query: Parameters<typeof partQuery>): Promise<Row[]> =>
  (await partQuery(...query).execute(from.sql)).rows;

/** The columns of a table and its parts, as the database has them: that of replicas is only in PostgreSQL. */
async function columnsOf({ sql: db }: Database, { name, parts = [] }: OwnedTable): Promise<Columns> {
  const wanted = new Set([name, ...parts.map((part) => part.name)]);
  const tables = (await db.introspection.getTables()).filter((table) => wanted.has(table.name));
  return new Map(tables.map((table) => [table.name, new Set(table.columns.map((column) => column.name))]));
}

type Columns = ReadonlyMap<string, ReadonlySet<string>>;

function insertion(
  { name: table, ofReplica }: OwnedTable | PartTable,
  rows: readonly Row[],
  all: Columns,
  without?: string,
) {
  const columns = all.get(table);
  const names = Object.keys(rows[0] ?? {}).filter((name) => columns?.has(name) && name !== without);
  const values = rows.map((row) => sql`(${list(names.map((name) => ({ ...row, ...ofReplica })[name]))})`);
  return sql`insert into ${sql.table(table)} (${refs(names)}) values ${sql.join(values)}`;
}

async function insert(to: Database, table: OwnedTable | PartTable, rows: readonly Row[], columns: Columns) {
  const width = Object.keys(rows[0] ?? {}).length;
  const atOnce = Math.max(1, Math.floor(most.parameters / Math.max(1, width)));
  for (let at = 0; at < rows.length; at += atOnce) {
    await insertion(table, rows.slice(at, at + atOnce), columns).execute(to.sql);
  }
}

/** Inserts rows that get a number there. Resolves with the numbers, by those that the rows had. */
async function insertNumbered(to: Database, table: OwnedTable, rows: readonly Row[], columns: Columns) {
  const numbers = new Map<Value, Value>();
  for (const row of rows) {
    const query = insertion(table, [row], columns, link(table));
    const inserted = await sql<Row>`${query} returning ${sql.ref(link(table))}`.execute(to.sql);
    numbers.set(row[link(table)] ?? null, inserted.rows[0]?.[link(table)] ?? null);
  }
  return numbers;
}

const named = ({ key }: OwnedTable, rows: readonly Row[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${refs(key)}) in (${sql.join(rows.map((row) => sql`(${list(key.map((name) => row[name]))})`))})`;

/** Deletes what an interrupted move has copied. */
async function clear({ sql: db }: Database, table: OwnedTable, rows: readonly Row[]): Promise<void> {
  const found = await sql<Row>`select * from ${sql.table(table.name)} where ${named(table, rows)}`.execute(db);
  const copied = table.numbered === undefined ? rows : found.rows;
  for (const part of copied.length > 0 ? (table.parts ?? []) : [])
    await sql`delete from ${sql.table(part.name)} where ${partOf(table, part, copied)}`.execute(db);
  if (found.rows.length > 0) await sql`delete from ${sql.table(table.name)} where ${named(table, rows)}`.execute(db);
}

/** Deletes what was copied, unless it has changed since. */
function* remove(
  { sql: db, traits }: Database,
  table: OwnedTable,
  rows: readonly Row[],
  copied: readonly CopiedPart[],
): Transaction<void> {
  const compile = (query: RawBuilder<unknown>): CompiledQuery => query.compile(db);
  const locked = traits.rowLocks ? sql`for update` : sql``;
  const now = yield compile(
    sql`select * from ${sql.table(table.name)} where ${named(table, rows)} order by ${refs(table.key)} ${locked}`,
  );
  if (JSON.stringify(now) !== JSON.stringify(rows)) throw new Changed(changed);
  for (const { part, count, digest } of copied) {
    const of = partOf(table, part, rows);
    const [counted] = (yield compile(sql`select count(*) as count from ${sql.table(part.name)} where ${of}`)) as Row[];
    if (Number(counted?.count) !== count) throw new Changed(changed);
    if (!part.changes) continue;
    const again = createHash('sha256');
    for (let after: Row | undefined, size = most.parts; size === most.parts; ) {
      const page = (yield compile(partQuery(table, part, rows, after))) as Row[];
      again.update(JSON.stringify(page));
      after = page.at(-1);
      size = page.length as typeof size;
    }
    if (again.digest('hex') !== digest) throw new Changed(changed);
  }
  for (const { part } of copied)
    yield compile(sql`delete from ${sql.table(part.name)} where ${partOf(table, part, rows)}`);
  yield compile(sql`delete from ${sql.table(table.name)} where ${named(table, rows)}`);
}

const changed = 'it is still being changed: disable the agent at every replica first';
