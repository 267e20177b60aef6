import pg from 'pg';
import { beforeAll } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { createStore } from '../../src/stores/index.ts';
import { channelOf } from '../../src/stores/peers/notices.ts';
import { afterTest } from './peer.ts';
import { query, sharedPostgres } from './postgres.ts';

/** What a store's listener of hints was told. Lost ones are told without a key. */
export interface Heard {
  /** Tasks, with the highest position that was told. */
  readonly written: Map<string, number>;
  lost: number;
}

/** Gateways' stores on one database of PostgreSQL. */
export interface StoresOnPostgres {
  readonly url: string;
  /** Closed after the test. */
  open(instance?: string): Promise<Store>;
}

/** In a file of tests: what opens stores on a database of its own. */
export function storesOnPostgres(): () => Promise<StoresOnPostgres> {
  beforeAll(sharedPostgres);
  return async () => {
    const url = await (await sharedPostgres()).database();
    return {
      url,
      async open(instance = 'test') {
        const store = createStore(url, { instance });
        await store.open();
        afterTest(() => store.close());
        return store;
      },
    };
  };
}

/** Listens to a store's hints. */
export function hear({ peers }: Store): Heard {
  const heard: Heard = { written: new Map(), lost: 0 };
  peers.onWritten((key, seq = 0) => {
    if (key === undefined) heard.lost += 1;
    else heard.written.set(key, Math.max(seq, heard.written.get(key) ?? 0));
  });
  return heard;
}

/** Everything that goes over the channel of all gateways. Call `close` when done. */
export async function spyOn(url: string): Promise<{ readonly payloads: string[]; close(): Promise<void> }> {
  const [row] = await query(url, "select value from meta where name = 'peers'");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const payloads: string[] = [];
  client.on('notification', ({ payload = '' }) => payloads.push(payload));
  await client.query(`listen ${channelOf(String(row?.value))}`);
  return {
    payloads,
    async close() {
      // What was sent before has arrived with the answer.
      await client.query('select 1');
      await client.end();
    },
  };
}

/** Ends the connections on which the gateways of a database listen. Resolves with their number. */
export async function cutListening(url: string): Promise<number> {
  const [row] = await query(url, "select value from meta where name = 'peers'");
  const rows = await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and (query like $1 or query like 'select pg_notify%')`,
    [`listen ${channelOf(String(row?.value))}%`],
  );
  return rows.length;
}

/** Makes a gateway appear dead, and buried by the others. */
export async function bury(url: string, instance: string): Promise<void> {
  await query(url, "delete from gateway where instance like $1 || '/%'", [instance]);
}
