import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Any number that all gateways agree on, and no other user of the database happens to choose. */
const schemaLock = 7_221_640_317;

/** Milliseconds: how long another gateway's change of the schema is waited for, and between two looks. */
const patience = { total: 600_000, look: 250 } as const;

/**
 * Waits until no other gateway changes the schema. The turn ends with the connection. Rejects when it does not come.
 */
export async function lockSchema(client: ClientBase): Promise<void> {
  const until = Date.now() + patience.total;
  for (;;) {
    // Asked for again and again: a statement that waited would stand in the way of the index that the other one makes.
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${schemaLock}) as taken`);
    if (rows[0]?.taken) return;
    if (Date.now() > until) throw new Error('another gateway has been changing its schema for ten minutes');
    await delay(patience.look);
  }
}
