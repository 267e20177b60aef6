import { sql } from 'kysely';
import { A2AError } from '../../core/model/errors.ts';
import type { AdminStore, ChangePosition, TaskOverview } from '../../core/ports/admin-store.ts';
import type { DamagedRows } from '../../core/ports/damaged-rows.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Peers } from '../../core/ports/peers.ts';
import type { SharedClock } from '../cluster/clock.ts';
import type { Database, Statement } from '../database.ts';
import { escapeText } from '../text.ts';
import { positionName, positionText, readPosition } from './position.ts';
import { putWords } from './tables.ts';
import { TextCollector, wordsOf } from './words.ts';

/** Milliseconds between two searches for changes, and the part of the time that indexing may take. */
const interval = 1_000;
const indexingShare = 0.2;
/**
 * Milliseconds after its time within which a change may be stored. A task that continues is not indexed again before they are
 * over.
 */
const lateness = 3_000;
/** Milliseconds after an outage until replicas have stored the events that happened during it. */
const catchUpTime = 30_000;
/** Largest number of tasks in one transaction, and of characters of their texts. */
const batch = { tasks: 20, length: 262_144 } as const;
/** Events that are read at once, and characters of the JSON of each. */
const reading = { events: 50, length: 32_768 } as const;
/** The lease that lets one replica index: milliseconds. */
const lease = { name: 'full text', ms: 30_000 } as const;
export interface IndexerDeps extends Pick<AdminStore, 'changedTasks'> {
  readonly database: Database;
  readonly clock: Pick<SharedClock, 'now'>;
  readonly damaged: DamagedRows;
  readonly peers: Pick<Peers, 'lease'>;
  readonly logger: Logger | undefined;
}

/**
 * Indexes the words of tasks that have changed, in the order of their changes and a few seconds later, so that no call waits for
 * it. One replica does this at a time, and continues where the last one stopped.
 */
export class FullTextIndexer {
  readonly #deps: IndexerDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #hasFailed = false;
  /** Start and end of the store's last outage. Events of this time are stored later with their original times. */
  #outage: { readonly began: number; readonly ended?: number | undefined } | undefined;

  constructor(deps: IndexerDeps) {
    this.#deps = deps;
    this.#schedule(interval);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delay: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, delay).unref();
  }

  async #run(): Promise<void> {
    const began = performance.now();
    let more = false;
    try {
      more = (await this.#deps.peers.lease(lease.name, lease.ms)) && (await this.step());
      this.#hasFailed = false;
    } catch (err) {
      // An outage of the store is logged where the store notices it.
      const isNews =
        !this.#hasFailed && !this.#deps.database.isUnavailable(err) && A2AError.from(err).kind !== 'unavailable';
      this.#deps.logger?.[isNews ? 'error' : 'debug'](
        { err },
        'tasks could not be indexed for full text; trying again',
      );
      this.#hasFailed = true;
    }
    this.#schedule(more ? (performance.now() - began) * (1 / indexingShare - 1) : interval);
  }

  /** Indexes the next tasks. Resolves with whether there may be more. */
  async step(): Promise<boolean> {
    const now = this.#deps.clock.now();
    const outage = this.#outage;
    const isStored = outage?.ended !== undefined && now >= outage.ended + catchUpTime;
    try {
      const more = await this.#indexAfter(isStored ? { at: outage.began - lateness, key: '' } : await this.#position());
      if (isStored) this.#outage = undefined;
      else if (outage) this.#outage = { began: outage.began, ended: outage.ended ?? now };
      return more;
    } catch (thrown) {
      this.#outage = { began: outage?.began ?? now };
      throw thrown;
    }
  }

  async #indexAfter(position: ChangePosition): Promise<boolean> {
    const { database, clock, changedTasks } = this.#deps;
    const until = clock.now() - lateness;
    const changed = await changedTasks(position, batch.tasks);
    const statements: Statement[] = [];
    let last: TaskOverview | undefined;
    for (let length = 0; length < batch.length; ) {
      const task = changed[last ? changed.indexOf(last) + 1 : 0];
      if (!task || task.updatedAt > until) break;
      const text = await this.#textOf(task);
      statements.push(...putWords(database.traits, escapeText(task.key), wordsOf(text)));
      length += text.length;
      last = task;
    }
    if (!last) return false;
    const { updatedAt: at, key } = last;
    await database.transaction([
      ...statements,
      sql`
        insert into meta (name, value) values (${positionName}, case
          when exists (select 1 from task where key = ${escapeText(key)}) then ${positionText({ at, key })}
          else ${positionText({ at, key: '' })} end)
        on conflict (name) do update set value = excluded.value`,
    ]);
    return true;
  }

  async #position(): Promise<ChangePosition> {
    const { database, damaged } = this.#deps;
    const row = await database.sql
      .selectFrom('meta')
      .select('value')
      .where('name', '=', positionName)
      .executeTakeFirst();
    const known = row && damaged.read('meta', [positionName], () => readPosition(row.value));
    return known ?? { at: 0, key: '' };
  }

  /** The beginning of a task's text. Its reason, which a long log has at its end, and the names in its row come first. */
  async #textOf({ key, agent, principal, reason }: TaskOverview): Promise<string> {
    const collector = new TextCollector();
    collector.add(JSON.stringify({ text: `${reason}\n${agent}\n${principal}` }));
    for (let after = 0, isOver = false; !isOver && !collector.isFull; ) {
      const { rows } = await sql<{ seq: number; body: string }>`
        select seq, substr(body, 1, ${sql.lit(reading.length)}) as body from task_event
        where key = ${escapeText(key)} and seq > ${after} order by seq limit ${sql.lit(reading.events)}`.execute(
        this.#deps.database.sql,
      );
      for (const { seq, body } of rows) {
        if (!collector.isFull) this.#deps.damaged.read('task_event', [escapeText(key), seq], () => collector.add(body));
      }
      after = rows.at(-1)?.seq ?? after;
      isOver = rows.length < reading.events;
    }
    return collector.text;
  }
}
