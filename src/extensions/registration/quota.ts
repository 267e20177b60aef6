import { A2AError } from '../../core/model/errors.ts';
import type { KnownRows } from './known-rows.ts';
import type { RegistrationLimits } from './store.ts';

/** Limits of the registry. */
export interface Quotas {
  /** Largest number of registrations. Default: 1,000 of one owner, 5,000 in all. */
  readonly most?: RegistrationLimits;
  /** Largest number of names of removed registrations that are kept. Default: 1,000 of one owner, 5,000 in all. */
  readonly mostRemoved?: RegistrationLimits;
}

const defaults: RegistrationLimits = { ofOwner: 1_000, all: 5_000 };

/** Counts registrations, and the names of removed ones, against their limits. Counts as this replica knows them. */
export class RegistrationQuota {
  /** Largest number of registrations, which the store counts exactly. */
  readonly most: RegistrationLimits;
  /** Largest number of names of removed registrations. */
  readonly mostRemoved: RegistrationLimits;
  readonly #rows: KnownRows;

  constructor({ most = defaults, mostRemoved = defaults }: Quotas, rows: KnownRows) {
    this.most = most;
    this.mostRemoved = mostRemoved;
    this.#rows = rows;
  }

  /** Spares reading a card that cannot be registered. Throws `tooManyRequests`. */
  requireRoom(owner: string): void {
    const { current } = this.#rows;
    if (current.filter((row) => row.owner === owner).length >= this.most.ofOwner) throw this.refusal('ofOwner');
    if (current.length >= this.most.all) throw this.refusal('all');
  }

  /** The error `tooManyRequests` for a limit of registrations. */
  refusal(limit: keyof RegistrationLimits): A2AError {
    const whose = limit === 'all' ? `The gateway has ${this.most.all}` : `The caller has ${this.most.ofOwner}`;
    return new A2AError('tooManyRequests', `${whose} registered agents: remove one first`);
  }

  /** Whether the name of one more removed registration of an owner can be kept. */
  hasRoomForName(owner: string): boolean {
    const { removed } = this.#rows;
    const own = removed.filter((row) => row.owner === owner).length;
    return own < this.mostRemoved.ofOwner && removed.length < this.mostRemoved.all;
  }
}
