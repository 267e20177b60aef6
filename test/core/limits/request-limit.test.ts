import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallerFacts } from '../../../src/core/limits/admission.ts';
import { networkOf } from '../../../src/core/limits/network.ts';
import { limited, RequestLimiter } from '../../../src/core/limits/request-limit.ts';
import type { Principal } from '../../../src/core/model/principal.ts';
import type { SecurityEvent } from '../../../src/core/ports/audit.ts';

const from = (remoteAddress: string): CallerFacts => ({
  header: () => undefined,
  headerNames: () => [],
  httpVersion: '1.1',
  host: 'localhost',
  remoteAddress,
  hasBody: true,
  encrypted: false,
});
const alice: Principal = { id: 'key:alice', anonymous: false };
const bob: Principal = { id: 'key:bob', anonymous: false };
const anonymous: Principal = { id: 'anonymous', anonymous: true };

function bench(perMinute: number | undefined) {
  const audited: SecurityEvent[] = [];
  const clock = { now: 0 };
  const audit = (event: SecurityEvent): void => void audited.push(event);
  const limiter = new RequestLimiter({ perMinute, audit, clock: () => clock.now });
  const wait = (principal: Principal, address = '192.0.2.1'): number | undefined => {
    try {
      limiter.count(principal, from(address));
      return undefined;
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: 'tooManyRequests' });
      return (thrown as { retryAfter: number }).retryAfter;
    }
  };
  return { limiter, wait, audited, clock };
}

it('the limit of requests lets a minute’s requests in at once, then as they are regained, and says when', () => {
  const { wait, clock } = bench(6);
  for (let i = 0; i < 6; i++) expect(wait(alice)).toBeUndefined();
  expect(wait(alice)).toBeCloseTo(10);
  clock.now += 4_000;
  expect(wait(alice)).toBeCloseTo(6);
  clock.now += 6_000;
  expect(wait(alice)).toBeUndefined();
  expect(wait(alice)).toBeCloseTo(10);
  clock.now += 60_000;
  for (let i = 0; i < 6; i++) expect(wait(alice)).toBeUndefined();
  expect(wait(alice)).toBeDefined();
});

it('the limit of requests is one principal’s own, from wherever it calls; of anonymous callers, one network’s', () => {
  const { wait, limiter } = bench(1);
  expect(wait(alice)).toBeUndefined();
  expect(wait(alice, '192.0.2.2')).toBeDefined();
  expect(wait(bob)).toBeUndefined();
  expect(wait(anonymous, '192.0.2.1')).toBeUndefined();
  expect(wait(anonymous, '::ffff:192.0.2.1')).toBeDefined();
  expect(wait(anonymous, '192.0.2.2')).toBeUndefined();
  expect(wait(anonymous, '2001:db8::1')).toBeUndefined();
  expect(wait(anonymous, '2001:db8:0:0:ffff::2')).toBeDefined();
  expect(wait(anonymous, '2001:db8:0:1::1')).toBeUndefined();
  expect(limiter.count({ ...alice, id: 'key:carol' }, from('192.0.2.1'))).not.toHaveProperty('limitedAs');
});

it('the limit of requests distinguishes anonymous callers for other limits, also when requests are unlimited', () => {
  const { limiter } = bench(undefined);
  const seen = ['192.0.2.1', '192.0.2.2', '192.0.2.1'].map((address) => limiter.count(anonymous, from(address)));
  expect(seen).toMatchObject([
    { limitedAs: 'anonymous@192.0.2.1' },
    { limitedAs: 'anonymous@192.0.2.2' },
    { limitedAs: 'anonymous@192.0.2.1' },
  ]);
  expect(limiter.count(alice, from('192.0.2.1'))).toBe(alice);
});

it('the limit of requests writes one audit event a minute, however many requests are refused', () => {
  const { wait, audited, clock } = bench(1);
  for (let i = 0; i < 100; i++) wait(alice);
  expect(audited).toEqual([
    { event: 'limit.exceeded', reason: 'Too many requests', principal: 'key:alice', address: '192.0.2.1' },
  ]);
  clock.now += 60_000;
  for (let i = 0; i < 100; i++) wait(alice);
  expect(audited).toHaveLength(2);
});

it('the limit of requests forgets only callers that have not called for a minute', () => {
  const { limiter, wait, clock } = bench(2);
  wait(alice);
  wait(alice);
  for (let i = 0; i < 300; i++) {
    clock.now += 1_000;
    wait({ id: `key:${i}`, anonymous: false });
    // Alice keeps calling, and is never given a new minute.
    if (i % 30 !== 29) expect(wait(alice)).toBeDefined();
    else expect(wait(alice)).toBeUndefined();
  }
  expect(limiter.size).toBeLessThan(200);
});

it('the limit of requests has a bound on whom it remembers', () => {
  const { limiter, wait } = bench(1);
  for (let i = 0; i < 250_000; i++) wait({ id: `key:${i}`, anonymous: false });
  expect(limiter.size).toBeLessThanOrEqual(200_000);
});

it('the limit of requests lets in no more than a minute’s requests and those regained since, whatever the times', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(20_000), { maxLength: 200 }), (perMinute, gaps) => {
      const { wait, clock } = bench(perMinute);
      let let_in = 0;
      for (const gap of gaps) {
        clock.now += gap;
        if (wait(alice) === undefined) let_in += 1;
      }
      expect(let_in).toBeLessThanOrEqual(perMinute + Math.floor((clock.now * perMinute) / 60_000 + 1e-6));
    }),
  );
});

it('the limit of requests judges at once where it can, and later where it must', async () => {
  const once = (): RequestLimiter => new RequestLimiter({ perMinute: 1 });
  const now = limited(() => alice, once());
  expect(now(from('192.0.2.1'))).toBe(alice);
  expect(() => now(from('192.0.2.1'))).toThrow('Too many requests');
  const later = limited(async () => alice, once());
  expect(await later(from('192.0.2.1'))).toBe(alice);
  await expect(later(from('192.0.2.1'))).rejects.toMatchObject({ kind: 'tooManyRequests' });
});

describe('a limit that gateways share', () => {
  function shared(perMinute: number, granted: number[]) {
    const clock = { now: 0 };
    const queries: [string, number][] = [];
    const peers = {
      shared: true,
      reserve: async (key: string, want: number) => {
        queries.push([key, want]);
        const most = granted.shift();
        if (most === undefined) throw new Error('away');
        return { granted: Math.min(most, want), wait: most === 0 ? 5_000 : 0 };
      },
    };
    const limiter = new RequestLimiter({ perMinute, clock: () => clock.now, peers });
    return { limiter, clock, queries, count: (who: Principal) => limiter.count(who, from('192.0.2.1')) };
  }

  it('a limit that gateways share hands out portions, which grow as they are used up, and are counted down without a query', async () => {
    const { count, queries } = shared(200, Array(9).fill(1_000));
    for (let i = 0; i < 36; i += 1) await count(alice);
    expect(queries.map(([, want]) => want)).toEqual([1, 2, 4, 8, 10, 10, 10]);
    expect(count(alice)).toBe(alice);
    await count(anonymous);
    expect(queries.at(-1)).toEqual(['anonymous@192.0.2.1', 1]);
  });

  it('a limit that gateways share hands out small portions to callers that call seldom, and takes back what they did not use', async () => {
    const { count, queries, clock } = shared(200, Array(9).fill(1_000));
    for (let i = 0; i < 3; i += 1) await count(alice);
    clock.now += 10_000;
    await count(alice);
    expect(queries.map(([, want]) => want)).toEqual([1, 2, 1]);
  });

  it('a limit that gateways share is queried once for all waiting calls, and refuses without a query until there can be more', async () => {
    const { count, queries, clock } = shared(200, [1, 1_000, 0, 1]);
    const first = Array.from({ length: 8 }, () => count(alice));
    expect(await Promise.all(first)).toEqual(Array(8).fill(alice));
    expect(queries.map(([, want]) => want)).toEqual([1, 7]);
    const refused = Array.from({ length: 3 }, async () => count(alice));
    for (const result of await Promise.allSettled(refused)) {
      expect(result).toMatchObject({ reason: { kind: 'tooManyRequests', retryAfter: 5 } });
    }
    clock.now += 2_000;
    expect(() => count(alice)).toThrow('Too many requests');
    expect(queries).toHaveLength(3);
    clock.now += 3_000;
    expect(await count(alice)).toBe(alice);
  });

  it('a limit that gateways share is counted by each gateway for itself while the store is unavailable, and is queried again later', async () => {
    const { count, queries, clock } = shared(3, []);
    for (let i = 0; i < 3; i += 1) expect(await count(alice)).toBe(alice);
    expect(() => count(alice)).toThrow('Too many requests');
    expect(queries).toHaveLength(1);
    clock.now += 20_000;
    await count(alice);
    expect(queries).toHaveLength(2);
  });

  it('a limit that gateways share is not queried without a limit', () => {
    const peers = { shared: true, reserve: () => Promise.reject(new Error('asked')) };
    const limiter = new RequestLimiter({ perMinute: undefined, peers });
    expect(limiter.count(alice, from('192.0.2.1'))).toBe(alice);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['2001:DB8::', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001::5:6', '2001:db8:1:0::/64'],
  ['', ''],
])('the network of %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
