import type { TaskWrite, WriteOutcome } from '../../src/stores/database.ts';
import { rememberedFor } from '../../src/stores/tasks/idempotency-keys.ts';
import type { Violation } from '../workload/check-logs.ts';
import type { Logs } from '../workload/logs.ts';
import type { SharedDatabase } from './world/database.ts';

/** States that no event follows, as the rows have them. */
const terminal = "('COMPLETED', 'FAILED', 'CANCELED', 'REJECTED')";

const now = "cast(unixepoch('subsec') * 1000 as integer)";

/** Notes what must never happen: a condition on the rows `old` and `new` of a change, and what it means. */
const never = (name: string, change: string, condition: string, what: string): string => `
  create temp trigger never_${name} ${change} when ${condition}
  begin insert into observed values (${now}, 'violation', new.key, '${what}'); end`;

const isAlive = (instance: string): string => `exists (select 1 from main.gateway where instance = ${instance})`;

/** Milliseconds that a task at rest is kept without configuration. */
const defaultRetention = 30 * 24 * 3_600_000;

/** Triggers of the database's one connection, which see each change before its transaction is committed. */
const triggersFor = (retention: number): readonly string[] => [
  'create temp table observed (at integer, kind text, key text, what text)',
  never('back', 'after update of seq on main.task', 'new.seq < old.seq', 'the position of its log went back'),
  never(
    'over',
    'after update of seq on main.task',
    `new.seq <> old.seq and old.state in ${terminal}`,
    'it got an event after its end',
  ),
  never(
    'taken',
    'after update of owner on main.task',
    `old.owner is not null and new.owner <> old.owner and new.seq = old.seq and ${isAlive('old.owner')}`,
    'a replica took it from another one that is alive',
  ),
  never(
    'rest',
    'after update of owner on main.task',
    'old.owner is null and new.owner is not null and new.seq = old.seq',
    'a replica took it while it was at rest',
  ),
  never('changed', 'after update on main.task_event', 'true', 'an event of its log was changed'),
  never(
    'gap',
    'after insert on main.task_event',
    'new.seq > 1 and not exists (select 1 from main.task_event where key = new.key and seq = new.seq - 1)',
    'its log has a gap',
  ),
  never(
    'ahead',
    'after insert on main.task_snapshot',
    'new.seq > (select seq from main.task where key = new.key)',
    'its snapshot is ahead of its log',
  ),
  never(
    'ahead_again',
    'after update on main.task_snapshot',
    'new.seq > (select seq from main.task where key = new.key)',
    'its snapshot is ahead of its log',
  ),
  never(
    'hook_ahead',
    'after update of cursor on main.push_config',
    'new.cursor > (select seq from main.task where key = new.key)',
    'the cursor of a webhook is ahead of its log',
  ),
  never(
    'hook_back',
    'after update of cursor on main.push_config',
    'new.cursor < old.cursor and new.since = old.since',
    'the cursor of a webhook went back',
  ),
  never(
    'answer',
    'after update of answer on main.idempotency',
    'old.answer is not null and new.answer is not old.answer and new.nonce = old.nonce',
    'the answer of an idempotency key was changed',
  ),
  `create temp trigger never_removed after delete on main.task_event
   when old.seq > 1 and old.at > ${now} - ${retention}
   begin insert into observed values (${now}, 'violation', old.key, 'an event of its log was removed'); end`,
  `create temp trigger never_freed after delete on main.idempotency
   when old.created_at > ${now} - ${rememberedFor} and (old.answer is not null
     or (old.task_seq = 0 and exists (select 1 from main.task where key = old.task_key)))
   begin insert into observed values (${now}, 'violation', old.task_key,
     'the idempotency key of a call was freed, which has an answer'); end`,
  `create temp trigger saw_death after delete on main.gateway
   begin insert into observed values (${now}, 'removed', old.instance, ''); end`,
  `create temp trigger saw_delivery after update of cursor on main.push_config when new.cursor > old.cursor
   begin insert into observed values (${now}, 'delivered', new.key, new.body || char(10) || new.cursor); end`,
];

/** Something that the triggers noted. */
interface Observed {
  readonly at: number;
  readonly kind: 'violation' | 'removed' | 'delivered';
  readonly key: string;
  readonly what: string;
}

/** A replica whose heartbeats the others removed, since they took it for dead or it withdrew. */
export interface Removed {
  readonly at: number;
  readonly instance: string;
}

/** A webhook's position that was stored. */
export interface Delivered {
  readonly at: number;
  readonly key: string;
  readonly url: string;
  readonly cursor: number;
}

/** Watches each transaction of a database: what it may never change, and who writes. */
export class Observer {
  readonly #database: SharedDatabase;
  readonly #violations: { readonly key: string; readonly what: string }[] = [];
  #observed: readonly Observed[] = [];

  private constructor(database: SharedDatabase) {
    this.#database = database;
  }

  /**
   * Begins to watch a database, which has its tables.
   *
   * @param retention milliseconds that a task at rest is kept
   */
  static async open(database: SharedDatabase, retention = defaultRetention): Promise<Observer> {
    await database.execute(triggersFor(retention));
    const observer = new Observer(database);
    database.onWrite((writer, tasks, owners, outcomes) => observer.#written(writer, tasks, owners, outcomes));
    return observer;
  }

  /** Reads what the triggers have noted. */
  async end(): Promise<void> {
    const rows = await this.#database.read('select at, kind, key, what from observed order by rowid');
    this.#observed = rows as unknown as readonly Observed[];
  }

  violations(logs: Logs): Violation[] {
    const byKey = new Map(logs.tasks.map((task) => [task.key, task]));
    const seen = this.#observed.filter(({ kind }) => kind === 'violation');
    return [...this.#violations, ...seen].map(({ key, what }) => ({ what, task: byKey.get(key) }));
  }

  get removed(): readonly Removed[] {
    return this.#observed.filter(({ kind }) => kind === 'removed').map(({ at, key }) => ({ at, instance: key }));
  }

  get delivered(): readonly Delivered[] {
    return this.#observed
      .filter(({ kind }) => kind === 'delivered')
      .map(({ at, key, what }) => {
        const [body = '', cursor] = what.split('\n');
        return { at, key, url: (JSON.parse(body) as { readonly url: string }).url, cursor: Number(cursor) };
      });
  }

  /** Notes an event. Messages of a run come from the task's owner; others may only cancel. */
  #written(
    writer: string,
    tasks: readonly TaskWrite[],
    owners: ReadonlyMap<string, string | null>,
    outcomes: readonly WriteOutcome[],
  ): void {
    for (const [at, { key, expected, state }] of tasks.entries()) {
      const outcome = outcomes[at];
      const owner = owners.get(key) ?? null;
      if (typeof outcome !== 'object' || 'failed' in outcome) continue;
      if (expected === 0 || owner === null || owner === writer || state === 'CANCELED') continue;
      this.#violations.push({ key, what: `${writer} wrote ${state ?? 'to it'} while it belonged to ${owner}` });
    }
  }
}
