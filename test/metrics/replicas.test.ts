import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Replica, startReplica } from '../support/replicas.ts';
import { changes, read } from './support.ts';

/** What two gateways on one PostgreSQL count of each other. */

let server: PostgresServer;
let one: Replica;
let other: Replica;
beforeAll(async () => {
  server = await startPostgres();
  const url = await server.database();
  one = await startReplica(url, 'one');
  other = await startReplica(url, 'other');
});
afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await server?.stop();
});

it('hints, questions, each other, and their connections', async () => {
  const client = await one.client();
  const elsewhere = await other.client();
  const { task } = await client.send('wait', { returnImmediately: true });
  const id = task?.id ?? '';
  const [before, beforeElsewhere] = [await read(one.url), await read(other.url)];

  const events = elsewhere.subscribeToTask({ id });
  const first = await (await events)[Symbol.asyncIterator]().next();
  expect(first.done).toBe(false);
  expect((await elsewhere.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');

  const heard = 'a2a_gateway_hints_total{result="heard"}';
  await expect.poll(async () => (await read(other.url)).get(heard), { timeout: 10_000 }).toBeGreaterThan(0);
  const there = await read(other.url);
  expect(there.get('a2a_gateway_store_access_duration_seconds_count{access="ask"}')).toBe(1);
  expect(changes(before, await read(one.url))).toMatchObject({
    a2a_gateway_questions_answered_total: 1,
    'a2a_gateway_tasks_ended_total{state="canceled"}': 1,
  });
  expect(changes(beforeElsewhere, there)).not.toHaveProperty('a2a_gateway_tasks_ended_total{state="canceled"}');
  expect(there.get('a2a_gateway_gateways')).toBe(2);
  expect(there.get('a2a_gateway_store_connections{state="idle"}')).toBeGreaterThan(0);
  expect(there.get('a2a_gateway_store_connections_awaited')).toBe(0);
});
