import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Stop, StopKind } from '../../../core/ports/stops.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { type Migration, required } from '../../../stores/migrations/step.ts';
import { escapeText, unescapeText } from '../../../stores/text.ts';

/** `token`: random, so that the sum over all rows tells whether any has changed. */
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

const stopOf = ({ kind, subject, reason, stopped_by, stopped_at }: Row): Stop => ({
  kind: kind as StopKind,
  subject: unescapeText(subject),
  reason: unescapeText(reason),
  stoppedBy: unescapeText(stopped_by),
  stoppedAt: Number(stopped_at),
});

export type StopStore = Awaited<ReturnType<typeof openStops>>;

/** What stops keep in the store (`Store.extend`). */
export async function openStops({ clock, rows, migrate }: StoreHost) {
  await migrate('what is stopped', [stops]);
  return {
    /** Another text after each change. */
    async version(): Promise<string> {
      const [row] = await rows(sql<{ n: number; s: number | null }>`select count(*) as n, sum(token) as s from stop`);
      return `${row?.n} ${row?.s}`;
    },
    async list(): Promise<Stop[]> {
      return (await rows(sql<Row>`select * from stop order by stopped_at, kind, subject`)).map(stopOf);
    },
    /** Durable when it resolves. One that is there already stays. */
    async add({ kind, subject, reason, stoppedBy }: Omit<Stop, 'stoppedAt'>): Promise<void> {
      await rows(sql`insert into stop (kind, subject, reason, stopped_by, stopped_at, token)
        values (${kind}, ${escapeText(subject)}, ${escapeText(reason)}, ${escapeText(stoppedBy)}, ${clock.now()},
          ${randomInt(2 ** 31)})
        on conflict do nothing`);
    },
    async remove(kind: StopKind, subject: string): Promise<Stop | undefined> {
      const [row] = await rows(
        sql<Row>`delete from stop where kind = ${kind} and subject = ${escapeText(subject)} returning *`,
      );
      return row && stopOf(row);
    },
  };
}
