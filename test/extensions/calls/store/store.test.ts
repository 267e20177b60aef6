import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { minuteMs, minuteOf, Numbers, others } from '../../../../src/extensions/calls/model.ts';
import { excessOf, type KeptFilter } from '../../../../src/extensions/calls/store/calls.ts';
import type { MinuteNumbers, NumberSum, StoredNumbers } from '../../../../src/extensions/calls/store/numbers.ts';
import { type CallStore, openCallStore, openFormerCalls } from '../../../../src/extensions/calls/store/store.ts';
import { emptyDatabases, openStoreOn } from '../../../contract/store-kinds.ts';
import { sharedPostgres } from '../../../support/postgres.ts';
import { failedCall, instance, keptCall } from '../support.ts';

/** The rows of calls and their numbers, on both databases. */

beforeAll(sharedPostgres);

const all = { agent: '', principal: '', dialect: '' };
const now = Date.now();
const everything = { from: 0, until: Number.POSITIVE_INFINITY };

async function listed(calls: CallStore, filter: KeptFilter = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const page of calls.calls.list(filter)) found.push(...page.map(({ id }) => id));
  return found;
}

async function summed(calls: CallStore, ...parameters: Parameters<MinuteNumbers['sums']>): Promise<NumberSum[]> {
  const found: NumberSum[] = [];
  for await (const page of calls.numbers.sums(...parameters)) found.push(...page);
  return found;
}

/** Numbers of one minute with some calls, of which some failed. */
function numbersOf(
  minute: number,
  durations: readonly number[],
  more: Partial<StoredNumbers> & { failed?: number } = {},
) {
  const { failed = 0, ...key } = more;
  const numbers = new Numbers();
  for (const ms of durations) {
    numbers.add('calls');
    numbers.observe(ms);
  }
  numbers.add('failed', failed);
  return { minute, agent: 'demo', principal: 'key:alice', dialect: 'a2a-1.0', values: numbers.values, ...key };
}

describe.each(Object.entries(emptyDatabases))('on %s', (name, open) => {
  it(`calls on ${name} are listed, the latest first, by what selects them`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const records = [
      failedCall({ at: now - 4, principal: "o'neil", reason: 'Ünknown 100% "quoted"' }),
      failedCall({ at: now - 3, principal: 'a\u0000b\ud800', agent: 'other' }),
      failedCall({ at: now - 2, ms: undefined, error: 'unauthenticated', principal: undefined }),
      failedCall({ at: now - 1, error: undefined, ms: 20_000 }),
      failedCall({ at: now - 1, error: undefined, ms: 20_000, taskId: 'task-1' }),
    ];
    await calls.store(
      instance(),
      records.map((record) => keptCall(record)),
    );
    const ids = records.map((record) => keptCall(record).id).reverse();
    expect(await listed(calls)).toEqual(ids);
    expect(await listed(calls, { outcome: 'slow' })).toEqual(ids.slice(0, 2));
    expect(await listed(calls, { outcome: 'refused' })).toEqual(ids.slice(2, 3));
    expect(await listed(calls, { outcome: 'failed' })).toEqual(ids.slice(3));
    expect(await listed(calls, { failed: true })).toEqual(ids.slice(2));
    expect(await listed(calls, { agent: 'other' })).toEqual(ids.slice(3, 4));
    expect(await listed(calls, { principal: 'a\u0000b\ud800' })).toEqual(ids.slice(3, 4));
    expect(await listed(calls, { error: 'unauthenticated' })).toEqual(ids.slice(2, 3));
    expect(await listed(calls, { texts: ['ünknown 100% "QUOTED'] })).toEqual(ids.slice(4));
    expect(await listed(calls, { texts: ['100_ "'] })).toEqual([]);
    expect(await listed(calls, { from: now - 2, until: now - 1 })).toEqual(ids.slice(2, 3));
    expect(await listed(calls, { behind: { at: now - 2, id: ids[2] as string } })).toEqual(ids.slice(3));
  });

  it(`a call on ${name} that is stored again, with its status, is one call`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const record = failedCall({ status: undefined });
    await calls.store(instance(), [keptCall(record)]);
    await calls.store(instance(), [keptCall({ ...record, status: '502' })]);
    const statuses: (string | undefined)[] = [];
    for await (const page of calls.calls.list({})) statuses.push(...page.map((one) => one.record.status));
    expect(statuses).toEqual(['502']);
  });

  it(`numbers on ${name} replace those of the same minute, and those of all replicas are added up`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const minute = minuteOf(now);
    await calls.store(instance(), [numbersOf(minute, [1])]);
    await calls.store(instance(), [numbersOf(minute, [1, 20, 300], { failed: 1 })]);
    const two = instance({ instance: 'bbbbbbbb', replica: 'two' });
    await calls.store(two, [
      numbersOf(minute, [20], { principal: 'key:bob', failed: 1 }),
      numbersOf(minute - 3 * minuteMs, [5_000], { agent: 'other' }),
    ]);
    const range = { from: minute - 10 * minuteMs, until: minute + minuteMs };
    const total = new Numbers();
    for (const { values } of await summed(calls, all, range, [], undefined)) total.addAll(values);
    expect([total.count('calls'), total.count('failed')]).toEqual([5, 2]);
    const direct = new Numbers();
    for (const ms of [1, 20, 300, 20, 5_000]) direct.observe(ms);
    expect(total.buckets).toEqual(direct.buckets);
    const byCaller = await summed(calls, { ...all, agent: 'demo' }, range, ['principal'], undefined);
    expect(byCaller.map(({ principal, values: [count] }) => [principal, count]).sort()).toEqual([
      ['key:alice', 3],
      ['key:bob', 1],
    ]);
    const steps = await summed(calls, all, range, ['agent'], 2 * minuteMs);
    expect(steps.map(({ agent, step, values: [count] }) => [agent, step, count]).sort()).toEqual([
      ['demo', 5, 4],
      ['other', 3, 1],
    ]);
    expect(await calls.numbers.of('aaaaaaaa', [numbersOf(minute, []), numbersOf(minute - minuteMs, [])])).toMatchObject(
      [{ minute, agent: 'demo', principal: 'key:alice' }],
    );
  });

  it(`calls and numbers on ${name} are deleted once they have been kept long enough`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const old = Array.from({ length: 5 }, () => keptCall(failedCall({ at: now - 10 * minuteMs })));
    const fresh = keptCall(failedCall());
    await calls.store(instance({ instance: 'cccccccc', endedAt: now - 9 * minuteMs }), old);
    await calls.store(instance(), [
      fresh,
      numbersOf(minuteOf(now) - 10 * minuteMs, [1]),
      numbersOf(minuteOf(now), [1]),
    ]);
    while (await calls.expire(now - 5 * minuteMs, 2));
    expect(await listed(calls)).toEqual([fresh.id]);
    expect((await summed(calls, all, everything, [], undefined)).map(({ values: [count] }) => count)).toEqual([1]);
    expect((await calls.instances()).map((one) => one.instance)).toEqual(['aaaaaaaa']);
  });

  it(`numbers on ${name} are kept until all calls of their minute are too old`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const minute = minuteOf(now);
    await calls.store(instance(), [numbersOf(minute - minuteMs, [1]), numbersOf(minute, [1, 2])]);
    const countsAt = async (before: number): Promise<(number | undefined)[]> => {
      while (await calls.expire(before, 1));
      return (await summed(calls, all, everything, [], undefined)).map(({ values: [count] }) => count);
    };
    expect(await countsAt(minute)).toEqual([2]);
    expect(await countsAt(minute + minuteMs - 1)).toEqual([2]);
    expect(await countsAt(minute + minuteMs)).toEqual([]);
  });

  it(`too many calls on ${name} are deleted from the callers with the most, and named as left out`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const of = (principal: string, count: number) =>
      Array.from({ length: count }, (_, at) => keptCall(failedCall({ at: now - count + at, principal })));
    const [many, some, few] = [of('many', 40), of('some', 12), of('few', 2)];
    await calls.store(instance(), [...many, ...some, ...few]);
    while (await calls.calls.trim(20, 7));
    const rest = (principal: string) => listed(calls, { principal });
    expect([(await rest('many')).length, (await rest('some')).length, (await rest('few')).length]).toEqual([9, 9, 2]);
    expect(await rest('many')).toEqual(
      many
        .slice(-9)
        .map(({ id }) => id)
        .reverse(),
    );
    const leftOut = await calls.leftOut(all, everything);
    expect(leftOut).toEqual([
      { principal: 'many', count: 31, until: now - 9 },
      { principal: 'some', count: 3, until: now - 9 },
    ]);
    expect(await calls.leftOut({ ...all, principal: 'few' }, everything)).toEqual([]);
    expect(await calls.leftOut(all, { from: now - 5, until: now })).toEqual([]);
    expect(await calls.calls.trim(20, 7)).toBe(false);
  });

  it(`of more callers than calls are kept on ${name}, only so many calls are deleted as there are too many`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const records = Array.from({ length: 12 }, (_, at) => keptCall(failedCall({ at: now, principal: `caller-${at}` })));
    await calls.store(instance(), records);
    expect(await calls.calls.trim(10, 100)).toBe(false);
    expect(await listed(calls)).toHaveLength(10);
  });

  it(`calls on ${name} that are left out and counted with others may be those of each caller and agent`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const minute = minuteOf(now);
    const leftOut = (key: Partial<StoredNumbers>): StoredNumbers => {
      const numbers = new Numbers();
      numbers.add('leftOut');
      return { ...numbersOf(minute, []), values: numbers.values, ...key };
    };
    await calls.store(instance(), [
      leftOut({ principal: others, agent: 'demo' }),
      leftOut({ principal: others, agent: '', dialect: '' }),
      leftOut({ principal: others, agent: 'other' }),
      leftOut({ principal: '', agent: '' }),
    ]);
    const until = minute + minuteMs;
    const wanted = { agent: 'demo', principal: 'key:alice', dialect: '' };
    expect(await calls.leftOut(wanted, everything)).toEqual([{ principal: others, count: 2, until }]);
    expect(await calls.leftOut({ ...all, principal: 'key:alice' }, everything)).toMatchObject([{ count: 3 }]);
    expect(await calls.leftOut({ ...all, dialect: 'a2a-0.3' }, everything)).toMatchObject([{ count: 1 }]);
  });

  it(`calls on ${name} that are counted with others, and may match, are counted beside those that do`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const minute = minuteOf(now);
    await calls.store(instance(), [
      numbersOf(minute, [1]),
      numbersOf(minute, [1, 2], { principal: others }),
      numbersOf(minute, [1, 2, 3], { principal: others, agent: '', dialect: '' }),
      numbersOf(minute, [1, 2, 3, 4], { principal: others, agent: 'other' }),
    ]);
    const counted = (filter: object) => calls.numbers.countedWithOthers({ ...all, ...filter }, everything);
    expect(await counted({ principal: 'key:alice' })).toBe(9);
    expect(await counted({ principal: 'key:alice', agent: 'demo' })).toBe(5);
    expect(await counted({ agent: 'demo' })).toBe(3);
    expect(await counted({})).toBe(0);
    expect(await calls.numbers.countedWithOthers({ ...all, principal: 'key:bob' }, { from: 0, until: minute })).toBe(0);
  });

  it(`what there is of an erased caller on ${name} is deleted, and nothing of others`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const minute = minuteOf(now);
    const records = ['key:alice', 'key:bob'].flatMap((principal) =>
      Array.from({ length: 3 }, () => keptCall(failedCall({ principal, at: now }))),
    );
    await calls.store(instance(), [
      ...records,
      numbersOf(minute, [1]),
      numbersOf(minute, [2], { principal: 'key:bob' }),
    ]);
    await calls.calls.trim(4, 100);
    expect(await calls.erase('key:alice', now, 100)).toEqual({ calls: 2, numbers: 1 });
    expect(await calls.erase('key:alice', now, 100)).toEqual({ calls: 0, numbers: 0 });
    expect(await listed(calls)).toHaveLength(2);
    expect((await calls.leftOut(all, everything)).map(({ principal }) => principal)).toEqual(['key:bob']);
    const left = await summed(calls, all, everything, ['principal'], undefined);
    expect(left.map(({ principal }) => principal)).toEqual(['key:bob']);
  });

  it(`a call on ${name} that cannot be read is left out and named`, async () => {
    const { store, database } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const records = Array.from({ length: 7 }, (_, index) => failedCall({ at: now - index }));
    await calls.store(
      instance(),
      records.map((record) => keptCall(record)),
    );
    await sql`update kept_call set body = '{"at":"x"}' where at = ${now}`.execute(database.sql);
    await sql`update kept_call set body = 'no JSON' where at = ${now - 1}`.execute(database.sql);
    const lists = [{ decisions: {} }, { decisions: [null] }, { decisions: [{ rule: 'policy a' }] }, { lossPaths: [1] }];
    for (const [index, list] of lists.entries()) {
      const at = now - 3 - index;
      const body = JSON.stringify({ ...failedCall({ at }), ...list });
      await sql`update kept_call set body = ${body} where at = ${at}`.execute(database.sql);
    }
    expect(await listed(calls)).toEqual([keptCall(records[2] as never).id]);
    expect(store.damaged.list().map(({ table }) => table)).toEqual(Array(6).fill('kept_call'));
  });

  it(`runs and deleted calls on ${name} whose times are none are left out and named`, async () => {
    const { store, database } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    for (const id of ['aaaaaaaa', 'bbbbbbbb']) await calls.store(instance({ instance: id }), []);
    const damaged = 9_007_199_254_740_990;
    await sql`update call_instance set stored_at = ${damaged} where instance = 'aaaaaaaa'`.execute(database.sql);
    await sql`insert into call_trim (principal, at, count) values ('key:alice', ${now}, 1), ('key:bob', ${damaged}, 1)`.execute(
      database.sql,
    );
    expect((await calls.instances()).map((one) => one.instance)).toEqual(['bbbbbbbb']);
    expect((await calls.leftOut(all, everything)).map(({ principal }) => principal)).toEqual(['key:alice']);
    expect(store.damaged.list().map(({ table, key }) => [table, key])).toEqual([
      ['call_trim', 'key:bob'],
      ['call_instance', 'aaaaaaaa'],
    ]);
  });

  it(`a replica on ${name} that stores nothing for long has ended, until it stores something again`, async () => {
    const { store } = await openStoreOn(open());
    const calls = await store.extend(openCallStore);
    const lost = instance({ instance: 'bbbbbbbb', replica: 'two', beganAt: now - 9_000, storedAt: now - 5_000 });
    await calls.store(lost, []);
    await calls.store(instance({ beganAt: now }), []);
    await calls.noteEnds(new Map([['bbbbbbbb', now]]), now - 6_000);
    expect((await calls.instances()).map(({ endedAt }) => endedAt)).toEqual([undefined, undefined]);
    await calls.noteEnds(new Map([['bbbbbbbb', now]]), now + 1);
    expect((await calls.instances()).map(({ endedAt }) => endedAt)).toEqual([now, undefined]);
    await calls.store({ ...lost, beganAt: now, storedAt: now }, []);
    expect(await calls.instances()).toMatchObject([{ beganAt: now - 9_000, storedAt: now, endedAt: undefined }, {}]);
  });

  it(`nothing is left on ${name} where the configuration keeps no calls any more`, async () => {
    const { store } = await openStoreOn(open());
    await (await store.extend(openFormerCalls)).clear();
    const calls = await store.extend(openCallStore);
    await calls.store(instance(), [keptCall(failedCall()), numbersOf(minuteOf(now), [1])]);
    await (await store.extend(openFormerCalls)).clear();
    expect(await listed(calls)).toEqual([]);
    expect(await calls.instances()).toEqual([]);
    expect(await summed(calls, all, everything, [], undefined)).toEqual([]);
  });
});

it('of too many calls, the callers with the most lose as many as leaves each of them the same', () => {
  const counts = (...all: number[]) => all.map((count, at) => ({ principal: `${at}`, count }));
  expect(excessOf(counts(5, 5), 10)).toEqual([]);
  expect(excessOf(counts(5, 6), 10)).toEqual([{ principal: '1', count: 1 }]);
  expect(excessOf(counts(100, 1, 50), 41)).toEqual([
    { principal: '0', count: 80 },
    { principal: '2', count: 30 },
  ]);
  expect(excessOf(counts(3, 3, 3), 2)).toHaveLength(3);
});
