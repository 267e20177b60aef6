import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { LogConflict } from '../../../src/core/ports/store-errors.ts';
import { createStore } from '../../../src/stores/index.ts';
import { alice, callKey, TaskWriter } from '../../contract/store-fixtures.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { bury, storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';
import { DatabaseLink } from '../../torture/database-link.ts';

const database = storesOnPostgres();
const soon = { timeout: paced(10_000), interval: 20 };
const file = fileURLToPath(new URL('paused-child.ts', import.meta.url));

/** A gateway in a process of its own that follows commands. */
async function startChild(url: string) {
  const child = spawn(process.execPath, [file, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  afterTest(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async (): Promise<Record<string, unknown>> => JSON.parse((await lines.next()).value ?? '{}');
  const { key } = (await said()) as { key: string };
  return {
    child,
    key,
    said,
    async does(word: string): Promise<unknown> {
      child.stdin.write(`${word}\n`);
      return (await said())[word];
    },
  };
}

it('a gateway that was stopped for too long writes nothing of what is another’s by then', async () => {
  const { url, open } = await database();
  const store = await open('here');
  const { child, key, said, does } = await startChild(url);
  const [row] = await query(url, "select instance from gateway where instance like 'child/%'");
  expect(await store.peers.leaseHolderOf(key)).toBe(row?.instance);
  expect(await does('append')).toBeNull();
  expect(await does('returned')).toBe(false);
  expect(await store.peers.lease('chore', 60_000)).toBe(false);
  expect(await store.claimOrphans(10)).toEqual([]);

  child.kill('SIGSTOP');
  // Another gateway does this after eight seconds without a heartbeat.
  await bury(url, 'child');
  const [orphan] = await store.claimOrphans(10);
  expect(orphan).toMatchObject({ key, seq: 2 });
  expect(await store.claimDeliveries({ of: [key], limit: 1, except: [] })).toHaveLength(1);
  expect(await store.peers.lease('chore', 60_000)).toBe(true);
  expect(await store.findCall(alice, 'k')).toMatchObject({ digest: 'd', replica: 'dead' });
  // A call of over a day ago, whose key a client uses again.
  await query(url, "update idempotency set created_at = 0 where key = 'k'");
  const call = callKey('k');
  expect(await store.claimCall(call)).toBeUndefined();
  await store.answerCall(call, '"here"');
  const given = new AbortController();
  const asking = store.peers.forward(String(row?.instance), { key, body: '"given up"' }, given.signal);
  await expect(asking).rejects.toMatchObject({ kind: 'unavailable' });

  child.kill('SIGCONT');
  expect(await does('append')).toEqual({ kind: 'internal', cause: 'LogConflict' });
  expect(await does('report')).toBe(false);
  expect(await does('settle')).toBeNull();
  expect(await does('forget')).toBeNull();
  expect(await store.findCall(alice, 'k')).toMatchObject({ answer: '"here"', replica: 'this' });
  expect(await store.positions([key])).toEqual(new Map([[key, 2]]));
  // It announces itself again, knows that it was away, and is asked again.
  await vi.waitFor(async () => expect(await does('returned')).toBe(true), soon);
  expect(await store.peers.lease('chore', 60_000)).toBe(true);
  const answered = store.peers.forward(
    String(row?.instance),
    { key, body: '"again"' },
    AbortSignal.timeout(paced(10_000)),
  );
  expect(await said()).toEqual({ asked: '"again"' });
  expect(await answered).toBe('"again"');
});

it('an answer that a gateway reads late does not tell that the task is still its own', async () => {
  const { url, open } = await database();
  const two = await open('two');
  const link = await DatabaseLink.open(Number(new URL(url).port), () => 1.5);
  afterTest(() => link.close());
  const behind = new URL(url);
  behind.port = `${link.port}`;
  const one = createStore(behind.href, { instance: 'one' });
  await one.open();
  afterTest(() => one.close());
  const [lost, own] = [new TaskWriter(), new TaskWriter()];
  // Each is kept back for more than four seconds.
  link.fateOf = (statement) => (/insert into task\b/.test(statement) ? 'late' : 'passed');
  const late = [lost, own].map((writer) => one.append(writer.create('TASK_STATE_WORKING')));
  await vi.waitFor(async () => expect((await two.positions([lost.key, own.key])).size).toBe(2), soon);
  await query(url, "update task set owner = 'gone' where key = $1", [lost.key]);
  expect(await two.claimOrphans(10)).toMatchObject([{ key: lost.key }]);
  await expect(late[0]).rejects.toMatchObject({ cause: { name: 'LogConflict', isStored: true } });
  await late[1];
  await one.append(own.status('TASK_STATE_COMPLETED'));
});

it('the upstream id of a task is not written by a gateway that no longer owns the task', async () => {
  const { url, open } = await database();
  const one = await open('one');
  const two = await open('two');
  const writer = new TaskWriter();
  await one.append(writer.create('TASK_STATE_WORKING'));
  const names = (id: string) => ({ key: writer.key, events: [], upstream: { id, contextId: '' } });
  await one.append(names('first'));
  await bury(url, 'one');
  expect(await two.claimOrphans(10)).toMatchObject([{ key: writer.key }]);
  await expect(one.append(names('late'))).rejects.toMatchObject({ cause: expect.any(LogConflict) });
  expect(await two.upstreamOf(writer.key)).toMatchObject({ id: 'first' });
  await two.append(names('second'));
  expect(await one.upstreamOf(writer.key)).toMatchObject({ id: 'second' });
});
