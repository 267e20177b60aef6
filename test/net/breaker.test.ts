import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { A2AError, type ErrorKind } from '../../src/core/model/errors.ts';
import { Breaker } from '../../src/net/breaker.ts';
import { markUnsent, markUntried, neverArrived, transient } from '../../src/net/network-errors.ts';

function make(failures = 3, cooldown = 1_000) {
  let now = 0;
  const changes: string[] = [];
  const breaker = new Breaker({
    place: 'http://agent.test',
    failures,
    cooldown,
    clock: () => now,
    onChange: (state, error) => changes.push(error === undefined ? state : `${state}: ${error.message}`),
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { breaker, changes, pass };
}

const failing = (kind: ErrorKind, message?: string) => () => Promise.reject(new A2AError(kind, message));
const well = () => Promise.resolve('well');

/** The error that a call ends with; its value when it ends well. */
const outcome = <T>(breaker: Breaker, fn: () => Promise<T>): Promise<unknown> =>
  breaker.run(fn).catch((error) => error);

async function open(breaker: Breaker, times = 3): Promise<void> {
  for (let i = 0; i < times; i++) await outcome(breaker, failing('upstreamUnreachable', 'connection refused'));
}

/** A call that ends when the test lets it. */
function held(breaker: Breaker) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const result = outcome(breaker, () => promise);
  return { result, resolve, reject };
}

it('a breaker tries its target again after the cool-down although the clock of the machine was set back', async () => {
  const set = vi.spyOn(Date, 'now');
  try {
    const breaker = new Breaker({ place: 'http://agent.test', failures: 1, cooldown: 0 });
    await outcome(breaker, failing('upstreamUnreachable', 'connection refused'));
    set.mockReturnValue(0);
    expect(await outcome(breaker, well)).toBe('well');
  } finally {
    set.mockRestore();
  }
});

it('a circuit breaker counts neither for nor against its target what was not sent, such as a call without a token', async () => {
  const { breaker, pass } = make();
  const unsent = [markUnsent(new A2AError('unavailable')), markUntried(new A2AError('unauthenticated'))];
  await open(breaker, 2);
  for (const error of unsent) await outcome(breaker, () => Promise.reject(error));
  await open(breaker, 1);
  expect(breaker.state).toBe('open');
  pass(1_000);
  for (const error of unsent) expect(await outcome(breaker, () => Promise.reject(error))).toBe(error);
  expect(breaker.state).toBe('half-open');
});

it('a circuit breaker opens after some network failures in a row, and says why it refuses', async () => {
  const { breaker, changes, pass } = make();
  await open(breaker, 2);
  expect(breaker.state).toBe('closed');
  await outcome(breaker, failing('upstreamTimeout', 'too slow'));
  expect([breaker.state, breaker.failure?.message, changes]).toEqual(['open', 'too slow', ['open: too slow']]);
  pass(400);
  let called = false;
  const refused = await outcome(breaker, async () => {
    called = true;
  });
  expect(called).toBe(false);
  expect(refused).toMatchObject({
    kind: 'upstreamUnreachable',
    retryAfter: 1,
    message: 'http://agent.test did not answer 3 consecutive calls; next attempt in 1 s; last error: too slow',
  });
  expect([transient(refused), neverArrived(refused)]).toEqual([false, false]);
});

it('a circuit breaker counts failures in a row only: what the agent says shows that it is there', async () => {
  const { breaker } = make();
  for (const said of [well, failing('taskNotFound'), failing('unavailable'), failing('internal')]) {
    await open(breaker, 2);
    await outcome(breaker, said);
  }
  await open(breaker, 2);
  expect(breaker.state).toBe('closed');
});

it('a circuit breaker learns nothing from a call that was given up, nor from a defect', async () => {
  const { breaker } = make();
  await open(breaker, 2);
  await outcome(breaker, failing('canceled'));
  await outcome(breaker, failing('deadlineExceeded'));
  await outcome(breaker, () => Promise.reject(new TypeError('oops')));
  expect(breaker.failure?.message).toBe('connection refused');
  await open(breaker, 1);
  expect(breaker.state).toBe('open');
});

it('a circuit breaker lets one call through after a while, which decides for all', async () => {
  const { breaker, changes, pass } = make();
  await open(breaker);
  pass(1_000);
  expect(breaker.state).toBe('half-open');
  const probe = held(breaker);
  expect(await outcome(breaker, well)).toMatchObject({ kind: 'upstreamUnreachable', retryAfter: 1 });
  probe.reject(new A2AError('upstreamTimeout'));
  await probe.result;
  expect(breaker.state).toBe('open');
  pass(1_000);
  expect(await outcome(breaker, failing('taskNotFound'))).toMatchObject({ kind: 'taskNotFound' });
  expect([breaker.state, breaker.failure]).toEqual(['closed', undefined]);
  expect(changes).toEqual(['open: connection refused', 'closed']);
  await open(breaker, 2);
  expect(breaker.state).toBe('closed');
});

it('a circuit breaker lets another call try when the one that tried was given up', async () => {
  const { breaker, pass } = make();
  await open(breaker);
  pass(1_000);
  await outcome(breaker, failing('canceled'));
  expect(breaker.state).toBe('half-open');
  expect(await outcome(breaker, well)).toBe('well');
  expect(breaker.state).toBe('closed');
});

it('a circuit breaker takes no notice of calls that began before it changed', async () => {
  const { breaker, pass } = make();
  const early = held(breaker);
  const late = held(breaker);
  await open(breaker);
  early.resolve('well after all');
  expect(await early.result).toBe('well after all');
  expect(breaker.state).toBe('open');
  pass(1_000);
  await outcome(breaker, well);
  await open(breaker, 2);
  late.reject(new A2AError('upstreamTimeout'));
  await late.result;
  expect(breaker.state).toBe('closed');
});

it('a circuit breaker does what its rules say, whatever comes one after the other', async () => {
  const step = fc.oneof(
    fc.constantFrom<'well' | 'told' | 'down' | 'given up'>('well', 'told', 'down', 'down', 'down', 'given up'),
    fc.nat(1_500),
  );
  const calls = {
    well,
    told: failing('taskNotFound'),
    down: failing('upstreamUnreachable'),
    'given up': failing('canceled'),
  };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (limit, steps) => {
      const { breaker, pass } = make(limit);
      let now = 0;
      let inRow = 0;
      let opened: number | undefined;
      for (const what of steps) {
        if (typeof what === 'number') {
          pass(what);
          now += what;
          continue;
        }
        const shut = opened !== undefined && now - opened < 1_000;
        let called = false;
        await outcome(breaker, () => {
          called = true;
          return calls[what]() as Promise<string>;
        });
        expect(called).toBe(!shut);
        if (shut || what === 'given up') continue;
        inRow = what === 'down' ? inRow + 1 : 0;
        if (inRow === 0) opened = undefined;
        else if (opened !== undefined || inRow >= limit) opened = now;
        expect(breaker.state).toBe(opened === undefined ? 'closed' : 'open');
      }
    }),
  );
});

it('a circuit breaker never lets more than one call try at a time', async () => {
  const { breaker, pass } = make();
  await open(breaker);
  for (let round = 0; round < 20; round++) {
    pass(1_000);
    let running = 0;
    const all = Array.from({ length: 50 }, () =>
      outcome(breaker, async () => {
        running++;
        await Promise.resolve();
        throw new A2AError('upstreamTimeout');
      }),
    );
    await Promise.all(all);
    expect(running).toBe(1);
  }
});
