import { describe } from 'vitest';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreOptions } from '../../src/stores/index.ts';
import { agentModes } from './store.agent-modes.ts';
import { agentState } from './store.agent-state.ts';
import { appending } from './store.appending.ts';
import { bytes } from './store.bytes.ts';
import { calls } from './store.calls.ts';
import { configs } from './store.configs.ts';
import { fullText } from './store.full-text.ts';
import { generations } from './store.generations.ts';
import { listing } from './store.listing.ts';
import { naming } from './store.naming.ts';
import { pushing } from './store.pushing.ts';
import { searching } from './store.searching.ts';
import { sharing } from './store.sharing.ts';
import { undelivered } from './store.undelivered.ts';
import { upstream } from './store.upstream.ts';
import { wholeTasks } from './store.whole-tasks.ts';
import { words } from './store.words.ts';

/** One database, without tasks at first. */
export interface TestDatabase {
  readonly url: string;
  /** Opens a store on it, which is closed after the test. */
  open(instance?: string, options?: Pick<StoreOptions, 'fullText'>): Promise<Store>;
  /** The rows of a query of SQL. */
  read(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Makes gateways of a name appear to have been silent for too long, and to stay silent, though they may live. */
  silence(instance: string): Promise<void>;
}

/** Store under test. */
export interface StoreKind {
  readonly name: string;
  /** Whether a process that was killed is noticed at once, and not only by its silence. */
  readonly noticesDeath: boolean;
  /** Whether it is in this process alone, where no other one can reach it. */
  readonly isInProcess?: boolean;
  /** Bytes that the database has written so far; undefined where this system does not say. */
  bytesWritten(): Promise<number | undefined>;
  /** A database for one test. `empty`: without tables, too. */
  database(options?: { readonly empty?: boolean }): Promise<TestDatabase>;
}

/** Contract of every store, whatever its database. */
export function storeSuite(kind: StoreKind): void {
  describe(`store on ${kind.name}`, () => {
    appending(kind);
    wholeTasks(kind);
    generations(kind);
    listing(kind);
    searching(kind);
    words(kind);
    fullText(kind);
    bytes(kind);
    naming(kind);
    calls(kind);
    configs(kind);
    pushing(kind);
    undelivered(kind);
    upstream(kind);
    agentState(kind);
    agentModes(kind);
    sharing(kind);
  });
}
