import { A2AError } from '../../core/model/errors.ts';
import { leaveOut } from '../../core/model/stored-form.ts';
import type { KnownRows } from './known-rows.ts';
import type { RegistrationQuota } from './quota.ts';
import { hasDecisions, isJudged, removed } from './revisions.ts';
import type { Offer, Registration, RegistrationRow, RegistrationStore, RowState } from './store.ts';

/** The cards that need approval: all, all except the first under a name, or none. */
export type ApprovalRule = 'always' | 'changes' | 'never';

/** The dependencies of changes. */
export interface ChangesDeps {
  readonly store: RegistrationStore;
  /** Returns which cards need approval, by the current configuration. */
  readonly approve: () => ApprovalRule;
}

/** Changes rows in the store. A change that another replica has overtaken is made again, or refused. */
export class RegistrationChanges {
  readonly #deps: ChangesDeps;
  readonly #rows: KnownRows;
  readonly #quota: RegistrationQuota;

  constructor(deps: ChangesDeps, rows: KnownRows, quota: RegistrationQuota) {
    this.#deps = deps;
    this.#rows = rows;
    this.#quota = quota;
  }

  /**
   * Replaces a row, again where another replica was faster. Resolves with false if `next` has returned undefined.
   *
   * @param next gets the row as it is; undefined: there is none. Returns the row that takes its place; undefined: it stays
   * @param applied whether the gateway serves the change when this resolves
   */
  async replace(
    name: string,
    next: (row: RegistrationRow | undefined) => Omit<RegistrationRow, 'token'> | undefined,
    applied = true,
  ): Promise<boolean> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const row = await this.#deps.store.find(name);
      const wanted = next(row);
      if (!wanted) return false;
      const outcome = await this.#deps.store.put(wanted, row, this.#quota.most);
      if (outcome === 'stale') continue;
      if (outcome !== 'written') throw this.#quota.refusal(outcome);
      if (applied) await this.#rows.read();
      return true;
    }
    throw changed(name);
  }

  /**
   * Removes a registration. Its name keeps the decisions about its cards, if there are any. Resolves with false if the row has
   * changed meanwhile.
   *
   * @param by id of the principal that removes it; undefined: its lease has ended
   */
  async remove(row: RowState, by: string | undefined): Promise<boolean> {
    const { store } = this.#deps;
    const now = store.now();
    // The decisions about the cards of a damaged row are not known.
    const unknown: Registration = { registeredAt: now, lease: 0, offer: noOffer, revisions: [], used: true };
    const found = await store.find(row.name).catch(leaveOut);
    if (found && found.token !== row.token) return false;
    const registration = found?.registration ?? unknown;
    if (!this.#keepsName(row.owner, registration)) return store.remove(row);
    const next = { ...row, expiresAt: now, removedAt: now, registration: removed(registration, by) };
    if ((await store.put(next, row, this.#quota.most)) !== 'written') return false;
    const { all } = this.#quota.mostRemoved;
    if (this.#rows.removed.length >= all) await store.trim(all);
    return true;
  }

  /** With `never`, only names about which operators have decided are kept beyond the limit. */
  #keepsName(owner: string, registration: Registration): boolean {
    const isBounded = this.#deps.approve() !== 'never' || this.#quota.hasRoomForName(owner);
    return hasDecisions(registration) && (isBounded || isJudged(registration));
  }
}

const noOffer: Offer = { url: '', dialect: '', transport: '', title: '', description: '', skills: [] };

/** The error of a change that others have overtaken. */
export const changed = (name: string): A2AError =>
  new A2AError('unavailable', `The registration ${name} changes at the same time; try again`, { retryAfter: 1 });
