import { createServer as createTcpServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MemoryBudget } from '../../src/core/limits/memory-budget.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { openStore } from '../support/core.ts';
import { afterTest, closedPortUrl, freePort, listenOn } from '../support/peer.ts';
import { startPushBench } from './bench.ts';
import { type Notification, startReceiver } from './receiver.ts';

/** Chunks that came, in their order. */
const texts = (got: readonly Notification[]): string[] =>
  got.flatMap(({ body }) => body.artifactUpdate?.artifact.parts.map(({ text }: { text: string }) => text) ?? []);

const ended = (got: readonly Notification[]): boolean =>
  got.some(({ body }) => body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED');

/** Resolves when it holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('what a receiver refuses is tried again, and nothing overtakes it', async () => {
  const refused = new Map<string, number>();
  const hook = await startReceiver(({ body }) => {
    const event = JSON.stringify(body);
    const times = refused.get(event) ?? 0;
    refused.set(event, times + 1);
    return times < 2 ? ([500, 404, 302, 429][refused.size % 4] ?? 500) : 200;
  });
  const { store, task: start } = await startPushBench();
  const task = await start(hook.url);
  for (let i = 0; i < 5; i += 1) await store.append(task.chunk(`${i}`));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  const got = await hook.until((all) => all.length === 3 * 7);
  expect(texts(got)).toEqual(['0', '0', '0', '1', '1', '1', '2', '2', '2', '3', '3', '3', '4', '4', '4']);
});

/** A store whose next reads of events fail. */
async function failingStore() {
  const opened = await openStore();
  const failing = { reads: 1 };
  const store = new Proxy(opened, {
    get(target, name) {
      if (name !== 'events' || failing.reads === 0) return Reflect.get(target, name);
      failing.reads -= 1;
      return () => Promise.reject(new A2AError('unavailable', 'the connection broke'));
    },
  });
  return { store, failing };
}

it('a delivery whose events could not be read once is taken up again', async () => {
  const hook = await startReceiver();
  const { store, failing } = await failingStore();
  const { task: start } = await startPushBench({ store });
  const task = await start(hook.url);
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until(ended);
  expect(failing.reads).toBe(0);
});

it('a delivery that fails while others are given back is taken up again', async () => {
  const hook = await startReceiver();
  const opened = await openStore();
  const releasing = Promise.withResolvers<void>();
  const broken = () => Promise.reject(new A2AError('unavailable', 'the connection broke'));
  const reads = [broken, () => releasing.promise.then(broken)];
  const isIdle = (): boolean => deliverer.stats().held === 0;
  const release: typeof opened.releaseDeliveries = async (isHeld) => {
    await opened.releaseDeliveries(isHeld);
    releasing.resolve();
    await until(isIdle);
  };
  const store = new Proxy(opened, {
    get(target, name) {
      if (name === 'releaseDeliveries') return release;
      return (name === 'events' && reads.shift()) || Reflect.get(target, name);
    },
  });
  const { task: start, deliverer } = await startPushBench({ store });
  const tasks = [await start(hook.url), await start(hook.url)];
  for (const task of tasks) await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until((all) => all.filter((one) => ended([one])).length === 2);
});

it('a claim that the store carries out long after its answer was given up is given back', async () => {
  const hook = await startReceiver();
  const opened = await openStore();
  const late: (() => Promise<unknown>)[] = [];
  const claim: typeof opened.claimDeliveries = async (query) => {
    if (query.of !== 'left' || late.length > 0) return opened.claimDeliveries(query);
    late.push(() => opened.claimDeliveries(query));
    throw new A2AError('unavailable', 'the store does not answer');
  };
  const release: typeof opened.releaseDeliveries = async (isHeld) => {
    await opened.releaseDeliveries(isHeld);
    await late.pop()?.();
    late.push(async () => undefined);
  };
  const store = new Proxy(opened, {
    get(target, name) {
      if (name === 'claimDeliveries') return claim;
      return name === 'releaseDeliveries' ? release : Reflect.get(target, name);
    },
  });
  const task = new TaskWriter();
  await opened.append(task.create('TASK_STATE_WORKING'));
  await opened.putPushConfig(task.key, { id: '0', taskId: task.id, url: hook.url }, 'a2a-1.0', { after: 0 });
  await startPushBench({ store });
  await hook.until((all) => all.length === 1);
});

it('one scan that the store answers late keeps the next one back for a minute at most', async () => {
  const opened = await openStore();
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const again = Promise.withResolvers<void>();
  let scans = 0;
  const claim: typeof opened.claimDeliveries = async (query) => {
    const claimed = await opened.claimDeliveries(query);
    if (query.of !== 'left') return claimed;
    scans += 1;
    if (scans === 2) again.resolve();
    else now += 20_000;
    return claimed;
  };
  const store = new Proxy(opened, {
    get: (target, name) => (name === 'claimDeliveries' ? claim : Reflect.get(target, name)),
  });
  const { deliverer } = await startPushBench({ store });
  await until(() => scans === 1);
  now += 60_001;
  await again.promise;
  await deliverer.close();
});

it('deliveries go on when the clock of the machine is set back', async () => {
  const hook = await startReceiver();
  const { store, failing } = await failingStore();
  failing.reads = 0;
  const { task: start, deliverer } = await startPushBench({ store });
  await start(hook.url);
  await hook.until((all) => all.length === 1);
  await until(() => deliverer.stats().held === 0);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  failing.reads = 1;
  const later = await start(hook.url);
  await store.append(later.status('TASK_STATE_COMPLETED'));
  await hook.until(ended);
});

it('a receiver that says when it is back is left alone until then', async () => {
  const times: number[] = [];
  const hook = await startReceiver(() => {
    times.push(Date.now());
    return times.length > 1 ? 200 : (_, res) => res.writeHead(503, { 'retry-after': '1' }).end();
  });
  const { task } = await startPushBench();
  await task(hook.url);
  await hook.until((all) => all.length === 2);
  // Timers of Node may be early by a millisecond.
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(998);
});

it('a receiver that is gone gets nothing more, until its configuration is replaced', async () => {
  const gone = await startReceiver(() => 410);
  const next = await startReceiver();
  const { store, task: start, audited, deliverer } = await startPushBench();
  const task = await start(`${gone.url}/path`);
  await until(() => audited.length === 1);
  await store.append(task.chunk('a'));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  const reason = 'the receiver is gone (HTTP 410)';
  expect(audited).toEqual([{ event: 'push.dead', reason, principal: 'alice', agent: 'demo', target: gone.url }]);
  expect(deliverer.stats()).toMatchObject({ delivered: 0, failed: 1, dead: 1 });

  await store.putPushConfig(task.key, { id: '0', taskId: task.id, url: next.url }, 'a2a-1.0');
  const got = await next.until(ended);
  expect(got.map(({ body }) => Object.keys(body)[0])).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  expect(gone.got).toHaveLength(1);
});

it('a growing artifact is delivered to AgentVault as a whole when its agent falls silent, and after a restart', async () => {
  const store = await openStore();
  const hook = await startReceiver();
  const options = { store, dialectName: 'agentvault-0.2' };
  const first = await startPushBench(options);
  const task = await first.task(hook.url);
  const contents = (got: readonly Notification[]): string[] =>
    got.flatMap(({ body }) => (body.event === 'task_artifact' ? [body.artifact.content] : []));
  for (const text of ['a', 'b', 'c']) await store.append(task.chunk(text));
  const got = await hook.until((all) => contents(all).includes('abc'));
  expect([got[0]?.body.event, got[0]?.body.state, contents(got)[0]]).toEqual(['task_status', 'WORKING', 'a']);
  await first.close();

  await store.append(task.chunk('d'));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await startPushBench(options);
  const all = await hook.until((seen) => seen.some(({ body }) => body.state === 'COMPLETED'));
  expect(contents(all).at(-1)).toBe('abcd');
});

it('an event that is too old is given up, and the next one is tried', async () => {
  const hook = await startReceiver(({ body }) => (body.artifactUpdate ? 500 : 200));
  const { store, task: start, audited } = await startPushBench({ maxAge: 100 });
  const task = await start(hook.url);
  await store.append(task.chunk('a'));
  await store.append(task.chunk('b'));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until(ended);
  expect(audited.map(({ reason }) => reason)).toEqual(['HTTP 500', 'HTTP 500']);
  expect(new Set(texts(hook.got))).toEqual(new Set(['a', 'b']));
});

it('deliveries to an unreachable receiver are given up together when they are too old', async () => {
  const {
    store,
    task: start,
    audited,
    deliverer,
  } = await startPushBench({ maxAge: 50, queues: { pause: { base: 5, cap: 5 } } });
  const task = await start(await closedPortUrl());
  await store.append(task.next(...Array.from({ length: 99 }, (_, i) => task.chunkEvent(`${i}`))));
  await until(() => deliverer.stats().dead === 100);
  expect(audited.length).toBeLessThan(50);
  expect(audited[0]?.reason).toBe('connection refused');
});

it('a URL that is not allowed is not called, and not tried again', async () => {
  const { task, audited } = await startPushBench();
  await task('http://169.254.169.254/latest/meta-data?secret');
  await until(() => audited.length === 1);
  expect(audited[0]).toMatchObject({ event: 'push.dead', target: 'http://169.254.169.254' });
  expect(JSON.stringify(audited)).not.toMatch(/latest|secret/);
});

it('credentials that cannot stand in a header stop the configuration, not the gateway', async () => {
  const hook = await startReceiver();
  const { store, task: start, audited } = await startPushBench();
  const task = await start();
  const config = { id: 'p', taskId: task.id, url: hook.url, token: 'a\r\nx-evil: 1' };
  await store.putPushConfig(task.key, config, 'a2a-1.0', { after: 0 });
  await until(() => audited.length === 1);
  expect(hook.got).toEqual([]);
});

it('receivers that never answer delay no other', async () => {
  const silentOnes = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const server = createTcpServer(() => undefined);
      const { origin } = await listenOn(server);
      afterTest(async () => server.close());
      return `${origin}/`;
    }),
  );
  const hook = await startReceiver();
  // So few slots that the silent ones take them all but those that are kept for others.
  const queues = { perReceiver: 2, slots: { proven: 2, new: 5, silent: 5 }, held: 4 };
  const { store, task: start, deliverer } = await startPushBench({ queues });
  await start(hook.url);
  await until(() => deliverer.stats().delivered === 1);
  for (const url of silentOnes) for (let i = 0; i < 6; i += 1) await start(url);
  const tasks = await Promise.all(Array.from({ length: 30 }, () => start(hook.url)));
  for (const task of tasks) await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until((all) => all.length === 61);
  expect(deliverer.stats()).toMatchObject({ failed: 0, receivers: 6 });
});

it('a path that does not answer delays its owner, and not another owner with a webhook at the same origin', async () => {
  const hook = await startReceiver(({ path }) => (path === '/hangs' ? () => undefined : 200));
  const { store, task: start, taskOf, deliverer } = await startPushBench();
  // The origin is proven for both owners before one of its paths hangs.
  await start(`${hook.url}/well`);
  await taskOf('bob', `${hook.url}/well`);
  await until(() => deliverer.stats().delivered === 2);
  await Promise.all(Array.from({ length: 100 }, () => start(`${hook.url}/hangs`)));
  // One owner has at most half of the attempts to an origin.
  const hanging = () => hook.got.filter(({ path }) => path === '/hangs');
  await until(() => hanging().length === 4);
  const tasks = await Promise.all(Array.from({ length: 20 }, () => taskOf('bob', `${hook.url}/well`)));
  for (const task of tasks) await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until((all) => all.filter(({ path }) => path === '/well').length === 42);
  expect(hanging()).toHaveLength(4);
  expect(deliverer.stats().failed).toBe(0);
});

it('a silent path of one owner leaves the origin healthy for another owner', async () => {
  const hook = await startReceiver(({ path }) => (path === '/hangs' ? () => undefined : 200));
  // The silent owner is called again after the test only.
  const queues = { pause: { base: 600_000, cap: 600_000 } };
  const { store, task: start, taskOf, deliverer } = await startPushBench({ timeout: 2_000, queues });
  await Promise.all(Array.from({ length: 10 }, () => start(`${hook.url}/hangs`)));
  await until(() => deliverer.stats().silent === 1);
  const task = await taskOf('bob', `${hook.url}/well`);
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until((all) => all.filter(({ path }) => path === '/well').length === 2);
  await until(() => deliverer.stats().delivered === 2);
  expect(deliverer.stats()).toMatchObject({ receivers: 1, silent: 1 });
});

it('a host gets no more notifications than the bound says, and all of them in the end', async () => {
  const one = await startReceiver();
  const other = await startReceiver();
  let perMinute: number | undefined = 3;
  // Two receivers of one host.
  const queues = { pause: { base: 10, cap: 20 } };
  const {
    store,
    task: start,
    deliverer,
  } = await startPushBench({
    queues,
    get perMinute() {
      return perMinute;
    },
  });
  const tasks = await Promise.all([one, other, one, other].map(({ url }) => start(url)));
  await until(() => deliverer.stats().delivered === 3 && deliverer.stats().held === 0);
  for (const task of tasks) await store.append(task.status('TASK_STATE_COMPLETED'));
  expect(deliverer.stats()).toMatchObject({ delivered: 3, failed: 0 });
  perMinute = undefined;
  const all = await Promise.all([one, other].map((hook) => hook.until((got) => got.length === 4)));
  expect(all.map((got) => got.filter((each) => ended([each])).length)).toEqual([2, 2]);
  await until(() => deliverer.stats().delivered === 8);
  expect(deliverer.stats().failed).toBe(0);
});

it('an unreachable receiver is called less and less often, and gets every event when it is back', async () => {
  const port = await freePort();
  const { store, task: start, deliverer } = await startPushBench({ queues: { pause: { base: 10, cap: 50 } } });
  const tasks = await Promise.all(Array.from({ length: 20 }, () => start(`http://127.0.0.1:${port}`)));
  await until(() => deliverer.stats().failed > 3);
  expect(deliverer.stats().silent).toBe(1);
  for (const task of tasks) await store.append(task.status('TASK_STATE_COMPLETED'));
  const again = await startReceiver(undefined, port);
  const got = await again.until((all) => all.length === 40);
  expect(new Set(got.map(({ body }) => (body.task ?? body.statusUpdate).id ?? body.statusUpdate.taskId)).size).toBe(20);
});

it('closing lets attempts under way finish, begins none, and loses nothing', async () => {
  const store = await openStore();
  let answer: (() => void) | undefined;
  const hook = await startReceiver((_, before) =>
    before > 0
      ? 200
      : (_req, res) => {
          answer = () => res.writeHead(200).end();
        },
  );
  const first = await startPushBench({ store });
  const task = await first.task(hook.url);
  await store.append(task.chunk('a'));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until((all) => all.length === 1);
  const closed = first.deliverer.close(60_000);
  answer?.();
  await closed;
  expect(hook.got).toHaveLength(1);
  expect(first.deliverer.stats().held).toBe(0);
  await startPushBench({ store });
  const got = await hook.until(ended);
  expect(got).toHaveLength(3);
});

it('closing does not wait long for a receiver that hangs', async () => {
  const hook = await startReceiver(() => () => undefined);
  const { task, deliverer } = await startPushBench();
  await task(hook.url);
  await hook.until((all) => all.length === 1);
  await deliverer.close(10);
  expect(deliverer.stats()).toMatchObject({ held: 0, delivered: 0, failed: 0 });
});

it('replacing a configuration continues with the new URL', async () => {
  let answer: (() => void) | undefined;
  const former = await startReceiver(() => (_, res) => {
    answer = () => res.writeHead(200).end();
  });
  const next = await startReceiver();
  const { store, task: start } = await startPushBench();
  const task = await start(former.url);
  await store.append(task.chunk('a'));
  await former.until((all) => all.length === 1);
  await store.putPushConfig(task.key, { id: '0', taskId: task.id, url: next.url }, 'a2a-1.0');
  answer?.();
  await store.append(task.status('TASK_STATE_COMPLETED'));
  const got = await next.until(ended);
  expect(texts(got)).toEqual(['a']);
  expect(former.got).toHaveLength(1);
});

it('connections are used again', async () => {
  const ports = new Set<number>();
  const hook = await startReceiver(() => (req, res) => {
    ports.add(req.socket.remotePort ?? 0);
    res.writeHead(200).end('thanks');
  });
  const { store, task: start } = await startPushBench();
  const task = await start(hook.url);
  for (let i = 0; i < 20; i += 1) await store.append(task.chunk(`${i}`));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await hook.until(ended);
  expect(ports.size).toBe(1);
});

const mebibyte = 1_048_576;
const wholeTasks = { dialectName: 'a2a-0.3' } as const;

it('a whole task is delivered once there is memory for it, and the memory is given back', async () => {
  const budget = new MemoryBudget(4 * mebibyte);
  const hook = await startReceiver();
  const { store, task: start, deliverer } = await startPushBench({ ...wholeTasks, budget });
  budget.count(undefined, 3 * mebibyte);
  const large = await start(hook.url);
  await store.append(large.chunk('x'.repeat(2 * mebibyte)));
  await store.append(large.status('TASK_STATE_COMPLETED'));
  const little = await start(`${hook.url}/little`);
  await store.append(little.status('TASK_STATE_COMPLETED'));
  const isWhole = ({ path, body }: Notification): boolean => path === '/' && body.artifacts?.length > 0;
  await hook.until((all) => all.some(({ path, body }) => path === '/little' && body.status.state === 'completed'));
  await until(() => deliverer.stats().held === 0);
  expect(hook.got.some(isWhole)).toBe(false);
  expect(budget.total).toBe(3 * mebibyte);
  budget.count(undefined, -3 * mebibyte);
  await hook.until((all) => all.some((one) => isWhole(one) && one.body.status.state === 'completed'));
  await until(() => deliverer.stats().held === 0);
  expect([budget.total, deliverer.stats().dead]).toEqual([0, 0]);
});

it('a task that is larger than any notification becomes a dead letter that says so', async () => {
  const budget = new MemoryBudget(mebibyte);
  const hook = await startReceiver();
  const { store, task: start, deliverer, audited } = await startPushBench({ ...wholeTasks, budget });
  const task = await start(hook.url);
  await store.append(task.chunk('x'.repeat(2 * mebibyte)));
  await store.append(task.status('TASK_STATE_COMPLETED'));
  await until(() => deliverer.stats().held === 0 && audited.length > 0);
  expect(audited.at(-1)?.reason).toMatch(/^the task has 2\d+ bytes, and the largest notification .* has 1048576 \(/);
  expect(hook.got.some(({ body }) => body.artifacts)).toBe(false);
  expect(budget.total).toBe(0);
});
