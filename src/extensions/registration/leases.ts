import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../core/ports/logger.ts';
import type { KnownRow, KnownRows } from './known-rows.ts';
import type { RegistrationStore } from './store.ts';

/** The dependencies of leases. */
export interface LeasesDeps {
  readonly store: Pick<RegistrationStore, 'now'>;
  readonly logger: Logger;
  /** Whether the configuration has an agent with this name, which is served instead. */
  readonly isConfigured: (name: string) => boolean;
  /** Gets the names of the agents whose leases have ended, when they change. */
  readonly onAway: (names: ReadonlySet<string>) => void;
}

/** Follows which leases of registered agents have ended. */
export class Leases {
  readonly #deps: LeasesDeps;
  readonly #rows: KnownRows;
  /** Names of the agents whose leases have ended. */
  #away: ReadonlySet<string> = new Set();

  constructor(deps: LeasesDeps, rows: KnownRows) {
    this.#deps = deps;
    this.#rows = rows;
  }

  /** Registrations whose leases go on, as far as is known. */
  get goingOn(): readonly KnownRow[] {
    return this.#rows.current.filter(({ name }) => this.isOffered(name));
  }

  /** Whether new calls reach an agent once one of its cards is approved: its lease goes on, and it is not in the configuration. */
  isOffered(name: string): boolean {
    return !this.#away.has(name) && !this.#deps.isConfigured(name);
  }

  /** Reports the leases that had ended before the registry was started. */
  start(): void {
    if (this.#away.size > 0) this.#deps.onAway(this.#away);
  }

  /** Compares the leases with the clock. Logs and reports those that have ended, or were renewed after their end. */
  update(): void {
    const { isConfigured, logger, onAway, store } = this.#deps;
    const now = store.now();
    const isAway = ({ name, expiresAt }: KnownRow): boolean => expiresAt <= now && !isConfigured(name);
    const away = new Set(this.#rows.current.filter(isAway).map(({ name }) => name));
    if (isDeepStrictEqual(away, this.#away)) return;
    for (const agent of away.difference(this.#away))
      logger.warn({ agent }, 'a registered agent was not renewed in time');
    for (const agent of this.#away.difference(away)) {
      if (this.#rows.get(agent) && !isConfigured(agent))
        logger.info({ agent }, 'the lease of a registered agent was renewed after its end');
    }
    this.#away = away;
    onAway(away);
  }
}
