import { sql } from 'kysely';
import { timestamp } from '../../core/model/agent-events.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { LostReplica } from '../../gen/admin-v1/types.ts';
import { integerIn, timeIn } from '../../stores/damaged-rows.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';

/** Milliseconds between two writes of the time at which a replica was last alive. */
const interval = 10_000;
/** Largest numbers of vanished replicas: in a list, and in the store. */
const most = { listed: 100, kept: 500 } as const;

/**
 * Table with one row for each replica that serves. A replica that stops deletes its row; the row of a replica that vanished
 * stays.
 */
export const replicaPresence: Migration = {
  number: 41,
  name: 'presence of replicas',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('replica_presence')
      .addColumn('instance', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'host', 'version'))
      .$call(required(integer, 'pid', 'started_at', 'alive_at', 'draining'))
      .modifyEnd(clustered)
      .execute();
  },
};

interface Row {
  readonly instance: string;
  readonly host: string;
  readonly version: string;
  readonly pid: number | string;
  readonly started_at: number | string;
  readonly alive_at: number | string;
  readonly draining: number | string;
}

/** Conditions of rows: a replica that is declared dead by mistake has a heartbeat again as soon as it reaches the store. */
const isLost = sql`instance not in (select instance from gateway)`;

const lostOf = (row: Row): LostReplica => ({
  id: unescapeText(row.instance),
  host: unescapeText(row.host),
  version: unescapeText(row.version),
  pid: integerIn(row, 'pid'),
  startedAt: timestamp(timeIn(row, 'started_at')),
  aliveAt: timestamp(timeIn(row, 'alive_at')),
  draining: Number(row.draining) > 0,
});

/** Facts that a replica stores about itself. */
interface Present {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly draining: boolean;
}

export type PresenceStore = Awaited<ReturnType<typeof openPresence>>;

/** Opens the table of the replicas that serve (`Store.extend`). */
export async function openPresence({ clock, rows, migrate, topic, damaged }: StoreHost) {
  await migrate('presence of replicas', [replicaPresence]);
  const written = topic(
    'presence of replicas',
    () => sql`(select count(*) || ' ' || coalesce(sum(draining), 0) from replica_presence)`,
  );
  const wrote = async <T>(change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } finally {
      written.wrote();
    }
  };
  return {
    listen: written.listen,
    /** Stores that a replica is alive. */
    async note({ id, host, version, pid, startedAt, draining }: Present, isNews: boolean): Promise<void> {
      const change = rows(sql`
        insert into replica_presence (instance, host, version, pid, started_at, alive_at, draining)
        values (${escapeText(id)}, ${escapeText(host)}, ${version}, ${pid}, ${startedAt}, ${clock.now()}, ${Number(draining)})
        on conflict (instance) do update set alive_at = excluded.alive_at, draining = excluded.draining`);
      await (isNews ? wrote(change) : change);
    },
    /** Deletes the row of a replica that stops. */
    async leave(id: string): Promise<void> {
      await wrote(rows(sql`delete from replica_presence where instance = ${escapeText(id)}`));
    },
    /** Reads the ids of the replicas that are stopping. */
    async draining(): Promise<ReadonlySet<string>> {
      const found = await rows(sql<Pick<Row, 'instance'>>`select instance from replica_presence where draining > 0`);
      return new Set(found.map(({ instance }) => unescapeText(instance)));
    },
    /** Reads the replicas that have vanished. The latest comes first. */
    async lost(): Promise<LostReplica[]> {
      const found = await rows(sql<Row>`select * from replica_presence where ${isLost}
        order by alive_at desc, instance limit ${sql.lit(most.listed)}`);
      return found.flatMap((row) => damaged.read('replica_presence', [row.instance], () => lostOf(row)) ?? []);
    },
    async countLost(): Promise<number> {
      const [row] = await rows(sql<{ n: number | string }>`select count(*) as n from replica_presence where ${isLost}`);
      return Number(row?.n ?? 0);
    },
    /** Deletes rows of replicas that have vanished. Resolves with their ids. @param ids empty: all */
    async acknowledge(ids: readonly string[]): Promise<string[]> {
      const named = ids.length === 0 ? sql`1 = 1` : sql`instance in (${sql.join(ids.map(escapeText))})`;
      const gone = await wrote(
        rows(sql<Pick<Row, 'instance'>>`delete from replica_presence where ${isLost} and ${named} returning instance`),
      );
      return gone.map(({ instance }) => unescapeText(instance));
    },
    /** Deletes the rows of the replicas that vanished first, so that at most `most.kept` stay. */
    async trim(): Promise<void> {
      await rows(sql`delete from replica_presence where instance in (
        select instance from replica_presence where ${isLost}
        order by alive_at desc, instance limit 1000 offset ${sql.lit(most.kept)})`);
    },
  };
}

interface PresenceDeps {
  readonly store: Pick<Store, 'replicas'>;
  readonly rows: PresenceStore;
  readonly version: string;
  readonly logger: Logger;
}

/** Stores that this replica serves, again and again until the replica has stopped. */
export class Presence {
  readonly #deps: PresenceDeps;
  #own: Omit<Present, 'draining'> | undefined;
  #isDraining = false;
  #timer: NodeJS.Timeout | undefined;
  /** The latest write. The next one waits for it. */
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#queue(async () => {
      const { store, rows, version } = this.#deps;
      const own = (await store.replicas()).find(({ isThis }) => isThis);
      if (!own) return;
      const { id, host, pid, startedAt } = own;
      this.#own = { id, host, pid, startedAt, version };
      await this.#note(true);
      await rows.trim();
    });
    this.#timer = setInterval(() => this.#queue(() => this.#note(false)), interval).unref();
  }

  /** Stores that the replica takes no new work. */
  drain(): void {
    this.#isDraining = true;
    this.#queue(() => this.#note(true));
  }

  /** Deletes the row of the replica, which has stopped. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#queue(async () => {
      if (this.#own) await this.#deps.rows.leave(this.#own.id);
      this.#own = undefined;
    });
    await this.#writing;
  }

  async #note(isNews: boolean): Promise<void> {
    if (this.#own) await this.#deps.rows.note({ ...this.#own, draining: this.#isDraining }, isNews);
  }

  #queue(write: () => Promise<void>): void {
    this.#writing = this.#writing.then(write).catch((err: unknown) => {
      this.#deps.logger.debug({ err }, 'the presence of this replica could not be written');
    });
  }
}
