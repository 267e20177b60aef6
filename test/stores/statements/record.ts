import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { newId } from '../../../src/core/model/ids.ts';
import { createStore } from '../../../src/stores/index.ts';
import { migrations } from '../../../src/stores/migrations/index.ts';
import { startPostgres } from '../../support/postgres.ts';
import type { Recording, Sent } from './recording.ts';
import { work } from './workload.ts';

/**
 * Writes down what this program says to its databases: run by hand, before a step is added to the schema. From then on
 * a test says it again, while and after the schema is changed.
 */

const schema = migrations.at(-1)?.number ?? 0;
/** Statements that a connection sends once, or that belong to the schema. */
const apart = /^(?:set |select set_config|listen|unlisten|select pg_|create |alter |drop )|"?migration"?|temp trigger/i;

class Recorder {
  readonly #texts = new Map<string, number>();
  #sent: Sent[] = [];
  readonly at = Date.now();

  add(text: string, values: readonly unknown[], rows: number): void {
    if (apart.test(text)) return;
    const index = this.#texts.get(text) ?? this.#texts.size;
    this.#texts.set(text, index);
    const named = values.map((value) => (value === hostname() ? 'host' : value));
    this.#sent.push([index, named, rows]);
  }

  take(): Sent[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  async record(url: string, name: string): Promise<void> {
    const store = createStore(url, { instance: newId() });
    // Statements that create the tables are not recorded.
    await store.open();
    await store.close();
    this.take();
    this.#texts.clear();
    await store.open();
    const start = this.take();
    await work(store);
    const worked = this.take();
    await store.close();
    const recording: Recording = { schema, at: this.at, texts: [...this.#texts.keys()], start, work: worked };
    const file = new URL(`${String(schema).padStart(4, '0')}-${name}.json.gz`, import.meta.url);
    writeFileSync(file, gzipSync(JSON.stringify(recording), { level: 9 }));
  }
}

/** Records what node-postgres is given, in both of the ways in which it tells the outcome. */
function watchPostgres(recorder: Recorder): void {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]): unknown {
    const [first, second, third] = args;
    const text = typeof first === 'string' ? first : (first as { text: string }).text;
    const inside = typeof first === 'string' ? second : (first as { values?: unknown }).values;
    const values = Array.isArray(inside) ? (inside as unknown[]) : [];
    const note = (result: { rowCount?: number | null } | undefined): void =>
      recorder.add(text, values, result?.rowCount ?? 0);
    if (typeof third === 'function') {
      args[2] = (error: unknown, result: { rowCount: number }) => {
        if (!error) note(result);
        third(error, result);
      };
    }
    const outcome = query.apply(this, args);
    if (typeof third !== 'function' && outcome instanceof Promise) outcome.then(note, () => undefined);
    return outcome;
  };
}

/** Records what node:sqlite is given. */
function watchSqlite(recorder: Recorder): void {
  const texts = new WeakMap<StatementSync, string>();
  const database = DatabaseSync.prototype as unknown as Record<string, (...args: never[]) => unknown>;
  const statement = StatementSync.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const { prepare, exec } = database;
  const { run, all } = statement;
  database.prepare = function (this: unknown, ...args: never[]): unknown {
    const made = prepare?.apply(this, args) as StatementSync;
    texts.set(made, args[0] as unknown as string);
    return made;
  };
  database.exec = function (this: unknown, ...args: never[]): unknown {
    const done = exec?.apply(this, args);
    const text = args[0] as unknown as string;
    if (!/^pragma/i.test(text)) recorder.add(text, [], 0);
    return done;
  };
  statement.run = function (this: unknown, ...args: unknown[]): unknown {
    const done = run?.apply(this, args) as { changes: number };
    recorder.add(texts.get(this as StatementSync) ?? '', args, Number(done.changes));
    return done;
  };
  statement.all = function (this: unknown, ...args: unknown[]): unknown {
    const rows = all?.apply(this, args) as unknown[];
    recorder.add(texts.get(this as StatementSync) ?? '', args, rows.length);
    return rows;
  };
}

const sqlite = new Recorder();
watchSqlite(sqlite);
const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-record-'));
await sqlite.record(`sqlite:${join(folder, 'a.db')}`, 'sqlite');
rmSync(folder, { recursive: true });
const postgres = new Recorder();
const server = await startPostgres();
const url = await server.database();
watchPostgres(postgres);
await postgres.record(url, 'postgres');
await server.stop();
