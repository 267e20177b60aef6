import type { Message, StreamResponse, Task } from '../../src/core/model/a2a.ts';
import { foldings } from './folding.ts';

/** One entry of a task's log, as it lies in the database. */
export interface Entry {
  readonly seq: number;
  readonly at: number;
  /** Number of events up to this one without messages of the client, as its row says. */
  readonly generation: number;
  readonly event: StreamResponse;
}

/** A task as it lies in the database. */
export interface StoredLog {
  readonly key: string;
  readonly id: string;
  readonly agent: string;
  readonly principal: string;
  readonly state: string;
  readonly seq: number;
  readonly owner: string | null;
  readonly log: readonly Entry[];
  readonly snapshots: readonly { readonly seq: number; readonly task: Task }[];
}

/** A push configuration as it lies in the database. */
export interface StoredHook {
  readonly key: string;
  readonly url: string;
  readonly cursor: number;
  readonly active: boolean;
  readonly failure: string | null;
}

/** Data for the verdict, straight from the tables. */
export class Logs {
  readonly tasks: readonly StoredLog[];
  readonly hooks: readonly StoredHook[];
  /** Events that were given up. */
  readonly dead: number;
  /** Names of the gateways that are alive. */
  readonly alive: readonly string[];
  readonly byId: ReadonlyMap<string, StoredLog>;

  private constructor(tasks: readonly StoredLog[], { hooks, dead, alive }: Pick<Logs, 'hooks' | 'dead' | 'alive'>) {
    this.tasks = tasks;
    this.hooks = hooks;
    this.dead = dead;
    this.alive = alive;
    this.byId = new Map(tasks.map((task) => [task.id, task]));
  }

  /** These logs, with those of tasks that have expired meanwhile, as they were. */
  withExpired(expired: readonly StoredLog[]): Logs {
    return new Logs([...this.tasks, ...expired], this);
  }

  /** @param read runs a query of SQL on all databases of the gateways */
  static async read(read: (text: string) => Promise<Record<string, unknown>[]>): Promise<Logs> {
    const tasks = await read('select key, id, agent, principal, state, seq, owner from task order by key');
    const events = await read('select key, seq, at, generation, body from task_event order by key, seq');
    const snapshots = await read('select key, seq, body from task_snapshot order by key, seq');
    const hooks = await read('select key, body, cursor, active, failure from push_config');
    const dead = await read('select key from push_dead');
    const alive = await read('select instance from gateway order by instance');
    const logs = groupBy(events, ({ seq, at, generation, body }) => ({
      seq: Number(seq),
      at: Number(at),
      generation: Number(generation),
      event: JSON.parse(String(body)) as StreamResponse,
    }));
    const folded = groupBy(snapshots, ({ seq, body }) => ({
      seq: Number(seq),
      task: JSON.parse(String(body)) as Task,
    }));
    return new Logs(
      tasks.map(({ key, id, agent, principal, state, seq, owner }) => ({
        key: String(key),
        id: String(id),
        agent: String(agent),
        principal: String(principal),
        state: `TASK_STATE_${state}`,
        seq: Number(seq),
        owner: owner === null ? null : String(owner),
        log: logs.get(String(key)) ?? [],
        snapshots: folded.get(String(key)) ?? [],
      })),
      {
        hooks: hooks.map(({ key, body, cursor, active, failure }) => ({
          key: String(key),
          url: JSON.parse(String(body)).url,
          cursor: Number(cursor),
          active: Number(active) === 1,
          failure: failure === null ? null : String(failure),
        })),
        dead: dead.length,
        alive: alive.map(({ instance }) => String(instance)),
      },
    );
  }
}

function groupBy<T>(rows: readonly Record<string, unknown>[], make: (row: Record<string, unknown>) => T) {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(String(row.key)) ?? [];
    groups.set(String(row.key), group);
    group.push(make(row));
  }
  return groups;
}

/** The task that a log comes to at a position. */
export function taskAt(log: readonly Entry[], seq: number): Task | undefined {
  let last: Task | undefined;
  for (const task of foldings(log.filter((entry) => entry.seq <= seq).map(({ event }) => event))) last = task;
  return last;
}

/** The marker that a message of a client's carries. */
export const markerOf = ({ role, parts }: Message): string | undefined =>
  role === 'ROLE_USER' ? parts.find(({ text }) => text?.startsWith('marker-'))?.text : undefined;

/** The markers of what clients said to a task, each with the position where it is in the log. */
export function markersOf({ log }: StoredLog): (readonly [marker: string, seq: number])[] {
  return log.flatMap(({ seq, event }) => {
    const said = event.message ? [event.message] : seq === 1 ? (event.task?.history ?? []) : [];
    return said.flatMap((message) => {
      const marker = markerOf(message);
      return marker === undefined ? [] : [[marker, seq] as const];
    });
  });
}

/** Whether an event of a log is sent to readers: all but messages of the client. */
export const told = ({ event }: Entry): boolean => event.message === undefined;

/** Whether the task failed since the gateway that worked on it was taken for dead. */
export const stopped = ({ log }: StoredLog): boolean =>
  /gateway stopped/i.test(log.at(-1)?.event.statusUpdate?.status.message?.parts[0]?.text ?? '');
