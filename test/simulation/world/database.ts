import {
  CompiledQuery,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Channel, ChannelOptions } from '../../../src/stores/cluster/channel.ts';
import {
  compiled,
  type Database,
  kyselyOver,
  type Prepared,
  type Statement,
  type TaskWrite,
  type Transaction,
  type WriteOutcome,
} from '../../../src/stores/database.ts';
import { isContended, isUnavailable, reasonOf } from '../../../src/stores/postgres/errors.ts';
import type { Tables } from '../../../src/stores/schema.ts';
import { openSqlite } from '../../../src/stores/sqlite/database.ts';
import { WriteHealth } from '../../../src/stores/write-health.ts';
import type { Host } from './hosts.ts';
import { systemError } from './socket.ts';
import { sqliteText } from './sqlite-text.ts';
import type { World } from './world.ts';

/** Milliseconds until a caller gives up on an answer: the default of a store in PostgreSQL. */
const answerTimeout = 15_000;

/** Virtual milliseconds within which a host asks again what it was not answered. */
const confirmation = 2_000;

/** Fate of one exchange with the database. */
export type Fate =
  /** The statement is executed, and the answer arrives. */
  | 'answered'
  /** The server refuses the connection. */
  | 'refused'
  /** The connection breaks before the server executes it. */
  | 'lost before'
  /** The server executes it, and the connection breaks before the answer arrives. */
  | 'lost after'
  /** Another transaction is in the way: nothing is executed. */
  | 'contended'
  /** The server executes it when its caller has long given up. */
  | 'stuck';

/** Fates of the exchanges and the notifications of a database. */
export interface Weather {
  /** Milliseconds that bytes take to the server or back, at least and at most. */
  latency: readonly [least: number, most: number];
  /** Probability of each fate but `answered`. */
  fates: Readonly<Partial<Record<Fate, number>>>;
  /** Whether the primary is away: every connection is refused. */
  isAway: boolean;
  /** Probabilities of what becomes of a notification. */
  notifications: { readonly lost: number; readonly doubled: number; readonly late: number };
  /** Probability that an answer is late, though its statement was executed at once. */
  lateAnswers: number;
  /** Probability that a statement takes seconds until it is executed. */
  slowStatements: number;
  /** Number of times that each notification arrives. */
  stormOf: number;
  /** The one host for which the primary is back. Undefined: for all, or for none. */
  backFor: Host | undefined;
  /** Hosts that no notification reaches. */
  readonly deaf: Set<Host>;
  /** Hosts that some answers to what they read reach late, each by a time of its own. */
  readonly distant: Set<Host>;
}

/** Milliseconds that a late answer takes: less than its caller waits. */
const lateness = [4_000, 13_500] as const;

/** Milliseconds that a slow statement takes. */
const slowness = [300, 5_000] as const;

/** Share of the reads of a distant host whose answers are late, and by how many milliseconds. */
const distance = { share: 0.5, ms: [50, 1_500] } as const;

/** An error that the server sends, with its SQLSTATE. */
const serverError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: 'ERROR' });

/**
 * Gets each committed write of a host: the name of its gateway, the tasks, who owned them before, and what became of each.
 */
export type WriteListener = (
  writer: string,
  tasks: readonly TaskWrite[],
  owners: ReadonlyMap<string, string | null>,
  outcomes: readonly WriteOutcome[],
) => void;

/** Throws an error of SQLite as one that the server sends. */
const refused = (error: unknown): never => {
  throw error instanceof Error ? Object.assign(error, { severity: 'ERROR' }) : error;
};

interface Listener {
  readonly host: Host;
  readonly onMessage: (payload: string) => void;
  readonly onEnd: (reason?: unknown) => void;
}

/**
 * A database server that several hosts share: SQLite in memory behind a network, which executes one transaction at a time, as
 * PostgreSQL does at its strictest. Hosts meet the store's own SQL; pool, driver and dialect of PostgreSQL are not simulated.
 */
export class SharedDatabase {
  readonly world: World;
  readonly weather: Weather;
  readonly #engine: Database;
  readonly #random: World['random'];
  readonly #listeners = new Map<string, Listener>();
  #onWrite: WriteListener | undefined;
  /** Hosts of which an exchange went wrong while the primary was there. */
  readonly harmed = new Set<Host>();
  /** Times when hosts had not received the results of their statements: virtual milliseconds. */
  readonly owed: { readonly host: Host; readonly from: number; readonly until: number }[] = [];
  /** Names of the gateways on hosts. */
  readonly #instances = new Map<Host, string>();
  readonly #onForwarded = new Map<Host, () => void>();
  /** Effects on hosts when their next write is committed. */
  readonly #onCommit = new Map<Host, () => void>();

  private constructor(world: World, engine: Database) {
    this.world = world;
    this.#engine = engine;
    this.#random = world.fork();
    this.weather = {
      latency: [0.2, 3],
      fates: {},
      isAway: false,
      notifications: { lost: 0, doubled: 0, late: 0 },
      lateAnswers: 0,
      slowStatements: 0,
      stormOf: 1,
      backFor: undefined,
      deaf: new Set(),
      distant: new Set(),
    };
  }

  static async open(world: World): Promise<SharedDatabase> {
    return new SharedDatabase(world, await openSqlite({ path: ':memory:', flush: false }));
  }

  /** Closes the database, when nothing uses it any more. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Reads rows as they are, at no time and past every fault: for invariants. */
  async read(text: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#engine.sql.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(text) as CompiledQuery<Record<string, unknown>>,
    );
    return rows;
  }

  /** Executes statements in one transaction, past every fault. */
  async execute(statements: readonly string[]): Promise<void> {
    await this.#engine.transaction(statements.map((text) => CompiledQuery.raw(text)));
  }

  /** The database as a host has it. */
  connect(host: Host): Database {
    return new HostDatabase(this, this.#engine, host);
  }

  /** Ends the connections on which hosts listen. */
  dropListeners(): void {
    for (const [instance, { host, onEnd }] of [...this.#listeners]) {
      this.#listeners.delete(instance);
      this.world.deliver(host, 0, () => onEnd(systemError('ECONNRESET', 'read')));
    }
  }

  /** Calls a listener when the server has committed the next write of a host, before the answer arrives. */
  onCommit(host: Host, listener: () => void): void {
    this.#onCommit.set(host, listener);
  }

  /** Calls the one listener with each further write. */
  onWrite(listener: WriteListener): void {
    this.#onWrite = listener;
  }

  /** The name of the gateway that runs, or ran last, on a host. */
  instanceOf(host: Host): string | undefined {
    return this.#instances.get(host);
  }

  /** Number of the tasks that a host owns. */
  async countOwned(host: Host): Promise<number> {
    const owned = this.#engine.sql
      .selectFrom('task')
      .select('key')
      .where('owner', '=', this.#instances.get(host) ?? '');
    return (await owned.execute()).length;
  }

  /** Calls a listener when another replica has forwarded the next call to the gateway of a host. */
  onForwarded(host: Host, listener: () => void): void {
    this.#onForwarded.set(host, listener);
  }

  /** A statement was executed. */
  executed({ sql: text, parameters }: CompiledQuery): void {
    if (this.#onForwarded.size === 0 || !text.includes('insert into question')) return;
    for (const [host, listener] of this.#onForwarded) {
      if (!parameters.includes(this.#instances.get(host))) continue;
      this.#onForwarded.delete(host);
      listener();
    }
  }

  /** Writes tasks for a host. */
  async write(host: Host, tasks: readonly TaskWrite[]): Promise<WriteOutcome[]> {
    const listener = this.#onWrite;
    const writer = this.#instances.get(host);
    if (!listener || writer === undefined) return this.#engine.write(tasks);
    const continued = tasks.filter(({ expected }) => expected > 0).map(({ key }) => key);
    const rows = continued.length === 0 ? [] : await this.#ownersOf(continued);
    const outcomes = await this.#engine.write(tasks);
    listener(writer, tasks, new Map(rows.map(({ key, owner }) => [key, owner])), outcomes);
    return outcomes;
  }

  #ownersOf(keys: readonly string[]): Promise<{ readonly key: string; readonly owner: string | null }[]> {
    return this.#engine.sql.selectFrom('task').select(['key', 'owner']).where('key', 'in', keys).execute();
  }

  #committed(host: Host, name: string): void {
    if (name !== 'write') return;
    const listener = this.#onCommit.get(host);
    this.#onCommit.delete(host);
    listener?.();
  }

  /** Sends something to the server and waits for the answer, if one comes. */
  exchange<T>(host: Host, name: string, use: () => Promise<T>): Promise<T> {
    const isAway = this.weather.isAway && this.weather.backFor !== host;
    const fate = isAway ? 'refused' : this.#fate();
    if (fate !== 'answered') this.world.trace('database', `${name} ${fate}`, host);
    if (fate !== 'answered' && !isAway) this.harmed.add(host);
    const isLate = this.weather.lateAnswers > 0 && this.#random.chance(this.weather.lateAnswers);
    const wait = (isLate ? this.#random.between(...lateness) : 0) + this.#distanceOf(host, name);
    if (isLate) this.harmed.add(host);
    if (isLate || fate === 'lost after' || fate === 'stuck') this.#owe(host, fate === 'stuck' ? answerTimeout : wait);
    return new Promise<T>((resolve, reject) => {
      const answer = (settle: () => void): void => void this.world.deliver(host, this.#latency() + wait, settle);
      const fail = (error: unknown): void => answer(() => reject(error));
      if (fate === 'refused') {
        fail(systemError('ECONNREFUSED', 'connect'));
        return;
      }
      if (fate === 'stuck') {
        this.world.deliver(host, answerTimeout, () => reject(new Error('Query read timeout')));
        this.world.after(answerTimeout + 5_000 + this.#random.between(0, 20_000), () => void use().catch(() => {}));
        return;
      }
      this.world.after(this.#latency() + this.#slowness(), () => {
        // Statements that a host sent before it died are executed too.
        const execute = async (): Promise<T> => {
          const result = await use().catch(refused);
          this.#committed(host, name);
          return result;
        };
        if (fate === 'lost before') fail(systemError('ECONNRESET', 'read'));
        else if (fate === 'contended') fail(serverError('40001', 'could not serialize access'));
        else if (fate === 'lost after') execute().then(() => fail(systemError('ECONNRESET', 'read')), fail);
        else execute().then((result) => answer(() => resolve(result)), fail);
      });
    });
  }

  #owe(host: Host, ms: number): void {
    const { now } = this.world;
    this.owed.push({ host, from: now, until: now + ms + confirmation });
  }

  listen(host: Host, { instance, onMessage, onEnd }: ChannelOptions): Channel {
    const listener = { host, onMessage, onEnd };
    this.#listeners.set(instance, listener);
    this.#instances.set(host, instance);
    return {
      maxBytes: 7_900,
      publish: (messages) =>
        this.exchange(host, 'notify', async () => {
          for (const [to, payload] of messages) this.#notify(to, payload);
        }),
      close: async () => {
        if (this.#listeners.get(instance) === listener) this.#listeners.delete(instance);
      },
    };
  }

  #notify(instance: string, payload: string): void {
    const { lost, doubled, late } = this.weather.notifications;
    if (this.#random.chance(lost)) return;
    const copies = (this.#random.chance(doubled) ? 2 : 1) * this.weather.stormOf;
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = this.#random.chance(late) ? this.#random.between(100, 20_000) : this.#latency();
      this.world.after(delay, () => {
        const listener = this.#listeners.get(instance);
        if (listener && this.weather.deaf.has(listener.host)) return;
        listener?.host.receive(() => listener.host.run(() => listener.onMessage(payload)));
      });
    }
  }

  /** Milliseconds that a statement takes by itself. */
  #slowness(): number {
    const { slowStatements } = this.weather;
    return slowStatements > 0 && this.#random.chance(slowStatements) ? this.#random.between(...slowness) : 0;
  }

  /** Milliseconds that the answer to a read travels longer than usual. */
  #distanceOf(host: Host, name: string): number {
    if (name !== 'query' || !this.weather.distant.has(host)) return 0;
    return this.#random.chance(distance.share) ? this.#random.between(...distance.ms) : 0;
  }

  #fate(): Fate {
    let left = this.#random.next();
    for (const [fate, probability] of Object.entries(this.weather.fates)) {
      left -= probability;
      if (left < 0) return fate as Fate;
    }
    return 'answered';
  }

  #latency(): number {
    const [least, most] = this.weather.latency;
    return least + this.#random.next() * (most - least);
  }
}

/** Attempts of a transaction that conflicts with others. */
const attempts = 3;

/** A shared database as one host has it. */
class HostDatabase implements Database {
  readonly traits: Database['traits'];
  readonly isUnavailable = isUnavailable;
  readonly isContended = isContended;
  readonly reasonOf = reasonOf;
  readonly sql: Kysely<Tables>;
  readonly urgent: Kysely<Tables>;
  readonly #server: SharedDatabase;
  readonly #engine: Database;
  readonly #host: Host;
  readonly #health = new WriteHealth(isUnavailable, undefined);

  constructor(server: SharedDatabase, engine: Database, host: Host) {
    this.#server = server;
    this.#engine = engine;
    this.#host = host;
    this.traits = { ...engine.traits, oneProcess: false };
    this.sql = kyselyOver(dialect, <Row>(query: CompiledQuery) => this.#execute<Row>(query));
    this.urgent = this.sql;
  }

  prepare<Row>(statement: Statement<Row>): Prepared<Row> {
    const { sql: text } = compiled(statement, this.#engine.sql);
    const parts = sqliteText(text).map((sql) => CompiledQuery.raw(sql) as CompiledQuery<Row>);
    let prepared: Prepared<Row>[] | undefined;
    return (...parameters) =>
      this.#server.exchange(this.#host, 'query', async () => {
        prepared ??= parts.map((part) => this.#engine.prepare<Row>(part));
        let rows: Row[] = [];
        for (const run of prepared) rows = await run(...parameters);
        return rows;
      });
  }

  transaction(statements: readonly Statement[]): Promise<number[]> {
    const own = statements.map((each) => translated(compiled(each, this.#engine.sql)));
    return this.#retried('transaction', () => this.#engine.transaction(own));
  }

  transact<Result>(begin: () => Transaction<Result>): Promise<Result> {
    return this.#retried('transaction', () => this.#engine.transact(() => translatedSteps(begin())));
  }

  /** Tasks with idempotency keys get a transaction each, as in PostgreSQL: one may fail while others are written. */
  async write(tasks: readonly TaskWrite[]): Promise<WriteOutcome[]> {
    const others = tasks.filter(({ keyed }) => keyed.length === 0);
    if (others.length === tasks.length) return this.#write(tasks);
    const outcomes = new Map<TaskWrite, WriteOutcome>();
    const write = async (some: readonly TaskWrite[]): Promise<void> => {
      try {
        const written = await this.#write(some);
        for (const [at, task] of some.entries()) outcomes.set(task, written[at] ?? 'refused');
      } catch (failed) {
        for (const task of some) outcomes.set(task, { failed });
      }
    };
    if (others.length > 0) await write(others);
    await Promise.all(tasks.filter(({ keyed }) => keyed.length > 0).map((task) => write([task])));
    return tasks.map((task) => outcomes.get(task) ?? 'refused');
  }

  #write(tasks: readonly TaskWrite[]): Promise<WriteOutcome[]> {
    return this.#health.track(
      () =>
        this.#retried('write', async () => {
          const outcomes = await this.#server.write(this.#host, tasks);
          return Promise.all(outcomes.map((outcome, at) => this.#withFlags(outcome, tasks[at]?.key)));
        }),
      true,
    );
  }

  /** SQLite does not say who follows a task, since there no replica does. */
  async #withFlags(outcome: WriteOutcome, key: string | undefined): Promise<WriteOutcome> {
    if (typeof outcome === 'string' || 'failed' in outcome || key === undefined) return outcome;
    const row = await this.#engine.sql
      .selectFrom('task')
      .select(['pushed', 'followed'])
      .where('key', '=', key)
      .executeTakeFirst();
    return { pushed: row?.pushed === 1, followed: row?.followed === 1 };
  }

  withSchemaLock<T>(use: (sql: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#engine.withSchemaLock((sql) => use(kyselyOver(dialect, (query) => execute(sql, query))));
  }

  readonly openChannel = async (options: ChannelOptions): Promise<Channel> =>
    this.#server.exchange(this.#host, 'listen', async () => this.#server.listen(this.#host, options));

  get failing(): boolean {
    return this.#health.failing;
  }

  check(): Promise<void> {
    return this.#health.check(this.sql);
  }

  backUp(): never {
    throw new Error('a simulated database has no backup');
  }

  async close(): Promise<void> {
    await this.sql.destroy();
  }

  #execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#health.track(() =>
      this.#server.exchange(this.#host, 'statement', async () => {
        const result = await execute<Row>(this.#engine.sql, query);
        this.#server.executed(query);
        return result;
      }),
    );
  }

  async #retried<T>(name: string, use: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#server.exchange(this.#host, name, use);
      } catch (error) {
        if (attempt === attempts || !isContended(error)) throw error;
      }
    }
  }
}

/** A statement of the store in SQLite. */
function translated<Row>({ sql: text, parameters }: CompiledQuery<Row>): CompiledQuery<Row> {
  const [own = text] = sqliteText(text);
  return CompiledQuery.raw(own, [...parameters]) as CompiledQuery<Row>;
}

/** A transaction whose statements are those of SQLite. */
function* translatedSteps<Result>(steps: Transaction<Result>): Transaction<Result> {
  let step = steps.next([]);
  while (!step.done) step = steps.next(yield translated(step.value));
  return step.value;
}

const execute = <Row>(sql: Kysely<Tables>, query: CompiledQuery): Promise<QueryResult<Row>> =>
  sql.executeQuery<Row>(translated(query as CompiledQuery<Row>));

/** Several statements of one host may be under way, as on the connections of a pool. */
class SharedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const dialect = {
  createAdapter: () => new SharedAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
};
