import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Replica, startReplica } from '../support/replicas.ts';
import { changes, read } from './support.ts';

/** Metrics of two gateways on one PostgreSQL about each other. */

let server: PostgresServer;
let one: Replica;
let other: Replica;
beforeAll(async () => {
  server = await startPostgres();
  const url = await server.database();
  one = await startReplica(url, 'one');
  other = await startReplica(url, 'other');
});
afterAll(() => server?.stop());

it('replicas count forwarded calls, each other and their connections', async () => {
  const client = await one.client();
  const elsewhere = await other.client();
  const { task } = await client.send('wait', { returnImmediately: true });
  const id = task?.id ?? '';
  const [before, beforeElsewhere] = [await read(one.url), await read(other.url)];

  const events = elsewhere.subscribeToTask({ id });
  const first = await (await events)[Symbol.asyncIterator]().next();
  expect(first.done).toBe(false);
  expect((await elsewhere.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');

  const there = await read(other.url);
  expect(there.get('a2a_gateway_store_access_duration_seconds_count{access="ask"}')).toBe(1);
  expect(changes(before, await read(one.url))).toMatchObject({
    a2a_gateway_questions_answered_total: 1,
    'a2a_gateway_tasks_ended_total{agent="demo",state="canceled"}': 1,
  });
  expect(changes(beforeElsewhere, there)).not.toHaveProperty(
    'a2a_gateway_tasks_ended_total{agent="demo",state="canceled"}',
  );
  expect(there.get('a2a_gateway_gateways')).toBe(2);
  expect(there.get('a2a_gateway_store_connections{state="idle"}')).toBeGreaterThan(0);
  expect(there.get('a2a_gateway_store_connections_awaited')).toBe(0);
});

it('a replica counts the notifications of a task that it follows', async () => {
  const client = await one.client();
  // Long enough that events come after the replica has registered as a follower, however slow the machine is.
  const { task } = await client.send('stream 1000 50', { returnImmediately: true });
  const id = task?.id ?? '';
  const events = (await (await other.client()).subscribeToTask({ id }))[Symbol.asyncIterator]();
  const heard = async (): Promise<number> =>
    (await read(other.url)).get('a2a_gateway_hints_total{result="heard"}') ?? 0;
  const before = await heard();
  while ((await heard()) === before) expect((await events.next()).done).toBe(false);
  await client.cancelTask({ id });
});
