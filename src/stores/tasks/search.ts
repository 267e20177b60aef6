import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TaskState } from '../../core/model/a2a.ts';
import { foldedReason } from '../../core/model/folded-reason.ts';
import { hasReason, isResting, isTerminal } from '../../core/model/lifecycle.ts';
import type {
  ChangePosition,
  TaskFilter,
  TaskOverview,
  TaskSearchPage,
  TextFilter,
} from '../../core/ports/admin-store.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { Database, Prepared, Traits } from '../database.ts';
import { createWordSearch } from '../full-text/tables.ts';
import { wordsOf } from '../full-text/words.ts';
import { waitingTasks } from '../migrations/index.ts';
import type { PageTokens } from '../page-token.ts';
import type { TaskRow } from '../schema.ts';
import { escapeText, unescapeText } from '../text.ts';
import { keyOf, type RecordRow, recordColumns, recordOf, stateColumn } from './rows.ts';

/** Largest number of rows that one call reads from an index whose tasks need not match. */
const maxScanned = 20_000;
/** Largest number of tasks that one call reads from the index of words, and number that are read at once. */
const maxHits = 5_000;
const hitsAtOnce = 500;
/** Number of rows that are read at once: the first time, and at most. In between, other calls use the database. */
const slice = { first: 200, growth: 3, max: 2_000 } as const;
/**
 * Largest number of tasks of a context, of parents, or of a root that are read and sorted. With more tasks, the condition is a
 * filter like any other.
 */
const maxSorted = 5_000;

type Condition = RawBuilder<SqlBool>;
type Row = RecordRow & Pick<TaskRow, 'parent' | 'root' | 'trace' | 'binding' | 'preview' | 'reason'>;

const columns = sql`${recordColumns}, parent, root, trace, binding, preview, reason`;

const newestFirst = sql`order by updated_at desc, key desc`;

/** Tasks at rest, which are read in the order of an index. */
const atRest = sql<SqlBool>`owner is null`;
/** Running tasks. There are few, and they are sorted. */
const underWay = sql<SqlBool>`owner is not null`;

/** Position at the end of a page. Tasks later in the list have an earlier change. */
interface Position {
  readonly updated_at: number;
  readonly key: string;
}

const isBefore = (a: Position, b: Position): boolean =>
  a.updated_at !== b.updated_at ? a.updated_at < b.updated_at : a.key < b.key;

/**
 * Searches the tasks of all owners, the latest change first. A task that does not change between two pages is in exactly one
 * of them.
 */
export class TaskSearch {
  readonly #tokens: PageTokens;
  readonly #hasFullText: boolean;
  readonly #damaged: DamagedRows;
  readonly #db: Database['sql'];
  readonly #traits: Traits;
  readonly #wordSearch: ReturnType<typeof createWordSearch>;
  readonly #row: Prepared<Row>;

  constructor(database: Database, tokens: PageTokens, hasFullText: boolean, damaged: DamagedRows) {
    this.#tokens = tokens;
    this.#hasFullText = hasFullText;
    this.#damaged = damaged;
    this.#db = database.sql;
    this.#traits = database.traits;
    this.#wordSearch = createWordSearch(database);
    this.#row = database.prepare(sql<Row>`select ${columns} from task where key = ${''}`);
  }

  /** @param wanted the reason of the tasks, as `TaskFilter` has it */
  #overviewsOf(rows: readonly Row[], wanted?: string): TaskOverview[] {
    const all = rows.flatMap((row) => this.#damaged.read('task', [row.key], () => overviewOfRow(row)) ?? []);
    return wanted === undefined ? all : all.filter(({ reason }) => foldedReason(reason) === wanted);
  }

  async searchTasks(filter: TaskFilter, size: number, token: string): Promise<TaskSearchPage> {
    const listed = ['tasks of all owners', filter];
    const position = this.#tokens.read(listed, token) as [number, string?] | undefined;
    const query = this.#hasFullText && (await this.#wordsQuery(filter, position));
    if (query) return this.#searchWords({ filter, size, query, before: position?.[0], listed });
    const [at, key] = position ?? [];
    const from = at === undefined || key === undefined ? undefined : { updated_at: at, key: escapeText(key) };
    const search = { filter, size, from, matches: conditionOf(filter, this.#traits) };
    const { rows, end } = await ((await this.#isSorted(filter)) ? this.#sorted(search) : this.#scanned(search));
    const page = rows.slice(0, size);
    const last = rows.length > size ? page.at(-1) : end;
    const nextPageToken = last ? this.#tokens.write(listed, [last.updated_at, keyOf(last)]) : '';
    return { tasks: this.#overviewsOf(page, filter.reason), nextPageToken };
  }

  /** The query for the words of a text, if some task has them. The text is then not searched for within other columns. */
  async #wordsQuery(filter: TaskFilter, position: readonly unknown[] | undefined): Promise<string | undefined> {
    const { text } = filter;
    // The position in a list of words is one number.
    if (!text || text.namesOnly || isPartOfId(text) || position?.length === 2) return undefined;
    const words = wordsOf(text.text);
    if (words.length === 0 || (!position && isNamed(filter) && (await this.#isSorted(filter)))) return undefined;
    const query = await this.#wordSearch.queryOf(words);
    return position || (await this.#wordSearch.hits(query, undefined, 1)).length > 0 ? query : undefined;
  }

  /** Reads the index of words, beginning with the task that was indexed last. */
  async #searchWords({ filter, size, query, before, listed }: WordsSearch): Promise<TaskSearchPage> {
    const { id } = filter;
    const named = id === undefined ? [] : [sql`(key = ${escapeText(id)} or id = ${escapeText(id)})`];
    const matches = all([
      conditionOf({ ...filter, text: undefined }, this.#traits),
      within(undefined, filter),
      ...named,
    ]);
    const tasks: TaskOverview[] = [];
    let last = before;
    for (let read = 0; read < maxHits; read += hitsAtOnce) {
      const hits = await this.#wordSearch.hits(query, last, hitsAtOnce);
      const keys = hits.map(({ key }) => key);
      const { rows } = await sql<Row>`
        select ${columns} from task where key in (${sql.join(keys.length > 0 ? keys : [''])}) and ${matches}`.execute(
        this.#db,
      );
      const found = new Map(rows.map((row) => [row.key, row]));
      for (const { id, key } of hits) {
        const row = found.get(key);
        if (row && tasks.length === size) return { tasks, nextPageToken: this.#tokens.write(listed, [last ?? id]) };
        if (row) tasks.push(...this.#overviewsOf([row], filter.reason));
        last = id;
      }
      if (hits.length < hitsAtOnce) return { tasks, nextPageToken: '' };
    }
    return { tasks, nextPageToken: last === undefined ? '' : this.#tokens.write(listed, [last]) };
  }

  /** Whether the filter selects few tasks, which an index finds. */
  async #isSorted(filter: TaskFilter): Promise<boolean> {
    if (filter.id !== undefined) return true;
    const source = sourceOf(filter);
    if (!source) return false;
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from (select 1 from task where ${source} limit ${sql.lit(maxSorted + 1)}) as found`.execute(
      this.#db,
    );
    const found = Number(rows[0]?.n);
    // A text that is not a whole id is searched for in all tasks.
    return found <= maxSorted && (found > 0 || !isNamed(filter));
  }

  /** The tasks of an id, of a root, of parents or of a context. */
  async #sorted(search: Search): Promise<Found> {
    const { id } = search.filter;
    if (id === undefined) return { rows: await this.#read(sourceOf(search.filter) ?? all([]), search) };
    // A generated id is the key. Several owners may have tasks with the same chosen id.
    const rows = [
      ...(await this.#read(sql`key = ${escapeText(id)}`, search)),
      ...(await this.#read(sql`id = ${escapeText(id)} and id <> key`, search)),
    ];
    return { rows: newest(rows) };
  }

  /** The first rows of a page, and one more, of the rows that an index finds. */
  async #read(source: Condition, { filter, size, from, matches }: Search): Promise<Row[]> {
    const position = from ? [sql`(updated_at, key) < (${from.updated_at}, ${from.key})`] : [];
    const { rows } = await sql<Row>`
      select ${columns} from task where ${source} and ${all([matches, within(from, filter), ...position])}
      ${newestFirst} limit ${size + 1}`.execute(this.#db);
    return rows;
  }

  /**
   * Reads an index, beginning with the latest change, until the page is full or the bound is reached. In the second case the
   * result has an `end`.
   */
  async #scanned({ filter, size, from, matches }: Search): Promise<Found> {
    const { states } = filter;
    const rows: Row[] = [];
    let end: Position | undefined;
    if (!states || states.some(isResting)) {
      const source = states?.every((state) => !isTerminal(state)) ? waitingTasks : atRest;
      let position = from;
      for (let scannedRows = 0, length: number = slice.first; ; length = Math.min(length * slice.growth, slice.max)) {
        end = await this.#endOfSlice(source, position, filter, length);
        const since = end ? sql`updated_at >= ${end.updated_at}` : all([]);
        rows.push(...(await this.#read(sql`${source} and ${since}`, { filter, size, from: position, matches })));
        scannedRows += length;
        if (!end || rows.length > size || scannedRows >= maxScanned) break;
        position = end;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    // Read after the others: a task that comes to rest meanwhile has changed.
    if (!states?.every(isTerminal)) rows.push(...(await this.#read(underWay, { filter, size, from, matches })));
    const stop = end;
    return { rows: newest(stop ? rows.filter((row) => !isBefore(row, stop)) : rows), end };
  }

  /** Returns the end of a slice of about `size` rows, which never divides the tasks of one time. Undefined for the last slice. */
  async #endOfSlice(
    source: Condition,
    from: Position | undefined,
    filter: TaskFilter,
    length: number,
  ): Promise<{ updated_at: number; key: string } | undefined> {
    // Without the keys, the index alone answers.
    const { rows } = await sql<Pick<Position, 'updated_at'>>`
      select updated_at from task where ${source} and ${within(from, filter)}
      order by updated_at desc limit 1 offset ${length - 1}`.execute(this.#db);
    return rows[0] && { updated_at: rows[0].updated_at, key: '' };
  }

  async changedTasks({ at, key }: ChangePosition, limit: number): Promise<TaskOverview[]> {
    const later = sql`updated_at >= ${at} and (updated_at, key) > (${at}, ${escapeText(key)})`;
    const { rows } = await sql<Row>`
      select ${columns} from (
        select * from (select ${columns} from task where owner is null and ${later}
          order by updated_at, key limit ${limit}) as resting
        union all
        select ${columns} from task where ${underWay} and ${later}) as task
      order by updated_at, key limit ${limit}`.execute(this.#db);
    return this.#overviewsOf(rows);
  }

  async countWaiting(limit: number, state?: TaskState): Promise<number> {
    const among = state === undefined ? waitingTasks : sql`${waitingTasks} and state = ${stateColumn(state)}`;
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from (select 1 from task where ${among} limit ${sql.lit(limit)}) as found`.execute(this.#db);
    return Number(rows[0]?.n);
  }

  async overviewOf(key: string): Promise<TaskOverview | undefined> {
    const [found] = await this.#row(escapeText(key));
    return found && this.#overviewsOf([found])[0];
  }
}

/** Returns the condition that an index serves: few tasks, as a rule. */
function sourceOf(filter: TaskFilter): Condition | undefined {
  const { contextId, parents, root, text } = filter;
  if (text && isNamed(filter)) return namedBy(text);
  if (root !== undefined) return ofRoot(root);
  if (parents) return sql<SqlBool>`parent in (${sql.join(parents.map(escapeText))})`;
  return contextId === undefined ? undefined : sql<SqlBool>`context_id = ${escapeText(contextId)}`;
}

/** Condition for the tasks of a tree: the root, and the tasks that name it. */
const ofRoot = (root: string): Condition => sql<SqlBool>`(root = ${escapeText(root)} or key = ${escapeText(root)})`;

/** Whether only the text may select few tasks. */
const isNamed = ({ id, contextId, parents, root, text }: TaskFilter): boolean =>
  text !== undefined && id === undefined && contextId === undefined && root === undefined && !parents;

interface WordsSearch extends Pick<Search, 'filter' | 'size'> {
  readonly query: string;
  /** Number in the index of words of the last task of the previous page. */
  readonly before: number | undefined;
  readonly listed: readonly unknown[];
}

interface Search {
  readonly filter: TaskFilter;
  readonly size: number;
  readonly from: Position | undefined;
  readonly matches: Condition;
}

/** Rows in order. `end` is the position at which the search stopped before the end of the list. */
interface Found {
  readonly rows: readonly Row[];
  readonly end?: Position | undefined;
}

/** Sorts rows, the latest change first, and leaves out duplicates. */
function newest(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return [...rows]
    .sort((a, b) => (isBefore(a, b) ? 1 : -1))
    .filter(({ key }) => {
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

/** Condition for the times of the filter, and for tasks after a position. */
function within(from: Position | undefined, { changedSince, changedBefore }: TaskFilter): Condition {
  const conditions = [
    ...(from ? [from.key === '' ? sql`updated_at < ${from.updated_at}` : sql`updated_at <= ${from.updated_at}`] : []),
    ...(changedBefore === undefined ? [] : [sql`updated_at < ${changedBefore}`]),
    ...(changedSince === undefined ? [] : [sql`updated_at >= ${changedSince}`]),
  ];
  return all(conditions);
}

/** Condition for all members of the filter except its times, and except the id, which only an index finds. */
function conditionOf(
  { contextId, parents, root, states, agent, tenant, principal, dialect, binding, text, reason }: TaskFilter,
  traits: Traits,
): Condition {
  const texts = { context_id: contextId, agent, tenant, principal, dialect, binding };
  const conditions = Object.entries(texts).flatMap(([column, value]) =>
    // An expression: an index of the owner would find all tasks of an agent, or of a caller.
    value === undefined ? [] : [sql`${sql.ref(column)} || '' = ${escapeText(value)}`],
  );
  if (parents) conditions.push(sql`parent || '' in (${sql.join(parents.map(escapeText))})`);
  if (root !== undefined) conditions.push(ofRoot(root));
  if (states) conditions.push(sql`state in (${sql.join(states.map((state) => stateColumn(state)))})`);
  if (text) conditions.push(hasText(traits, text));
  if (reason) conditions.push(mayHaveReason(traits, reason));
  return all(conditions);
}

const all = (conditions: readonly RawBuilder<unknown>[]): Condition =>
  conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;

function overviewOfRow(row: Row): TaskOverview {
  const { latestTurn, generation, rested, ...overview } = recordOf(row, 0);
  const { owner, parent, root, trace, binding, preview, reason } = row;
  return {
    ...overview,
    replica: owner ?? '',
    parent: unescapeText(parent ?? ''),
    root: unescapeText(root ?? parent ?? row.key),
    ...(trace !== null && { trace }),
    binding: binding ?? '',
    preview: unescapeText(preview ?? ''),
    // Versions before leave the reason of a state that the task is no longer in.
    reason: hasReason(overview.state) ? unescapeText(reason ?? '') : '',
  };
}

/** The columns that may begin or end with a text. */
const idColumns = ['key', 'id', 'context_id', 'principal', 'agent'] as const;
/** The columns that may contain a text. */
const wordColumns = ['preview', 'reason'] as const;

/** Smallest number of characters of a whole id. Generated ids have 36. */
const shortestId = 16;

/** Condition that a row contains the text, in upper or lower case. */
function hasText({ like }: Traits, { text, namesOnly }: TextFilter): RawBuilder<SqlBool> {
  const patterns = spellings(text).map((spelling) => escapeText(spelling).replace(/[\\%_]/g, '\\$&'));
  const matches = (column: string, pattern: string) => sql`${sql.ref(column)} ${like} ${pattern} escape '\\'`;
  const conditions = patterns.flatMap((pattern) => [
    ...(namesOnly ? [] : wordColumns.map((column) => matches(column, `%${pattern}%`))),
    ...idColumns.flatMap((column) => [matches(column, `${pattern}%`), matches(column, `%${pattern}`)]),
  ]);
  // The columns of words are null in rows of earlier versions, in which case the other columns decide.
  return sql<SqlBool>`coalesce(${sql.join(conditions, sql` or `)}, false)`;
}

/** A condition that all rows fulfil whose reason is folded to this one: they contain all of it except the ellipses. */
function mayHaveReason({ like }: Traits, reason: string): RawBuilder<SqlBool> {
  const pattern = escapeText(reason)
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('…', '%');
  return sql<SqlBool>`coalesce(reason ${like} ${pattern} escape '\\', false)`;
}

/** Returns the condition for a text that may be the whole id of a task, or of a context. */
function namedBy({ text }: TextFilter): RawBuilder<SqlBool> | undefined {
  if (text.length < shortestId) return undefined;
  const id = escapeText(text);
  return sql<SqlBool>`(key = ${id} or (id = ${id} and id <> key) or context_id = ${id})`;
}

/** Whether a text may be part of a generated id. It is then searched for in ids, although words may begin with it. */
const isPartOfId = ({ text }: TextFilter): boolean =>
  text.length >= 6 && /^[\da-f-]+$/i.test(text) && /\d/.test(text) && /[a-f-]/i.test(text);

/**
 * Spellings of a text. The databases ignore the case of ASCII letters only, so that other letters are compared in lower case, in
 * upper case, and capitalized.
 */
function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  const first = String.fromCodePoint(lower.codePointAt(0) ?? 0x20);
  const all = [text, lower, upper, `${first.toUpperCase()}${lower.slice(first.length)}`];
  return [...new Set(all.map(lowerAscii))];
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
