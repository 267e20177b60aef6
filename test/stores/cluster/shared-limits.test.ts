import { describe, expect, it } from 'vitest';
import type { CallerFacts } from '../../../src/core/limits/admission.ts';
import { RequestLimiter } from '../../../src/core/limits/request-limit.ts';
import type { Principal } from '../../../src/core/model/principal.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';

const database = storesOnPostgres();
const alice: Principal = { id: 'key:alice', anonymous: false };
const caller: CallerFacts = {
  header: () => undefined,
  headerNames: () => [],
  httpVersion: '1.1',
  host: 'localhost',
  remoteAddress: '192.0.2.1',
  hasBody: true,
  encrypted: false,
};

async function gateways(count: number): Promise<{ url: string; stores: [Store, ...Store[]] }> {
  const { url, open } = await database();
  const first = await open('0');
  const stores: [Store, ...Store[]] = [first];
  for (let i = 1; i < count; i += 1) stores.push(await open(`${i}`));
  return { url, stores };
}

it('a bucket of requests grants what it holds to any gateway, and says when there will be more', async () => {
  const { stores } = await gateways(3);
  const granted = await Promise.all(
    [...stores, ...stores].map(({ peers }, i) => peers.reserve('alice', i % 2 === 0 ? 1 : 100, 4)),
  );
  expect(granted.reduce((sum, each) => sum + each.granted, 0)).toBe(4);
  for (const { granted: some, wait } of granted) {
    if (some > 0) expect(wait).toBe(0);
    // One in fifteen seconds.
    else expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(15_000);
  }
  expect(await stores[0].peers.reserve('bob', 100, 4)).toEqual({ granted: 4, wait: 0 });
});

it('a bucket of requests is regained evenly, by the clock of the database', async () => {
  const { url, stores } = await gateways(1);
  const { peers } = stores[0];
  expect((await peers.reserve('alice', 10, 10)).granted).toBe(10);
  await query(url, 'update request_share set regained = regained - 24000');
  expect((await peers.reserve('alice', 10, 10)).granted).toBe(4);
  expect((await peers.reserve('alice', 10, 10)).granted).toBe(0);
  // A clock that was set back by an hour does not make a caller wait for an hour.
  await query(url, 'update request_share set regained = regained + 3600000');
  const { granted, wait } = await peers.reserve('alice', 10, 10);
  expect(granted).toBe(0);
  expect(wait).toBeLessThanOrEqual(6_000);
  await query(url, 'update request_share set regained = regained - 120000');
  expect((await peers.reserve('alice', 100, 10)).granted).toBe(10);
});

it('a bucket of requests has any name, and is one of many that are requested at once', async () => {
  const { url, stores } = await gateways(2);
  const long = Array.from({ length: 4_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
  const odd = ['', 'it’s "odd" \\', 'nul\0', '\u0001', '🜚', long, `${long}x`];
  const keys = [...odd, ...Array.from({ length: 1_200 }, (_, i) => `key:${i}`)];
  const all = await Promise.all(
    keys.flatMap((key) => stores.map(({ peers }) => peers.reserve(key, 2, 3).then(({ granted }) => granted))),
  );
  for (let i = 0; i < all.length; i += 2) expect([all[i], all[i + 1]].toSorted()).toEqual([1, 2]);
  await query(url, 'update request_share set regained = regained - 100000');
  expect((await stores[0].peers.reserve('kept', 1, 3)).granted).toBe(1);
  await query(url, "update request_share set regained = regained - 100000 where key <> 'kept'");
  await stores[0].expire(0, 1);
  expect(await query(url, 'select key from request_share')).toEqual([{ key: 'kept' }]);
});

describe('a limit of requests', () => {
  const limiters = (stores: readonly Store[], perMinute: number): RequestLimiter[] =>
    stores.map(({ peers }) => new RequestLimiter({ perMinute, peers }));

  const letIn = async (limiter: RequestLimiter): Promise<boolean> => {
    try {
      return (await limiter.count(alice, caller)) === alice;
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: 'tooManyRequests' });
      expect((thrown as { retryAfter: number }).retryAfter).toBeGreaterThan(0);
      return false;
    }
  };

  it.each([30, 600])('a limit of requests of %i a minute is that of three gateways together', async (perMinute) => {
    const { stores } = await gateways(3);
    const began = performance.now();
    const three = limiters(stores, perMinute);
    const results = await Promise.all(
      three.map(async (limiter) => {
        let count = 0;
        for (let i = 0; i < perMinute / 10; i += 1) {
          const some = await Promise.all(Array.from({ length: 20 }, () => letIn(limiter)));
          count += some.filter(Boolean).length;
        }
        return count;
      }),
    );
    const all = results.reduce((sum, each) => sum + each, 0);
    const regained = ((performance.now() - began) * perMinute) / 60_000;
    expect(all).toBeLessThanOrEqual(perMinute + regained);
    // Each gateway may hold some requests unused while another one refuses.
    expect(all).toBeGreaterThanOrEqual(perMinute - 3 * Math.max(1, perMinute / 20));
  });

  it('a limit of requests may be used up at one gateway, and is used up then at the others', async () => {
    const { stores } = await gateways(3);
    const began = performance.now();
    const [one, ...others] = limiters(stores, 60);
    let count = 0;
    for (let i = 0; i < 70; i += 1) if (one && (await letIn(one))) count += 1;
    expect(count).toBeGreaterThanOrEqual(60);
    const rest = (await Promise.all(others.map(letIn))).filter(Boolean).length;
    expect(count + rest).toBeLessThanOrEqual(60 + (performance.now() - began) / 1_000);
  });
});
