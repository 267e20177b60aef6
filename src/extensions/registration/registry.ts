import { isDeepStrictEqual } from 'node:util';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { leaveOut } from '../../core/model/stored-form.ts';
import { shortened } from '../../core/model/text.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { CatalogAgent, RegisterCatalogResponse, SkippedAgent } from '../../gen/admin-v1/types.ts';
import { fault } from '../requests.ts';
import { type ListedAgent, nameAgents } from './catalog-names.ts';
import {
  approvedIn,
  decided,
  hasDecisions,
  isJudged,
  keepable,
  removed,
  shownCard,
  takenOver,
  withCard,
} from './revisions.ts';
import type {
  Offer,
  Registration,
  RegistrationLimits,
  RegistrationRow,
  RegistrationStore,
  Revision,
  RowState,
} from './store.ts';

/** Registrations of one owner, and in all; and names of removed ones that are kept. */
const most: RegistrationLimits = { ofOwner: 1_000, all: 5_000 };
const mostRemoved: RegistrationLimits = { ofOwner: 1_000, all: 5_000 };
/** Milliseconds within which a change by another replica is in force here. */
const within = 500;
/** Milliseconds between two looks at cards that could not be read yet, and at a lease whose end could not be read. */
const interval = { cards: 10_000, leases: 500 } as const;
/** Milliseconds for reading one card. */
const cardTimeout = 5_000;
/** Milliseconds for registering the agents of a catalog. */
const catalogTimeout = 60_000;
/** Milliseconds for which a card is served that was approved by itself: one that changes with each reading is not followed. */
const settled = 60_000;
/** Milliseconds after the end of a lease until the registration goes, too. */
const keptAfterLease = 86_400_000;
/** Cards that could not be read are read by one replica, so many at a time. */
const readers = { name: 'registration', ms: 2.5 * interval.cards, count: 8 } as const;

/** A registered agent that is served. */
export interface ServedOffer extends Pick<Revision, 'id' | 'offer'> {
  readonly name: string;
  /** With what the owner replaces in it. */
  readonly card: JsonObject;
  /** Gets each card that the agent has, and returns the one that is served. */
  readonly review: (card: unknown) => JsonObject;
}

export interface RegistryDeps {
  readonly store: RegistrationStore;
  readonly logger: Logger;
  /** Returns which cards need approval, by the current configuration. */
  readonly approve: () => 'always' | 'changes' | 'never';
  /** Names of the agents of the configuration. */
  readonly isConfigured: (name: string) => boolean;
  /** @throws A2AError `invalidParams` for a name or an offer that no agent can have */
  readonly check: (name: string, offer: Offer) => void;
  /** The card at the offer's URL. Rejects with A2AError. */
  readonly readCard: (offer: Offer, signal: AbortSignal) => Promise<unknown>;
  /** The agents in a catalog. Rejects with A2AError. */
  readonly readCatalog: (url: URL, signal: AbortSignal) => Promise<FoundAgents>;
  /** Makes the gateway serve what `served` returns. */
  readonly apply: () => Promise<unknown>;
  /** Gets the agents whose lease has ended, when they change. */
  readonly onAway: (names: ReadonlySet<string>) => void;
  /** Takes a lease that one replica has at a time. */
  readonly lease: (name: string, ms: number) => Promise<boolean>;
  /** Default: 1,000 of an owner, 5,000 in all. */
  readonly most?: RegistrationLimits;
  /** Default: the same. */
  readonly mostRemoved?: RegistrationLimits;
}

/** Registration by an owner. */
export interface Wanted {
  readonly name: string;
  readonly owner: string;
  readonly offer: Offer;
  /** Seconds; 0: none. */
  readonly lease: number;
}

/** Agents in a catalog, and the parts of it that cannot be used. */
interface FoundAgents {
  readonly agents: readonly ListedAgent[];
  readonly skipped: readonly SkippedAgent[];
}

/** Of an agent in a catalog: the name that its card must have. */
interface Promised {
  readonly name: string | undefined;
}

/** A replica's copy of a row. */
interface KnownRow extends RowState, Pick<Registration, 'offer' | 'problem'> {
  readonly approved: Revision | undefined;
  /** Whether a card of it waits for a decision. */
  readonly waits: boolean;
}

/** The agents that are registered at run time, as the store has them: each replica reads them when they have changed. */
export class Registry {
  readonly #deps: RegistryDeps;
  readonly #most: RegistrationLimits;
  readonly #mostRemoved: RegistrationLimits;
  #rows: ReadonlyMap<string, KnownRow> = new Map();
  #away: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #cardsReadAt = 0;
  readonly #closing = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    this.#most = deps.most ?? most;
    this.#mostRemoved = deps.mostRemoved ?? mostRemoved;
  }

  /** Reads the registrations. Rejects as the store does. */
  load(): Promise<void> {
    return this.#read();
  }

  /** Follows changes from now on. */
  start(): void {
    if (this.#away.size > 0) this.#deps.onAway(this.#away);
    this.#unlisten = this.#deps.store.listen(within, () => this.#read());
    this.#schedule();
  }

  close(): void {
    this.#closing.abort();
    this.#unlisten?.();
    clearTimeout(this.#timer);
  }

  /** Applies a reload, which may have given a name to the configuration, or taken it back. */
  applyConfig(): void {
    this.#noteAway();
  }

  /** Has the next lease that ends looked at, and cards that could not be read. Nothing is done while nothing is registered. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted || !this.#unlisten || this.#rows.size === 0) return;
    const now = this.#deps.store.now();
    const left = this.#offered().reduce(
      (least, { expiresAt }) => Math.min(least, expiresAt - now),
      Number.POSITIVE_INFINITY,
    );
    const next = Math.min(this.#cardsReadAt + interval.cards - steadyNow(), left > 0 ? left + 1 : interval.leases);
    this.#timer = setTimeout(
      () => {
        this.#look()
          .catch((err: unknown) => this.#deps.logger.debug({ err }, 'registrations could not be read'))
          .finally(() => this.#schedule());
      },
      Math.max(0, next),
    ).unref();
  }

  /** Registrations whose leases go on, as far as is known. */
  #offered(): readonly KnownRow[] {
    return this.rows.filter(({ name }) => !this.#away.has(name) && !this.#deps.isConfigured(name));
  }

  /** Returns the agents that are served in addition to those of a configuration, which take precedence. */
  served(isConfigured: (name: string) => boolean): ServedOffer[] {
    return this.rows.flatMap(({ name, approved }) => {
      if (!approved) return [];
      if (isConfigured(name)) {
        this.#deps.logger.warn(
          { agent: name },
          'an agent of the configuration has the name of a registered one and is served in its place',
        );
        return [];
      }
      const { id, offer } = approved;
      const card = shownCard(offer, approved.card);
      const review = (seen: unknown): JsonObject => {
        if (isObject(seen) && !isDeepStrictEqual(seen, approved.card)) void this.#noteCard(name, offer, seen);
        return card;
      };
      return [{ name, id, offer, card, review }];
    });
  }

  /** All of them by name, without those that were removed. */
  get rows(): readonly KnownRow[] {
    return [...this.#rows.values()].filter(({ removedAt }) => removedAt === 0);
  }

  /** Removed registrations by name: each keeps the decisions about its cards. */
  get removed(): readonly KnownRow[] {
    return [...this.#rows.values()].filter(({ removedAt }) => removedAt > 0);
  }

  /** Whether new calls reach it, once a card is approved. */
  isOffered(name: string): boolean {
    return !this.#away.has(name) && !this.#deps.isConfigured(name);
  }

  /** Rejects with `agentNotFound`. */
  async find(name: string): Promise<RegistrationRow> {
    const row = await this.#deps.store.find(name);
    if (!row || row.removedAt > 0) throw noSuch(name);
    return row;
  }

  /** One that may have been removed. */
  findAny(name: string): Promise<RegistrationRow | undefined> {
    return this.#deps.store.find(name);
  }

  /** Registers an agent, or replaces what its owner said before. Effective here when it resolves. */
  async register(wanted: Wanted): Promise<RegistrationRow> {
    await this.#register(wanted);
    await this.#read();
    return this.find(wanted.name);
  }

  /**
   * Registers the agents of a catalog. It need not be the owner's: its agents replace none of the owner's that has another URL, and
   * need a card now. Effective here when it resolves, with those that were registered and those that were not.
   */
  async registerCatalog(
    catalog: URL,
    { owner, lease, signal }: Pick<Wanted, 'owner' | 'lease'> & { readonly signal: AbortSignal },
  ): Promise<RegisterCatalogResponse> {
    const until = AbortSignal.any([signal, this.#closing.signal, AbortSignal.timeout(catalogTimeout)]);
    const { agents, skipped } = await this.#deps.readCatalog(catalog, until);
    const { named, unnamed } = nameAgents(agents);
    const listed: readonly CatalogAgent[] = [...named].map(([name, { identifier }]) => ({ identifier, name }));
    const done = new Set<string>();
    const refused = [...skipped, ...unnamed];
    const left = [...named];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [name, { identifier, url, name: ofCard }] = next;
        const offer = { url: url.href, dialect: '', transport: '', title: '', description: '', skills: [] };
        try {
          if (until.aborted)
            throw new A2AError('deadlineExceeded', 'there was no time left: register the catalog again');
          await this.#register({ name, owner, offer, lease }, { name: ofCard });
          done.add(name);
        } catch (thrown) {
          refused.push({ identifier, reason: reasonOf(thrown) });
        }
      }
    };
    await Promise.all(Array.from({ length: readers.count }, work));
    if (done.size > 0) await this.#read();
    return { registered: listed.filter(({ name }) => done.has(name)), skipped: refused };
  }

  /** @param listed undefined: the owner names the agent itself */
  async #register({ name, owner, offer, lease }: Wanted, listed?: Promised): Promise<void> {
    const { store } = this.#deps;
    this.#deps.check(name, offer);
    if (this.#deps.isConfigured(name)) throw fault('name', 'is the name of an agent of the configuration');
    const before = await store.find(name);
    if (before?.removedAt === 0 && before.owner !== owner) throw ofAnother(name);
    if (before?.removedAt !== 0) this.#requireRoom(owner);
    const read = await this.#readCard(offer);
    if (listed) requireListed(read, listed);
    const next = (row: RegistrationRow | undefined) => {
      const current = row?.removedAt === 0 ? row : undefined;
      if (current && current.owner !== owner) throw ofAnother(name);
      if (listed && current && current.registration.offer.url !== offer.url)
        throw fault('name', 'is that of an agent with another URL, which the caller has registered');
      const { registeredAt = store.now() } = current?.registration ?? {};
      const past = row && !current ? takenOver(row, { owner, offer }) : current?.registration;
      const { revisions = [], used } = past ?? {};
      const registration: Registration = { registeredAt, lease, offer, revisions, ...(used && { used }) };
      return {
        name,
        owner,
        expiresAt: this.#endOf(lease),
        removedAt: 0,
        registration: this.#withCard(registration, read, owner),
      };
    };
    await this.#change(name, next, false);
  }

  /** Extends a lease from now on. */
  async renew(row: RegistrationRow): Promise<RegistrationRow> {
    if (!(await this.#deps.store.renew(row, this.#endOf(row.registration.lease)))) throw changed(row.name);
    await this.#read();
    return this.find(row.name);
  }

  /** Approves a revision, or refuses it. Effective here when it resolves. Rejects with `invalidParams` for an unknown one. */
  async decide(name: string, revision: string, isRefused: boolean, by: string): Promise<RegistrationRow> {
    const at = this.#deps.store.now();
    await this.#change(name, (row) => {
      if (!row || row.removedAt > 0) throw noSuch(name);
      const { registration } = row;
      const revisions = decided(registration, revision, isRefused ? 'refused' : 'approved', { at, by });
      if (!revisions) throw fault('revision', 'is not among the revisions of this agent, of which the latest are kept');
      return { ...row, registration: { ...registration, revisions } };
    });
    return this.find(name);
  }

  /** A registration as far as it is known; it may be damaged, or removed. Rejects with `agentNotFound`. */
  async stateOf(name: string): Promise<RowState> {
    const row = await this.#deps.store.stateOf(name);
    if (!row) throw noSuch(name);
    return row;
  }

  /**
   * Removes a registration. Its name keeps what was decided about its cards, so that the next card is not its first.
   *
   * @param by id of the principal that removes it
   */
  async remove(row: RowState, by: string): Promise<void> {
    if (row.removedAt > 0) throw noSuch(row.name);
    if (!(await this.#remove(row, by))) throw changed(row.name);
    await this.#read();
  }

  /** Removes a registration, or one that was removed before, with what was decided about its cards. */
  async forget(row: RowState): Promise<void> {
    if (!(await this.#deps.store.remove(row))) throw changed(row.name);
    await this.#read();
  }

  /** @param by undefined: its lease has ended */
  async #remove(row: RowState, by: string | undefined): Promise<boolean> {
    const { store } = this.#deps;
    const now = store.now();
    // Of a damaged one it is not known what was decided.
    const unknown: Registration = { registeredAt: now, lease: 0, offer: noOffer, revisions: [], used: true };
    const found = await store.find(row.name).catch(leaveOut);
    if (found && found.token !== row.token) return false;
    const registration = found?.registration ?? unknown;
    if (!this.#keepsName(row.owner, registration)) return store.remove(row);
    const next = { ...row, expiresAt: now, removedAt: now, registration: removed(registration, by) };
    if ((await store.put(next, row, this.#most)) !== 'written') return false;
    if (this.removed.length >= this.#mostRemoved.all) await store.trim(this.#mostRemoved.all);
    return true;
  }

  /** With `never` no name is kept beyond the limit, but for those that operators have decided about. */
  #keepsName(owner: string, registration: Registration): boolean {
    const isBounded = this.#deps.approve() !== 'never' || this.#hasRoomForName(owner);
    return hasDecisions(registration) && (isBounded || isJudged(registration));
  }

  #hasRoomForName(owner: string): boolean {
    const { removed: names } = this;
    const own = names.filter((row) => row.owner === owner).length;
    return own < this.#mostRemoved.ofOwner && names.length < this.#mostRemoved.all;
  }

  #endOf(lease: number): number {
    return lease === 0 ? Number.POSITIVE_INFINITY : this.#deps.store.now() + lease * 1_000;
  }

  /**
   * With `changes`, the first cards of an owner wait once too many names of removed agents are kept: names that were dropped
   * are not known any more.
   */
  #withCard(registration: Registration, read: JsonObject | string, owner: string): Registration {
    const rule = this.#deps.approve();
    const waits = rule === 'changes' && !this.#hasRoomForName(owner);
    return withCard(registration, read, waits ? 'always' : rule, this.#deps.store.now());
  }

  /** Spares reading a card that cannot be registered; the store counts exactly. */
  #requireRoom(owner: string): void {
    const { rows } = this;
    if (rows.filter((row) => row.owner === owner).length >= this.#most.ofOwner) throw this.#noRoom('ofOwner');
    if (rows.length >= this.#most.all) throw this.#noRoom('all');
  }

  #noRoom(limit: keyof RegistrationLimits): A2AError {
    const whose = limit === 'all' ? `The gateway has ${this.#most.all}` : `The caller has ${this.#most.ofOwner}`;
    return new A2AError('tooManyRequests', `${whose} registered agents: remove one first`);
  }

  /** The card of an offer; a text: why there is none. Throws `invalidParams` where the guard refuses the URL. */
  async #readCard(offer: Offer): Promise<JsonObject | string> {
    const signal = AbortSignal.any([AbortSignal.timeout(cardTimeout), this.#closing.signal]);
    try {
      return keepable(await this.#deps.readCard(offer, signal));
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind === 'invalidParams') throw error;
      return error.message;
    }
  }

  /** A running agent has another card than the one that is served. Never rejects. */
  async #noteCard(name: string, offer: Offer, card: JsonObject): Promise<void> {
    const { decidedAt = 0 } = this.#rows.get(name)?.approved ?? {};
    if (this.#deps.approve() === 'never' && this.#deps.store.now() - decidedAt < settled) return;
    try {
      await this.#keepCard(name, offer, keepable(card));
    } catch (err) {
      this.#deps.logger.warn({ agent: name, err }, 'the new card of a registered agent could not be stored');
    }
  }

  async #keepCard(name: string, offer: Offer, read: JsonObject | string): Promise<void> {
    const { logger } = this.#deps;
    let waits = false;
    const isKept = await this.#change(name, (row) => {
      // Replaced meanwhile.
      if (!row || row.removedAt > 0 || !isDeepStrictEqual(row.registration.offer, offer)) return undefined;
      const { problem: _, ...known } = row.registration;
      const registration = this.#withCard(known, read, row.owner);
      if (isDeepStrictEqual(registration, row.registration)) return undefined;
      waits = registration.revisions[0]?.state === 'waiting';
      return { ...row, registration };
    });
    if (isKept && waits) logger.warn({ agent: name }, 'the card of a registered agent waits for approval');
  }

  /**
   * Replaces a row, again where another replica was faster. False: `next` wanted nothing.
   *
   * @param next gets the row as it is; undefined: there is none
   * @param applied whether the gateway serves it when this resolves
   */
  async #change(
    name: string,
    next: (row: RegistrationRow | undefined) => Omit<RegistrationRow, 'token'> | undefined,
    applied = true,
  ): Promise<boolean> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const row = await this.#deps.store.find(name);
      const wanted = next(row);
      if (!wanted) return false;
      const outcome = await this.#deps.store.put(wanted, row, this.#most);
      if (outcome === 'stale') continue;
      if (outcome !== 'written') throw this.#noRoom(outcome);
      if (applied) await this.#read();
      return true;
    }
    throw changed(name);
  }

  async #look(): Promise<void> {
    const now = this.#deps.store.now();
    // It may have been renewed at another replica, which changes no version.
    if (this.#offered().some(({ expiresAt }) => expiresAt <= now)) this.#deps.store.reread();
    if (steadyNow() - this.#cardsReadAt < interval.cards) return;
    this.#cardsReadAt = steadyNow();
    const needsWork = this.rows.some((row) => row.problem !== undefined || isForgotten(row, now));
    if (needsWork && (await this.#deps.lease(readers.name, readers.ms))) await this.#maintain();
  }

  /** Removes what ended long ago, and reads the cards that could not be read. */
  async #maintain(): Promise<void> {
    const now = this.#deps.store.now();
    const ended = this.rows.filter((row) => isForgotten(row, now));
    for (const row of ended) await this.#remove(row, undefined);
    if (ended.length > 0) await this.#read();
    const unread = this.rows.filter(({ problem }) => problem !== undefined);
    const read = async (): Promise<void> => {
      for (let row = unread.pop(); row && !this.#closing.signal.aborted; row = unread.pop()) {
        const { name, offer, problem } = row;
        const card = await this.#readCard(offer).catch((thrown: Error) => thrown.message);
        if (card !== problem) await this.#keepCard(name, offer, card);
      }
    };
    await Promise.all(Array.from({ length: readers.count }, read));
  }

  /** Reads what has changed, one reading after the other. The gateway serves it when this resolves. */
  #read(): Promise<void> {
    const read = this.#looking.then(() => this.#readNow());
    this.#looking = read.catch(() => undefined);
    return read;
  }

  async #readNow(): Promise<void> {
    const { store, apply } = this.#deps;
    const known = this.#rows;
    const rows = new Map<string, KnownRow>();
    for (const state of await store.states()) {
      const row = known.get(state.name);
      if (row?.token === state.token) rows.set(state.name, { ...row, ...state });
      else {
        const read = await store.find(state.name).catch(leaveOut);
        if (!read) continue;
        const { registration, ...current } = read;
        const { offer, problem } = registration;
        rows.set(state.name, {
          ...current,
          offer,
          problem,
          approved: state.removedAt === 0 ? approvedIn(registration) : undefined,
          waits: state.removedAt === 0 && registration.revisions.some((revision) => revision.state === 'waiting'),
        });
      }
    }
    const isChanged = new Set([...rows.keys(), ...known.keys()])
      .values()
      .some((name) => rows.get(name)?.approved?.id !== known.get(name)?.approved?.id);
    this.#rows = rows;
    try {
      if (isChanged) await apply();
    } catch (thrown) {
      // It is tried again soon.
      this.#rows = known;
      throw thrown;
    }
    this.#noteAway();
    this.#schedule();
  }

  #noteAway(): void {
    const { isConfigured, logger, onAway, store } = this.#deps;
    const now = store.now();
    const isAway = ({ name, expiresAt }: KnownRow): boolean => expiresAt <= now && !isConfigured(name);
    const away = new Set(this.rows.filter(isAway).map(({ name }) => name));
    if (isDeepStrictEqual(away, this.#away)) return;
    for (const agent of away.difference(this.#away))
      logger.warn({ agent }, 'a registered agent was not renewed in time');
    for (const agent of this.#away.difference(away)) {
      if (this.#rows.has(agent) && !isConfigured(agent))
        logger.info({ agent }, 'the lease of a registered agent was renewed after its end');
    }
    this.#away = away;
    onAway(away);
  }
}

/** Whether its lease has ended so long ago that it is removed. */
const isForgotten = ({ expiresAt }: RowState, now: number): boolean => expiresAt + keptAfterLease < now;

/** Throws for a catalog's agent without a card, or with one that has not the name that the catalog promised. */
function requireListed(read: JsonObject | string, { name }: Promised): void {
  if (typeof read === 'string') throw new A2AError('invalidAgentResponse', read);
  if (name === undefined || read.name === name) return;
  throw new A2AError('invalidAgentResponse', 'the name in the card of the agent differs from the name in the catalog');
}

function reasonOf(thrown: unknown): string {
  const { message, violations } = A2AError.from(thrown);
  return shortened(violations.map(({ field, description }) => `${field} ${description}`).join('; ') || message, 1_000);
}

const noOffer: Offer = { url: '', dialect: '', transport: '', title: '', description: '', skills: [] };

const noSuch = (name: string): A2AError => new A2AError('agentNotFound', `No such registration: ${name}`);

const ofAnother = (name: string): A2AError =>
  new A2AError('permissionDenied', `The registration ${name} belongs to another caller`);

const changed = (name: string): A2AError =>
  new A2AError('unavailable', `The registration ${name} changes at the same time; try again`, { retryAfter: 1 });
