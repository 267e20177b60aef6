import type { Kysely } from 'kysely';
import type { Traits } from '../database.ts';
import type { Tables } from '../schema.ts';
import { tasks } from './0001-tasks.ts';
import { pushConfigOwners } from './0002-push-config-owners.ts';
import { upstreamIds } from './0003-upstream-ids.ts';
import { pushOutbox } from './0004-push-outbox.ts';
import { knowledge } from './0005-knowledge.ts';
import { peers } from './0006-peers.ts';

/** One step of the schema. Steps that were released are never changed. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Runs inside a transaction that is rolled back when it rejects. */
  up(db: Kysely<Tables>, traits: Traits): Promise<void>;
}

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [tasks, pushConfigOwners, upstreamIds, pushOutbox, knowledge, peers];
