import { randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { readStored, UnreadableRow, unreadable } from '../../core/model/stored-form.ts';
import type { WrittenTopic } from '../../stores/cluster/store-watch.ts';
import { integerIn, textIn } from '../../stores/damaged-rows.ts';
import type { Transaction } from '../../stores/database.ts';
import type { StoreHost } from '../../stores/extensions.ts';
import { type Migration, required } from '../../stores/migrations/step.ts';
import { guardWith } from '../../stores/part-methods.ts';
import { escapeText, unescapeText } from '../../stores/text.ts';

/** An owner's description of an agent. */
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
  /** Id of the principal that offered it; absent: the owner of the registration. */
  readonly owner?: string | undefined;
  readonly offer: Offer;
  readonly card: JsonObject;
}

/** Stored form of a registered agent. */
export interface Registration {
  readonly registeredAt: number;
  /** Seconds; 0: none. */
  readonly lease: number;
  /** The owner's latest description. */
  readonly offer: Offer;
  /** Why no card could be read for it. */
  readonly problem?: string | undefined;
  /** The latest first. */
  readonly revisions: readonly Revision[];
  /** Whether a card was decided about under this name before, in a registration that was removed. */
  readonly used?: boolean | undefined;
  /** Id of the principal that removed it; absent: its lease has ended. */
  readonly removedBy?: string | undefined;
}

/** A row, which changes as a whole: `token` is another one after each change but a renewal. */
export interface RegistrationRow {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  /** Infinity: never. */
  readonly expiresAt: number;
  /** Time of removal; 0: it was not removed. The row stays, so that its name keeps the decisions about its cards. */
  readonly removedAt: number;
  readonly registration: Registration;
}

export type RowState = Omit<RegistrationRow, 'registration'>;

/** `token`: random, so that the sum over all rows shows whether any has changed. `expires_at`: 0 for never. */
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

const removals: Migration = {
  number: 35,
  name: 'removed agents',
  async up({ schema }, { integer }) {
    await schema
      .alterTable('registered_agent')
      .addColumn('removed_at', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

interface Row {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  readonly expires_at: number;
  readonly removed_at: number;
  readonly body?: string;
}

const stateOf = (row: Row): RowState => ({
  name: textIn(row, 'name'),
  owner: unescapeText(row.owner),
  token: integerIn(row, 'token'),
  expiresAt: integerIn(row, 'expires_at') || Number.POSITIVE_INFINITY,
  removedAt: integerIn(row, 'removed_at'),
});

/** Registrations that an owner, and all owners together, may have. */
export interface RegistrationLimits {
  readonly ofOwner: number;
  readonly all: number;
}

/** Outcome of a change: `stale` where another one came first; the name of a limit where there is no room. */
export type PutOutcome = 'written' | 'stale' | keyof RegistrationLimits;

/** The row of `meta` that is locked while registrations are counted. */
const countLock = 'registered agents';

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

/** Opens the names of the agents that callers have registered, without the registry (`Store.extend`). */
export async function openRegisteredNames({ has, rows }: StoreHost) {
  return {
    /** Agents with a registration that names a principal, also of those that were removed. */
    async of(principal: string): Promise<string[]> {
      if (!(await has(table))) return [];
      const name = JSON.stringify(principal);
      const found = await rows(sql<{ name: string }>`
        select name from registered_agent
        where owner = ${escapeText(principal)} or replace(body, ${name}, '') <> body order by name`);
      return found.map((row) => row.name);
    },
  };
}

/** Opens the tables of registrations in the store (`Store.extend`). */
export async function openRegistrations(host: StoreHost): Promise<RegistrationStore> {
  await host.migrate('registered agents', [table, removals]);
  return new RegistrationStore(host);
}

/** Without the body. */
const states = sql`select name, owner, token, expires_at, removed_at from registered_agent`;

const column = (expiresAt: number): number => (Number.isFinite(expiresAt) ? expiresAt : 0);

/** The statement that adds a row, or replaces another one. */
function written(row: Omit<RegistrationRow, 'token'>, former: RowState | undefined): RawBuilder<unknown> {
  const { name, owner, expiresAt, removedAt, registration } = row;
  const token = randomInt(2 ** 31);
  const ends = column(expiresAt);
  const body = JSON.stringify(registration);
  return former
    ? sql`update registered_agent
        set owner = ${escapeText(owner)}, body = ${body}, token = ${token}, expires_at = ${ends}, removed_at = ${removedAt}
        where name = ${name} and token = ${former.token} returning name`
    : sql`insert into registered_agent (name, owner, body, token, expires_at, removed_at)
        values (${name}, ${escapeText(owner)}, ${body}, ${token}, ${ends}, ${removedAt})
        on conflict do nothing returning name`;
}

/** Writes a row that counts anew. Replicas do so one after the other, so that the limits are exact. */
function* added(
  database: StoreHost['database'],
  row: Omit<RegistrationRow, 'token'>,
  former: RowState | undefined,
  limits: RegistrationLimits,
): Transaction<PutOutcome> {
  const compile = (query: RawBuilder<unknown>) => query.compile(database.sql);
  yield compile(sql`insert into meta (name, value) values (${countLock}, '')
    on conflict (name) do update set value = excluded.value`);
  const [counted] = yield compile(sql`
    select count(*) as n, sum(case when owner = ${escapeText(row.owner)} then 1 else 0 end) as own
    from registered_agent where removed_at = 0`);
  const { n, own } = counted as { readonly n: number | string; readonly own: number | string | null };
  if (Number(own) >= limits.ofOwner) return 'ofOwner';
  if (Number(n) >= limits.all) return 'all';
  const changed = yield compile(written(row, former));
  return changed.length > 0 ? 'written' : 'stale';
}

/** The rows of registered agents. */
export class RegistrationStore {
  readonly now: StoreHost['clock']['now'];
  readonly #host: StoreHost;
  readonly #withFailure: ReturnType<typeof guardWith>;
  /** Another version after each change, and when a lease ends or is renewed after its end; not after other renewals. */
  readonly #topic: WrittenTopic;

  constructor(host: StoreHost) {
    this.now = host.clock.now;
    this.#topic = host.topic(
      'registered agents',
      () => sql`(
        select count(*) || ' ' || coalesce(sum(token % 2147483648), 0) || ' ' ||
          coalesce(sum(case when expires_at between 1 and ${this.now()} then token % 2147483648 else 0 end), 0)
        from registered_agent)`,
    );
    this.#host = host;
    this.#withFailure = guardWith(host.failure);
  }

  /** As of `StoreTopic.listen`. */
  listen(within: number, changed: () => Promise<void>): () => void {
    return this.#topic.listen(within, changed);
  }

  /** Has listeners called, since a lease has ended. */
  reread(): void {
    this.#topic.reread();
  }

  /** Without those that cannot be read. */
  async states(): Promise<RowState[]> {
    const { damaged, rows } = this.#host;
    const found = await rows(sql<Row>`${states} order by name`);
    return found.flatMap((row) => damaged.read('registered_agent', [row.name], () => stateOf(row)) ?? []);
  }

  /** Returns the facts of a row without its body. */
  async stateOf(name: string): Promise<RowState | undefined> {
    const { damaged, rows } = this.#host;
    const [row] = await rows(sql<Row>`${states} where name = ${name}`);
    return row && damaged.read('registered_agent', [name], () => stateOf(row));
  }

  /** Rejects with `unavailable` for one that cannot be read. */
  async find(name: string): Promise<RegistrationRow | undefined> {
    const { damaged, rows } = this.#host;
    const [row] = await rows(sql<Row>`select * from registered_agent where name = ${name}`);
    if (!row) return undefined;
    const read = () => ({ ...stateOf(row), registration: registrationIn(row.body ?? '') });
    const found = damaged.read('registered_agent', [name], read);
    if (found) return found;
    throw unreadable(`The registration ${name}`, 'its row is damaged; remove it, or have an operator remove it');
  }

  /**
   * Durable when it resolves.
   *
   * @param former the row that it replaces; undefined: there is none
   * @param limits of the rows that are not removed, where it adds one
   */
  async put(
    row: Omit<RegistrationRow, 'token'>,
    former: RowState | undefined,
    limits: RegistrationLimits,
  ): Promise<PutOutcome> {
    const { database, rows } = this.#host;
    const counts = row.removedAt === 0 && (!former || former.removedAt > 0 || former.owner !== row.owner);
    try {
      if (counts) return await this.#withFailure(() => database.transact(() => added(database, row, former, limits)));
      return (await rows(written(row, former))).length > 0 ? 'written' : 'stale';
    } finally {
      this.#topic.wrote();
    }
  }

  async renew({ name, token }: RowState, expiresAt: number): Promise<boolean> {
    const renewed = await this.#host.rows(sql`update registered_agent set expires_at = ${column(expiresAt)}
      where name = ${name} and token = ${token} returning name`);
    // It may have ended. Here the caller reads it anyway.
    this.#topic.notify();
    return renewed.length > 0;
  }

  async remove({ name, token }: RowState): Promise<boolean> {
    const removed = await this.#host.rows(
      sql`delete from registered_agent where name = ${name} and token = ${token} returning name`,
    );
    this.#topic.wrote();
    return removed.length > 0;
  }

  /** Deletes the rows that were removed first, until so many are left. */
  async trim(most: number): Promise<void> {
    await this.#host.rows(sql`delete from registered_agent where name in (
      select name from registered_agent where removed_at > 0 order by removed_at desc, name limit 1000 offset ${most})`);
  }
}
