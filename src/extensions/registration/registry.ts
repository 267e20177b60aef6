import { isDeepStrictEqual } from 'node:util';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { RegisterCatalogResponse } from '../../gen/admin-v1/types.ts';
import { fault } from '../requests.ts';
import { type CardsDeps, RegisteredCards } from './cards.ts';
import { type FoundAgents, registerAgents } from './catalog.ts';
import { changed, RegistrationChanges } from './changes.ts';
import { type KnownRow, KnownRows, type KnownRowsDeps } from './known-rows.ts';
import { Leases, type LeasesDeps } from './leases.ts';
import { type Quotas, RegistrationQuota } from './quota.ts';
import { decided, shownCard, takenOver } from './revisions.ts';
import type { Offer, Registration, RegistrationRow, RegistrationStore, Revision, RowState } from './store.ts';
import { Upkeep, type UpkeepDeps } from './upkeep.ts';

/** Milliseconds within which a change by another replica is in force here. */
const within = 500;

/** A registered agent that is served. */
export interface ServedOffer extends Pick<Revision, 'id' | 'offer'> {
  readonly name: string;
  /** The approved card, with the members that the owner replaces in it. */
  readonly card: JsonObject;
  /** Gets each card that the agent has, and returns the one that is served. */
  readonly review: (card: unknown) => JsonObject;
}

export interface RegistryDeps extends KnownRowsDeps, LeasesDeps, CardsDeps, UpkeepDeps, Quotas {
  readonly store: RegistrationStore;
  /** @throws A2AError `invalidParams` for a name or an offer that no agent can have */
  readonly check: (name: string, offer: Offer) => void;
  /** The agents in a catalog. Rejects with A2AError. */
  readonly readCatalog: (url: URL, signal: AbortSignal) => Promise<FoundAgents>;
}

/** Registration by an owner. */
export interface Wanted {
  readonly name: string;
  readonly owner: string;
  readonly offer: Offer;
  /** Seconds; 0: none. */
  readonly lease: number;
}

/**
 * The agents that are registered at run time, as the store has them, and the operations of owners and operators about them.
 * Each replica reads the registrations when they have changed.
 */
export class Registry {
  readonly #deps: RegistryDeps;
  readonly #closing = new AbortController();
  readonly #rows: KnownRows;
  readonly #leases: Leases;
  readonly #quota: RegistrationQuota;
  readonly #changes: RegistrationChanges;
  readonly #cards: RegisteredCards;
  readonly #upkeep: Upkeep;
  #unlisten: (() => void) | undefined;

  constructor(deps: RegistryDeps) {
    const { signal } = this.#closing;
    this.#deps = deps;
    this.#rows = new KnownRows(deps, () => {
      this.#leases.update();
      this.#upkeep.schedule();
    });
    this.#leases = new Leases(deps, this.#rows);
    this.#quota = new RegistrationQuota(deps, this.#rows);
    this.#changes = new RegistrationChanges(deps, this.#rows, this.#quota);
    this.#cards = new RegisteredCards(deps, this.#rows, this.#quota, this.#changes, signal);
    const parts = { rows: this.#rows, leases: this.#leases, changes: this.#changes, cards: this.#cards };
    this.#upkeep = new Upkeep(deps, parts, signal);
  }

  /** Reads the registrations. Rejects as the store does. */
  load(): Promise<void> {
    return this.#rows.read();
  }

  /** Follows changes from now on. */
  start(): void {
    this.#leases.start();
    this.#unlisten = this.#deps.store.listen(within, this.#rows.read);
    this.#upkeep.start();
  }

  close(): void {
    this.#closing.abort();
    this.#unlisten?.();
  }

  /** Applies a reload, which may have given a name to the configuration, or taken it back. */
  applyConfig(): void {
    this.#leases.update();
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
        if (isObject(seen) && !isDeepStrictEqual(seen, approved.card)) void this.#cards.note(name, offer, seen);
        return card;
      };
      return [{ name, id, offer, card, review }];
    });
  }

  /** The registrations that are not removed, ordered by name. */
  get rows(): readonly KnownRow[] {
    return this.#rows.current;
  }

  /** The removed registrations, ordered by name: each keeps the decisions about its cards. */
  get removed(): readonly KnownRow[] {
    return this.#rows.removed;
  }

  /** Whether new calls reach an agent, once one of its cards is approved. */
  isOffered(name: string): boolean {
    return this.#leases.isOffered(name);
  }

  /** Rejects with `agentNotFound`. */
  async find(name: string): Promise<RegistrationRow> {
    const row = await this.#deps.store.find(name);
    if (!row || row.removedAt > 0) throw noSuch(name);
    return row;
  }

  /** A registration that may have been removed. */
  findAny(name: string): Promise<RegistrationRow | undefined> {
    return this.#deps.store.find(name);
  }

  /** Registers an agent, or replaces its owner's earlier registration. Effective here when it resolves. */
  async register(wanted: Wanted): Promise<RegistrationRow> {
    await this.#register(wanted);
    await this.#rows.read();
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
    const response = await registerAgents(
      AbortSignal.any([signal, this.#closing.signal]),
      (until) => this.#deps.readCatalog(catalog, until),
      ({ name, offer, nameOfCard }) => this.#register({ name, owner, offer, lease }, { name: nameOfCard }),
    );
    if (response.registered.length > 0) await this.#rows.read();
    return response;
  }

  /** @param listed undefined: the owner names the agent itself */
  async #register({ name, owner, offer, lease }: Wanted, listed?: Promised): Promise<void> {
    const { store } = this.#deps;
    this.#deps.check(name, offer);
    if (this.#deps.isConfigured(name)) throw fault('name', 'is the name of an agent of the configuration');
    const before = await store.find(name);
    if (before?.removedAt === 0 && before.owner !== owner) throw ofAnother(name);
    if (before?.removedAt !== 0) this.#quota.requireRoom(owner);
    const read = await this.#cards.read(offer);
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
        registration: this.#cards.added(registration, read, owner),
      };
    };
    await this.#changes.replace(name, next, false);
  }

  /** Extends a lease from now on. */
  async renew(row: RegistrationRow): Promise<RegistrationRow> {
    if (!(await this.#deps.store.renew(row, this.#endOf(row.registration.lease)))) throw changed(row.name);
    await this.#rows.read();
    return this.find(row.name);
  }

  /** Time at which a lease of some seconds ends, from now on. */
  #endOf(lease: number): number {
    return lease === 0 ? Number.POSITIVE_INFINITY : this.#deps.store.now() + lease * 1_000;
  }

  /** Approves a revision, or refuses it. Effective here when it resolves. Rejects with `invalidParams` for an unknown one. */
  async decide(name: string, revision: string, isRefused: boolean, by: string): Promise<RegistrationRow> {
    const at = this.#deps.store.now();
    await this.#changes.replace(name, (row) => {
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
   * Removes a registration. Its name keeps the decisions about its cards, so that the next card is not its first.
   *
   * @param by id of the principal that removes it
   */
  async remove(row: RowState, by: string): Promise<void> {
    if (row.removedAt > 0) throw noSuch(row.name);
    if (!(await this.#changes.remove(row, by))) throw changed(row.name);
    await this.#rows.read();
  }

  /** Removes a registration, or one that was removed before, with the decisions about its cards. */
  async forget(row: RowState): Promise<void> {
    if (!(await this.#deps.store.remove(row))) throw changed(row.name);
    await this.#rows.read();
  }
}

/** An agent in a catalog: the name that its card must have; undefined: any. */
interface Promised {
  readonly name: string | undefined;
}

/** Throws for a catalog's agent without a card, or with one that has not the name that the catalog promised. */
function requireListed(read: JsonObject | string, { name }: Promised): void {
  if (typeof read === 'string') throw new A2AError('invalidAgentResponse', read);
  if (name === undefined || read.name === name) return;
  throw new A2AError('invalidAgentResponse', 'the name in the card of the agent differs from the name in the catalog');
}

const noSuch = (name: string): A2AError => new A2AError('agentNotFound', `No such registration: ${name}`);

const ofAnother = (name: string): A2AError =>
  new A2AError('permissionDenied', `The registration ${name} belongs to another caller`);
