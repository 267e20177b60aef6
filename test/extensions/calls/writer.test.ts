import { sql } from 'kysely';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../../src/core/ports/logger.ts';
import type { Peers } from '../../../src/core/ports/peers.ts';
import type { ReplicaRecord } from '../../../src/core/ports/store.ts';
import { CallerRooms } from '../../../src/extensions/calls/caller-rooms.ts';
import { readKept } from '../../../src/extensions/calls/completeness.ts';
import { Numbers, others } from '../../../src/extensions/calls/model.ts';
import { openCallStore } from '../../../src/extensions/calls/store/store.ts';
import { CallWriter } from '../../../src/extensions/calls/writer.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import type { Database } from '../../../src/stores/database.ts';
import { refuseRows } from '../../contract/refused-rows.ts';
import { emptyDatabases, openStoreOn } from '../../contract/store-kinds.ts';
import { silent } from '../../support/core.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { instance } from './support.ts';

/** A replica that stores its calls, on both databases, where the database refuses some of the rows. */

beforeAll(sharedPostgres);

const all = { agent: '', principal: '', dialect: '' };
const everything = { from: 0, until: Number.POSITIVE_INFINITY };

async function open(opening: Database | Promise<Database>) {
  const { store, database } = await openStoreOn(opening);
  const kept = await store.extend(openCallStore);
  const metrics = new Metrics('test');
  const lines: object[] = [];
  const logger: Logger = { ...silent, error: (fields, message) => void lines.push({ ...fields, message }) };
  const writer = new CallWriter({
    kept,
    store,
    metrics,
    logger,
    slow: 10_000,
    isAgent: () => true,
    hidesWords: () => false,
  });
  await writer.begin();
  const call = (id: string): void =>
    metrics.log.noteRefused('jsonrpc', 'permissionDenied', { principal: { id, anonymous: false }, agent: 'demo' });
  return {
    database,
    kept,
    writer,
    lines,
    call,
    async callers(): Promise<(string | undefined)[]> {
      const found: (string | undefined)[] = [];
      for await (const page of kept.calls.list({})) found.push(...page.map(({ record }) => record.principal));
      return found.sort();
    },
    async refused(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for await (const page of kept.numbers.sums(all, everything, ['principal'], undefined)) {
        for (const { principal, values } of page) {
          const numbers = new Numbers();
          numbers.addAll(values);
          counts[principal] = numbers.count('refused');
        }
      }
      return counts;
    },
  };
}

describe.each(Object.entries(emptyDatabases))('on %s', (name, database) => {
  it(`calls that ${name} refuses are left out by name, and none of the others`, async () => {
    const replica = await open(database());
    await refuseRows(replica.database, 'kept_call', 'key:bad');
    for (const caller of ['key:alice', 'key:bad', 'key:bob', 'key:bad', 'key:carol']) replica.call(caller);
    await replica.writer.flush();
    expect(await replica.callers()).toEqual(['key:alice', 'key:bob', 'key:carol']);
    expect(await replica.kept.leftOut(all, everything)).toMatchObject([{ principal: 'key:bad', count: 2 }]);
    expect(await replica.refused()).toEqual({ 'key:alice': 1, 'key:bad': 2, 'key:bob': 1, 'key:carol': 1 });
    expect(replica.lines).toMatchObject([{ principal: 'key:bad', message: expect.stringContaining('left out') }]);
    const [{ beganAt = 0, storedAt = 0 } = {}] = await replica.kept.instances();
    expect(storedAt).toBeGreaterThanOrEqual(beganAt);
    replica.call('key:dave');
    await replica.writer.flush();
    expect(await replica.callers()).toEqual(['key:alice', 'key:bob', 'key:carol', 'key:dave']);
  });

  it(`numbers that ${name} refuses are counted with those of other callers`, async () => {
    const replica = await open(database());
    for (const table of ['kept_call', 'call_numbers'] as const) await refuseRows(replica.database, table, 'key:bad');
    for (const caller of ['key:alice', 'key:bad', 'key:bad']) replica.call(caller);
    await replica.writer.flush();
    expect(await replica.refused()).toEqual({ 'key:alice': 1, [others]: 2 });
    replica.call('key:bad');
    await replica.writer.flush();
    expect(await replica.refused()).toEqual({ 'key:alice': 1, [others]: 3 });
    expect(await replica.kept.leftOut(all, everything)).toMatchObject([{ principal: others, count: 3 }]);
    expect(await replica.callers()).toEqual(['key:alice']);
  });
});

it('a caller whose id is too long for an index of PostgreSQL keeps no other call from the store', async () => {
  const replica = await open((await emptyDatabases.PostgreSQL?.()) as Database);
  const long = Array.from({ length: 500 }, () => crypto.randomUUID()).join('');
  for (const caller of [long, 'key:alice']) replica.call(caller);
  await replica.writer.flush();
  expect(await replica.callers()).toEqual(['key:alice']);
  expect(await replica.refused()).toEqual({ 'key:alice': 1, [others]: 1 });
});

it('a replica that dies before its first calls are stored is known, so that they are known to be missing', async () => {
  const replica = await open((await emptyDatabases.SQLite?.()) as Database);
  replica.call('key:alice');
  const [known] = await replica.kept.instances();
  expect(known?.storedAt).toBe(known?.beganAt);
  const range = { from: 0, until: Number.POSITIVE_INFINITY };
  const now = Date.now() + 1;
  const { gaps } = await readKept(replica.kept, { keep: Number.POSITIVE_INFINITY, now, answered: new Set(), range });
  expect(gaps).toMatchObject([{ from: known?.storedAt }]);
});

/** A replica that looks for the ends of others at times of the test, and another one that has stored something at the first of them. */
async function besideAnother() {
  const { store } = await openStoreOn(await emptyDatabases.SQLite?.());
  const kept = await store.extend(openCallStore);
  const began = Date.now();
  let now = began;
  let found: ReplicaRecord[] = [];
  const record = (id: string, more: Partial<ReplicaRecord> = {}): ReplicaRecord => ({
    id,
    host: 'host',
    pid: 1,
    startedAt: began,
    heartbeatAt: now,
    isAlive: true,
    isThis: id === 'one',
    tasks: 0,
    ...more,
  });
  const shared = { now: () => now, replicas: () => Promise.resolve(found), peers: { shared: true } as Peers };
  const metrics = new Metrics('test');
  const options = { slow: 10_000, isAgent: () => true, hidesWords: () => false, logger: silent };
  const writer = new CallWriter({ kept, store: shared, metrics, ...options });
  const other = instance({ instance: 'bbbbbbbb', replica: 'two', beganAt: began, storedAt: began });
  await kept.store(other, []);
  const lookAt = async (after: number, replicas: () => ReplicaRecord[]): Promise<number | undefined> => {
    now = began + after;
    found = replicas();
    await writer.noteEnds();
    return (await kept.instances()).find(({ replica }) => replica === 'two')?.endedAt;
  };
  return {
    began,
    kept,
    /** The other one stores something so many milliseconds after the beginning. */
    storeAt: (after: number) => kept.store({ ...other, storedAt: began + after }, []),
    /** Looks so many milliseconds after the beginning, when there are these replicas. Returns the end of the other one. */
    look: (after: number, ...ids: string[]) => lookAt(after, () => ids.map((id) => record(id))),
    /** Looks when the other one is dead and has sent its last heartbeat so many milliseconds after the beginning. */
    lookAtDead: (after: number, heartbeat: number) =>
      lookAt(after, () => [record('one'), record('two', { isAlive: false, heartbeatAt: began + heartbeat })]),
  };
}

it('the gap of a replica that is killed ends when others miss it, and not when its end is certain', async () => {
  const { began, kept, look } = await besideAnother();
  expect(await look(1_000, 'one', 'two')).toBeUndefined();
  expect(await look(11_000, 'one')).toBeUndefined();
  const unsure = { keep: 3_600_000, now: began + 15_000, answered: new Set<string>(), range: everything };
  expect((await readKept(kept, unsure)).gaps).toEqual([{ replica: 'two', from: began, until: began + 15_000 }]);
  expect(await look(101_000, 'one')).toBe(began + 11_000);
  const sure = { ...unsure, now: began + 102_000 };
  expect((await readKept(kept, sure)).gaps).toEqual([{ replica: 'two', from: began, until: began + 11_000 }]);
});

it('a replica that is killed after it was missed and has stored something again leaves a gap', async () => {
  const { began, kept, storeAt, look } = await besideAnother();
  expect(await look(1_000, 'one', 'two')).toBeUndefined();
  expect(await look(11_000, 'one')).toBeUndefined();
  await storeAt(20_500);
  expect(await look(21_000, 'one')).toBeUndefined();
  expect(await look(31_000, 'one')).toBeUndefined();
  expect(await look(111_000, 'one')).toBe(began + 21_000);
  const sure = { keep: 3_600_000, now: began + 112_000, answered: new Set<string>(), range: everything };
  expect((await readKept(kept, sure)).gaps).toEqual([{ replica: 'two', from: began + 20_500, until: began + 21_000 }]);
});

it('the gap of a replica that was missed and has sent a heartbeat again covers the time until that heartbeat', async () => {
  const { began, look, lookAtDead } = await besideAnother();
  expect(await look(11_000, 'one')).toBeUndefined();
  expect(await lookAtDead(21_000, 12_500)).toBeUndefined();
  expect(await look(31_000, 'one')).toBeUndefined();
  expect(await look(101_000, 'one')).toBe(began + 21_000);
});

it('a replica that sends heartbeats has not ended, although it stores nothing', async () => {
  const { began, look } = await besideAnother();
  expect(await look(11_000, 'one')).toBeUndefined();
  expect(await look(101_000, 'one', 'two')).toBeUndefined();
  expect(await look(112_000, 'one')).toBe(began + 112_000);
});

it('each look for calls to store drops the rooms of callers that are full again, also if there are no calls', async () => {
  const replica = await open((await emptyDatabases.SQLite?.()) as Database);
  await replica.writer.flush();
  const trim = vi.spyOn(CallerRooms.prototype, 'trim');
  await replica.writer.flush();
  expect(trim).toHaveBeenCalledWith(expect.any(Number));
  trim.mockRestore();
});

it('calls that cannot be stored for another reason than a row wait', async () => {
  const replica = await open((await emptyDatabases.SQLite?.()) as Database);
  await sql.raw('alter table call_instance rename to lost_instance').execute(replica.database.sql);
  replica.call('key:alice');
  await expect(replica.writer.flush()).rejects.toThrow();
  await sql.raw('alter table lost_instance rename to call_instance').execute(replica.database.sql);
  await replica.writer.flush();
  expect(await replica.callers()).toEqual(['key:alice']);
  expect(await replica.kept.leftOut(all, everything)).toEqual([]);
});
