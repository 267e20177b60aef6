import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { defaultConfig } from '../../../src/config/index.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Store } from '../../../src/core/ports/store.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { readinessOf } from '../../../src/gateway/http/pages.ts';
import { createStore } from '../../../src/stores/index.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest, freePort, listenOn, serve } from '../../support/peer.ts';

/** Answers of `/readyz` and `/healthz` while a gateway starts, while it serves, and while its database is unavailable. */

/** A store some of whose methods are others. */
function changed(store: Store, over: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, property) {
      const given = over[property as keyof Store];
      if (given) return given;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const inMemory = (): Store => createStore('memory:', { instance: 'readiness', logger: silent });

// biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
const look = async (url: string, path: string): Promise<[status: number, body: any, retryAfter: string | null]> => {
  const answer = await fetch(url + path);
  return [answer.status, await answer.json(), answer.headers.get('retry-after')];
};

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

/** A gateway whose store opens when the test lets it. */
async function starting(whileStarting: boolean) {
  const opening = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const bare = inMemory();
  const open = (): Promise<void> => {
    asked.resolve();
    return opening.promise.then(() => bare.open());
  };
  const port = await freePort();
  const gateway = createGateway({
    listen: { port, whileStarting },
    store: changed(bare, { open }),
    logger: silent,
    agents: { demo: { kind: 'reference' } },
  });
  afterTest(() => gateway.close({ drainMs: 0 }));
  return { gateway, url: `http://localhost:${port}`, asked: asked.promise, finish: opening.resolve };
}

test('connections are refused until a gateway has started, so that balancers go to another replica', async () => {
  const { gateway, url, asked, finish } = await starting(false);
  const listening = gateway.listen();
  await asked;
  await expect(fetch(`${url}/healthz`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  finish();
  expect(await listening).toMatchObject({ url });
  expect((await look(url, '/readyz'))[0]).toBe(200);
});

test('with `whileStarting`, a gateway that starts is alive, and not ready; work is refused until it has started', async () => {
  const { gateway, url, asked, finish } = await starting(true);
  const listening = gateway.listen();
  await asked;
  expect((await look(url, '/healthz'))[0]).toBe(200);
  const [status, body, retryAfter] = await look(url, '/readyz');
  expect([status, retryAfter]).toEqual([503, '1']);
  expect(body).toEqual({
    status: 'not ready',
    reason: 'The gateway is starting',
    checks: { serving: { state: 'failed', since: time, reason: 'The gateway is starting' } },
  });
  expect((await look(url, '/agents'))[0]).toBe(503);
  finish();
  await listening;
  expect((await look(url, '/readyz'))[0]).toBe(200);
  expect((await look(url, '/agents'))[0]).toBe(200);
});

test('a gateway whose port is taken opens nothing', async () => {
  const { port } = new URL(await serve(() => undefined));
  const store = inMemory();
  const open = vi.spyOn(store, 'open');
  const gateway = createGateway(defaultConfig({ port: Number(port), store: 'memory:' }), { logger: silent, store });
  await expect(gateway.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(open).not.toHaveBeenCalled();
});

test('a gateway whose port is taken while it starts closes what it has opened', async () => {
  const { gateway, url, asked, finish } = await starting(false);
  const listening = gateway.listen();
  listening.catch(() => undefined);
  await asked;
  await listenOn(createServer(), Number(new URL(url).port));
  finish();
  await expect(listening).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('a gateway that cannot start releases the port', async () => {
  const away = async (): Promise<void> => {
    throw new A2AError('unavailable', 'The database is away');
  };
  const gateway = createGateway(defaultConfig({ port: 0, store: 'memory:' }), {
    logger: silent,
    store: changed(inMemory(), { open: away }),
  });
  await expect(gateway.listen()).rejects.toThrow('The database is away');
});

test('readiness says which check fails, and since when', async () => {
  let away = false;
  const bare = inMemory();
  const ping = (): Promise<void> =>
    away ? Promise.reject(new A2AError('unavailable', 'The database is away')) : bare.ping();
  const store = changed(bare, { ping });
  const { gateway, url } = await openGateway(defaultConfig({ port: 0, store: 'memory:' }), { store });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const [ready, { checks, ...rest }] = await look(url, '/readyz');
  expect([ready, rest]).toEqual([200, { status: 'ready', store: 'ok', agents: { demo: { state: 'ok' } } }]);
  expect(checks).toEqual({ serving: { state: 'ok', since: time }, store: { state: 'ok', since: time } });
  away = true;
  const [failed, body, retryAfter] = await look(url, '/readyz');
  expect([failed, retryAfter, body.reason]).toEqual([503, '5', 'The database is away']);
  expect(body.checks).toEqual({
    serving: checks.serving,
    store: { state: 'failed', since: time, reason: 'The database is away' },
  });
  expect((await look(url, '/readyz'))[1].checks).toEqual(body.checks);
  expect((await look(url, '/healthz'))[0]).toBe(200);
  away = false;
  expect((await look(url, '/readyz'))[0]).toBe(200);
});

test('with `tolerate`, a gateway whose database is away for a moment stays ready, and says that it is', async () => {
  const bare = inMemory();
  const store = changed(bare, { ping: () => Promise.reject(new A2AError('unavailable', 'The database is away')) });
  const { gateway, url } = await openGateway(defaultConfig({ port: 0, store: 'memory:' }), { store });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const [status, body] = await look(url, '/readyz?tolerate=1h');
  expect([status, body.store, body.checks.store.state]).toEqual([200, 'failed', 'failed']);
  expect((await look(url, '/readyz'))[0]).toBe(503);
  expect((await look(url, '/readyz?tolerate=nonsense'))[0]).toBe(503);
});

test('readiness ends when a check has failed for longer than it tolerates, and at once when the gateway stops', async () => {
  let now = 0;
  let isAway = true;
  let isStopping = false;
  const rejectIf = (fails: boolean) => () => {
    if (fails) throw new A2AError('unavailable', 'It fails');
  };
  const check = readinessOf({ serving: () => rejectIf(isStopping)(), store: () => rejectIf(isAway)() }, () => now);
  const isReady = async (): Promise<boolean> => (await check(30_000)).ready;
  expect(await isReady()).toBe(true);
  now = 29_999;
  expect(await isReady()).toBe(true);
  now = 30_000;
  expect(await isReady()).toBe(false);
  isAway = false;
  expect(await isReady()).toBe(true);
  // A further failure has its own time.
  isAway = true;
  expect(await isReady()).toBe(true);
  isStopping = true;
  expect(await isReady()).toBe(false);
});
