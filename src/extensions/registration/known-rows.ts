import { leaveOut } from '../../core/model/stored-form.ts';
import { approvedIn } from './revisions.ts';
import type { Registration, RegistrationStore, Revision, RowState } from './store.ts';

/** A replica's copy of a row. */
export interface KnownRow extends RowState, Pick<Registration, 'offer' | 'problem'> {
  readonly approved: Revision | undefined;
  /** Whether one of its cards waits for a decision. */
  readonly waits: boolean;
}

/** The dependencies of a replica's copy. */
export interface KnownRowsDeps {
  readonly store: Pick<RegistrationStore, 'states' | 'find'>;
  /** Makes the gateway serve the approved cards. */
  readonly apply: () => Promise<unknown>;
}

/** A replica's copy of the registrations in the store. */
export class KnownRows {
  readonly #deps: KnownRowsDeps;
  readonly #onRead: () => void;
  #rows: ReadonlyMap<string, KnownRow> = new Map();
  #reading: Promise<void> = Promise.resolve();

  /** @param onRead called after each reading */
  constructor(deps: KnownRowsDeps, onRead: () => void) {
    this.#deps = deps;
    this.#onRead = onRead;
  }

  /** Number of rows, with those of removed registrations. */
  get size(): number {
    return this.#rows.size;
  }

  /** The registrations that are not removed, ordered by name. */
  get current(): readonly KnownRow[] {
    return [...this.#rows.values()].filter(({ removedAt }) => removedAt === 0);
  }

  /** The removed registrations, ordered by name: each keeps the decisions about its cards. */
  get removed(): readonly KnownRow[] {
    return [...this.#rows.values()].filter(({ removedAt }) => removedAt > 0);
  }

  /** The row with a name, which may be removed. */
  get(name: string): KnownRow | undefined {
    return this.#rows.get(name);
  }

  /** Reads the changes in the store, one reading after the other. The gateway serves them when this resolves. Rejects as the store does. */
  readonly read = (): Promise<void> => {
    const read = this.#reading.then(() => this.#readNow());
    this.#reading = read.catch(() => undefined);
    return read;
  };

  async #readNow(): Promise<void> {
    const known = this.#rows;
    const rows = await this.#changed(known);
    const isChanged = new Set([...rows.keys(), ...known.keys()])
      .values()
      .some((name) => rows.get(name)?.approved?.id !== known.get(name)?.approved?.id);
    this.#rows = rows;
    try {
      if (isChanged) await this.#deps.apply();
    } catch (thrown) {
      // The next reading tries again.
      this.#rows = known;
      throw thrown;
    }
    this.#onRead();
  }

  /** The rows in the store. Rows that have not changed are not read again; rows that cannot be read are left out. */
  async #changed(known: ReadonlyMap<string, KnownRow>): Promise<Map<string, KnownRow>> {
    const { store } = this.#deps;
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
    return rows;
  }
}
