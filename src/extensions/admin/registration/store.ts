import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { readStored, UnreadableRow, unreadable } from '../../../core/model/stored-form.ts';
import { integerIn, textIn } from '../../../stores/damaged-rows.ts';
import type { StoreHost } from '../../../stores/extensions.ts';
import { type Migration, required } from '../../../stores/migrations/step.ts';
import { escapeText, unescapeText } from '../../../stores/text.ts';

/** What an owner says of an agent. */
export interface Offer {
  readonly url: string;
  readonly dialect: string;
  readonly transport: string;
  readonly title: string;
  readonly description: string;
  readonly skills: readonly string[];
}

/** An offer with a card. Times are milliseconds, by the store's clock. */
export interface Revision {
  /** Digest of offer and card. */
  readonly id: string;
  readonly state: 'waiting' | 'approved' | 'former' | 'refused';
  readonly seenAt: number;
  readonly decidedAt?: number | undefined;
  /** Id of the principal; absent: the configuration decided. */
  readonly decidedBy?: string | undefined;
  readonly offer: Offer;
  readonly card: JsonObject;
}

/** What is written of a registered agent. */
export interface Registration {
  readonly registeredAt: number;
  /** Seconds; 0: none. */
  readonly lease: number;
  /** What the owner said last. */
  readonly offer: Offer;
  /** Why no card could be read for it. */
  readonly problem?: string | undefined;
  /** The latest first. */
  readonly revisions: readonly Revision[];
}

/** A row, which changes as a whole: `token` is another one after each change but a renewal. */
export interface RegistrationRow {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  /** Infinity: never. */
  readonly expiresAt: number;
  readonly registration: Registration;
}

export type RowState = Omit<RegistrationRow, 'registration'>;

/** `token`: random, so that the sum over all rows tells whether any has changed. `expires_at`: 0 for never. */
const table: Migration = {
  number: 31,
  name: 'registered agents',
  async up({ schema }, { text, integer, clustered }) {
    await schema
      .createTable('registered_agent')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .$call(required(text, 'owner', 'body'))
      .$call(required(integer, 'token', 'expires_at'))
      .modifyEnd(clustered)
      .execute();
  },
};

interface Row {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  readonly expires_at: number;
  readonly body?: string;
}

const stateOf = (row: Row): RowState => ({
  name: textIn(row, 'name'),
  owner: unescapeText(row.owner),
  token: integerIn(row, 'token'),
  expiresAt: integerIn(row, 'expires_at') || Number.POSITIVE_INFINITY,
});

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

const offerTexts = ['url', 'dialect', 'transport', 'title', 'description'] as const;
const isOffer = (value: unknown): boolean =>
  isObject(value) && offerTexts.every((name) => typeof value[name] === 'string') && isTextList(value.skills);

const revisionStates: readonly unknown[] = ['waiting', 'approved', 'former', 'refused'];
const isRevision = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.id === 'string' &&
  revisionStates.includes(value.state) &&
  Number.isFinite(value.seenAt) &&
  isOffer(value.offer) &&
  isObject(value.card);

/** Throws for what cannot be read. */
function registrationIn(body: string): Registration {
  const value = readStored<Registration>('A registration', body);
  const { registeredAt, lease, offer, revisions } = value;
  const isWhole =
    Number.isFinite(registeredAt) &&
    Number.isFinite(lease) &&
    isOffer(offer) &&
    Array.isArray(revisions) &&
    revisions.every(isRevision);
  if (!isWhole) throw new UnreadableRow('its body is no registration');
  return value;
}

export type RegistrationStore = Awaited<ReturnType<typeof openRegistrations>>;

/** What registrations keep in the store (`Store.extend`). */
export async function openRegistrations({ clock, rows, migrate, damaged }: StoreHost) {
  await migrate('registered agents', [table]);
  const column = (expiresAt: number): number => (Number.isFinite(expiresAt) ? expiresAt : 0);
  return {
    now: clock.now,
    /** Another text after each change, and when a lease ends or is renewed after its end; the same after other renewals. */
    async version(): Promise<string> {
      const [row] = await rows(
        sql<{ n: number; s: number | null; ended: number | null }>`
          select count(*) as n, sum(token % 2147483648) as s,
            sum(case when expires_at between 1 and ${clock.now()} then token % 2147483648 else 0 end) as ended
          from registered_agent`,
      );
      return `${row?.n} ${row?.s} ${row?.ended}`;
    },
    /** Without those that cannot be read. */
    async states(): Promise<RowState[]> {
      const found = await rows(sql<Row>`select name, owner, token, expires_at from registered_agent order by name`);
      return found.flatMap((row) => damaged.read('registered_agent', [row.name], () => stateOf(row)) ?? []);
    },
    /** What is known of a row without its body. */
    async stateOf(name: string): Promise<RowState | undefined> {
      const [row] = await rows(
        sql<Row>`select name, owner, token, expires_at from registered_agent where name = ${name}`,
      );
      return row && damaged.read('registered_agent', [name], () => stateOf(row));
    },
    /** Rejects with `unavailable` for one that cannot be read. */
    async find(name: string): Promise<RegistrationRow | undefined> {
      const [row] = await rows(sql<Row>`select * from registered_agent where name = ${name}`);
      if (!row) return undefined;
      const read = () => ({ ...stateOf(row), registration: registrationIn(row.body ?? '') });
      const found = damaged.read('registered_agent', [name], read);
      if (found) return found;
      throw unreadable(`The registration ${name}`, 'its row is damaged; remove it, or have an operator remove it');
    },
    /**
     * Durable when it resolves. False: another change came first.
     *
     * @param former the row that it replaces; undefined: there is none
     */
    async put(row: Omit<RegistrationRow, 'token'>, former: RowState | undefined): Promise<boolean> {
      const [token, expiresAt] = [randomInt(2 ** 31), column(row.expiresAt)];
      const body = JSON.stringify(row.registration);
      const written = await rows(
        former
          ? sql`update registered_agent set body = ${body}, token = ${token}, expires_at = ${expiresAt}
              where name = ${row.name} and token = ${former.token} returning name`
          : sql`insert into registered_agent (name, owner, body, token, expires_at)
              values (${row.name}, ${escapeText(row.owner)}, ${body}, ${token}, ${expiresAt})
              on conflict do nothing returning name`,
      );
      return written.length > 0;
    },
    async renew({ name, token }: RowState, expiresAt: number): Promise<boolean> {
      const renewed = await rows(sql`update registered_agent set expires_at = ${column(expiresAt)}
        where name = ${name} and token = ${token} returning name`);
      return renewed.length > 0;
    },
    async remove({ name, token }: RowState): Promise<boolean> {
      const removed = await rows(
        sql`delete from registered_agent where name = ${name} and token = ${token} returning name`,
      );
      return removed.length > 0;
    },
  };
}
