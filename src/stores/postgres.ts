import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import type { Logger } from '../core/ports.ts';
import type { Database, Prepared, TaskWrite, Traits, WriteOutcome } from './database.ts';
import { PostgresTaskWriter } from './postgres-writer.ts';
import type { Tables } from './schema.ts';

/** Any number that all gateways agree on, and no other user of the database happens to choose. */
const migrationLock = 7_221_640_317;

const traits: Traits = {
  text: sql`text collate "C"`,
  integer: sql`bigint`,
  clustered: sql``,
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  beginExclusive: ['begin', `select pg_advisory_xact_lock(${migrationLock})`],
  rowLocks: true,
  oneMachine: false,
};

/** Milliseconds. The server's own limit comes first, so that its connection stays usable; then that of a dead line. */
const limits = { connect: 5_000, statement: 8_000, answer: 10_000, idleInTransaction: 10_000 } as const;
const connections = 10;

/** SQLSTATEs that say that the database is away, overloaded or not let in to, rather than that it refuses a statement. */
const awayStates = /^(?:08|53|57P|58)|^(?:57014|40001|40P01|25006|55P03|28000|28P01|3D000)$/;

/** The oid of bigint, which pg leaves as text. What the store keeps in it is below 2^53. */
const bigint = 20;

/** Opens a pool of connections to PostgreSQL. Nothing is connected until it is used. */
export async function openPostgres(url: string, logger: Logger | undefined): Promise<Database> {
  const { default: pg } = await import('pg');
  const getTypeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
    oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text');
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'a2a-gateway',
    max: connections,
    connectionTimeoutMillis: limits.connect,
    statement_timeout: limits.statement,
    query_timeout: limits.answer,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    keepAlive: true,
    types: { getTypeParser } as NonNullable<PoolConfig['types']>,
  });
  // A connection that breaks says so to whoever uses it; the event alone must not end the process.
  pool.on('error', (err) => logger?.debug({ err }, 'a connection to the store was lost'));
  pool.on('connect', (client: PoolClient) => client.on('error', () => undefined));
  return new PostgresDatabase(pool);
}

class PostgresDatabase implements Database {
  readonly traits = traits;
  readonly sql: Kysely<Tables>;
  readonly #pool: Pool;
  readonly #writer: PostgresTaskWriter;
  #prepared = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.sql = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    this.#writer = new PostgresTaskWriter(pool, this.sql);
  }

  prepare<Row>({ sql: text }: CompiledQuery<Row>): Prepared<Row> {
    this.#prepared += 1;
    const name = `a2a_${this.#prepared}`;
    return async (...values) => (await this.#pool.query({ name, text, values: [...values] })).rows;
  }

  atomically(statements: readonly CompiledQuery[]): Promise<number[]> {
    return this.sql.transaction().execute(async (transaction) => {
      const changed: number[] = [];
      for (const statement of statements) {
        const { numAffectedRows } = await transaction.executeQuery(statement);
        changed.push(Number(numAffectedRows ?? 0));
      }
      return changed;
    });
  }

  write(tasks: readonly TaskWrite[]): Promise<WriteOutcome[]> {
    return this.#writer.write(tasks);
  }

  isAway(error: unknown): boolean {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false;
    // Only what the server says has a severity; all else is the line's fault.
    return !('severity' in error) || ('code' in error && awayStates.test(String(error.code)));
  }

  async close(): Promise<void> {
    await this.sql.destroy();
  }
}
