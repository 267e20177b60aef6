import pg from 'pg';
import { beforeAll } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import { parseNotification, type ReplicaNotification } from '../../src/stores/cluster/notifications.ts';
import { createStore, type StoreOptions } from '../../src/stores/index.ts';
import { channelOf } from '../../src/stores/postgres/notify.ts';
import { afterTest } from './peer.ts';
import { query, sharedPostgres } from './postgres.ts';

/** The notifications that a store received. A gap is a notification without a key. */
export interface ReceivedNotifications {
  /** Tasks, with the highest position of a notification. */
  readonly written: Map<string, number>;
  lost: number;
}

/** Gateways' stores on one database of PostgreSQL. */
export interface StoresOnPostgres {
  readonly url: string;
  /** Closed after the test. */
  open(instance?: string, options?: Pick<StoreOptions, 'notifications' | 'logger'>): Promise<Store>;
}

/** In a file of tests: what opens stores on a database of its own. */
export function storesOnPostgres(): () => Promise<StoresOnPostgres> {
  beforeAll(sharedPostgres);
  return async () => {
    const url = await (await sharedPostgres()).migrated();
    return {
      url,
      async open(instance = 'test', options = {}) {
        const store = createStore(url, { instance, ...options });
        await store.open();
        afterTest(() => store.close());
        return store;
      },
    };
  };
}

/** Records the notifications of a store for the tasks that it follows. */
export function hear({ peers }: Store): ReceivedNotifications {
  const received: ReceivedNotifications = { written: new Map(), lost: 0 };
  peers.onTaskWritten((key, seq = 0) => {
    if (key === undefined) received.lost += 1;
    else received.written.set(key, Math.max(seq, received.written.get(key) ?? 0));
  });
  return received;
}

/** A notification, with the name of the gateway that it is for. */
export interface Overheard extends ReplicaNotification {
  readonly to: string;
}

/** A channel of `spyOn` alone. */
const end = 'end_of_spying';

/** All notifications between the running gateways. Call `close` when done. */
export async function spyOn(url: string): Promise<{ readonly notices: Overheard[]; close(): Promise<void> }> {
  const [row] = await query(url, "select value from meta where name = 'peers'");
  const gateways = await query(url, 'select instance from gateway');
  const channels = new Map(
    gateways.map(({ instance }) => [channelOf(String(row?.value), String(instance)), String(instance).split('/')[0]]),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const notices: Overheard[] = [];
  client.on('notification', ({ channel, payload = '' }) => {
    const notice = parseNotification(payload);
    if (notice) notices.push({ ...notice, to: channels.get(channel) ?? '' });
  });
  for (const channel of [...channels.keys(), end]) await client.query(`listen ${channel}`);
  return {
    notices,
    async close() {
      // Notifications arrive in the order of their commits: when this one is there, all others are.
      const arrived = new Promise<void>((resolve) => {
        client.on('notification', ({ channel }) => channel === end && resolve());
      });
      await client.query(`notify ${end}`);
      await arrived;
      await client.end();
    },
  };
}

/** Ends the connections on which the gateways of a database listen. Resolves with their number. */
export async function cutListening(url: string): Promise<number> {
  const [row] = await query(url, "select value from meta where name = 'peers'");
  const gateways = await query(url, 'select instance from gateway');
  const listening = gateways.map(({ instance }) => `listen ${channelOf(String(row?.value), String(instance))}`);
  const rows = await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid()
      and (query = any($1) or query like 'select pg_notify%' or query like '%join follower%')`,
    // The last text on such a connection may be its probe.
    [[...listening, 'select 1']],
  );
  return rows.length;
}

/**
 * Makes a gateway appear dead, and buried by the others. Its next heartbeat may announce it again at any moment, as that of
 * a gateway which was paused; the tasks that it had are those of a dead one all the same.
 */
export async function bury(url: string, instance: string): Promise<void> {
  await query(
    url,
    `with buried as (delete from gateway where instance like $1 || '/%' returning instance)
    update task set owner = owner || '/buried' where owner in (select instance from buried)`,
    [instance],
  );
}
