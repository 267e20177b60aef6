import { randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { UnreadableRow } from '../../core/model/stored-form.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';
import type { Stop, StopKind } from './model.ts';

/** `token`: random, so that the sum over all rows shows whether any has changed. */
export const stops: Migration = {
  number: 32,
  name: 'stops',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('stop')
      .$call(required(text, 'kind', 'subject', 'reason', 'stopped_by'))
      .$call(required(integer, 'stopped_at', 'token'))
      .addPrimaryKeyConstraint('stop_pkey', ['kind', 'subject'])
      .modifyEnd(clustered)
      .execute();
  },
};

interface Row {
  readonly kind: string;
  readonly subject: string;
  readonly reason: string;
  readonly stopped_by: string;
  readonly stopped_at: number;
}

const kinds: readonly string[] = ['caller', 'agent', 'root'] satisfies readonly StopKind[];

/**
 * Reads a stop. Its reason and time may be damaged: the stop stays in force. Throws UnreadableRow if its subject cannot
 * be read.
 */
function stopOf({ kind, subject, reason, stopped_by, stopped_at }: Row): Stop {
  if (!kinds.includes(kind)) throw new UnreadableRow('its column kind is none that this version knows');
  const text = (value: unknown): string => (typeof value === 'string' ? unescapeText(value) : '');
  return {
    kind: kind as StopKind,
    subject: unescapeText(subject),
    reason: text(reason),
    stoppedBy: text(stopped_by),
    stoppedAt: Number.isSafeInteger(Number(stopped_at)) ? Number(stopped_at) : 0,
  };
}

export type StopStore = Awaited<ReturnType<typeof openStops>>;

/** Opens the table of stops in the store (`Store.extend`). */
export async function openStops({ clock, rows, migrate, damaged, topic }: StoreHost) {
  await migrate('what is stopped', [stops]);
  const topicOfStops = topic(
    'stops',
    () => sql`(select count(*) || ' ' || coalesce(sum(token % 2147483648), 0) from stop)`,
  );
  /** Runs a statement that changes rows. Even if it fails, it may have changed them. */
  const change = async <T>(statement: RawBuilder<T>): Promise<T[]> => {
    try {
      return await rows(statement);
    } finally {
      topicOfStops.wrote();
    }
  };
  return {
    listen: topicOfStops.listen,
    async list(): Promise<Stop[]> {
      const found = await rows(sql<Row>`select * from stop order by stopped_at, kind, subject`);
      return found.flatMap((row) => damaged.read('stop', [row.kind, row.subject], () => stopOf(row)) ?? []);
    },
    /** Adds a stop: durable when it resolves. An existing stop of the subject stays. */
    async add({ kind, subject, reason, stoppedBy }: Omit<Stop, 'stoppedAt'>): Promise<void> {
      await change(sql`insert into stop (kind, subject, reason, stopped_by, stopped_at, token)
        values (${kind}, ${escapeText(subject)}, ${escapeText(reason)}, ${escapeText(stoppedBy)}, ${clock.now()},
          ${randomInt(2 ** 31)})
        on conflict do nothing`);
    },
    async remove(kind: StopKind, subject: string): Promise<Stop | undefined> {
      const [row] = await change(
        sql<Row>`delete from stop where kind = ${kind} and subject = ${escapeText(subject)} returning *`,
      );
      return row && stopOf(row);
    },
  };
}
