import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createStore, openPushAdmin } from '../../src/stores/index.ts';
import { inProcess } from '../support/cli.ts';
import { type SharedPostgres, sharedPostgres } from '../support/postgres.ts';
import { startPushBench } from './bench.ts';
import { startReceiver } from './receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-push-'));
let server: SharedPostgres;
beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

let count = 0;
const places: Record<string, () => Promise<string>> = {
  SQLite: async () => {
    count += 1;
    return `sqlite:${join(folder, `${count}.db`)}`;
  },
  PostgreSQL: () => server.database(),
};

describe.each(Object.keys(places))('push notifications that do not arrive (%s)', (name) => {
  it('are seen, and tried again, while a gateway is running', async () => {
    const url = await (places[name] as () => Promise<string>)();
    const store = createStore(url, { instance: 'test' });
    await store.open();
    open.push(store);
    let broken = true;
    const hook = await startReceiver(() => (broken ? 500 : 200));
    open.push(hook);
    // The second event is young enough to wait.
    const bench = await startPushBench({ store, maxAge: 200, backoff: { base: 1_000_000, cap: 1_000_000 } });
    open.push(bench);
    const task = await bench.task(`${hook.url}/path?secret`);
    while (bench.deliverer.stats().dead === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const desk = await openPushAdmin(url);
    open.push(desk);
    const [dead, ...others] = await desk.list(10);
    expect(others).toEqual([]);
    expect(dead).toMatchObject({
      state: 'dead',
      taskId: task.id,
      configId: '0',
      agent: 'demo',
      principal: 'alice',
      receiver: hook.url,
      first: 1,
      last: 1,
      reason: 'HTTP 500',
    });
    await store.append(task.chunk('a'));
    await store.append(task.status('TASK_STATE_COMPLETED'));
    expect(await desk.retry('unknown')).toBe(0);
    broken = false;
    expect(await desk.retry(task.id)).toBe(1);
    const got = await hook.until((all) => all.length >= 4);
    expect(got.slice(-3).map(({ body }) => Object.keys(body)[0])).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    while (bench.deliverer.stats().held > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await desk.list(10)).toEqual([]);
    expect(await desk.retry()).toBe(0);
  });
});

describe('a2a-gateway push', () => {
  it('lists and retries', async () => {
    const url = await (places.SQLite as () => Promise<string>)();
    const store = createStore(url, { instance: 'test' });
    await store.open();
    open.push(store);
    const hook = await startReceiver(() => 410);
    open.push(hook);
    const bench = await startPushBench({ store });
    open.push(bench);
    const task = await bench.task(hook.url);
    while (bench.deliverer.stats().dead === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const listed = await inProcess(['push', 'list', '--store', url]);
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain(
      `task ${task.id} of demo, configuration 0\n  ${hook.url}: event 1 dead letter since 20`,
    );
    expect(listed.stdout).toContain('the receiver is gone (HTTP 410)');
    const json = await inProcess(['push', 'list', '--store', url, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([{ state: 'dead', taskId: task.id }]);
    const retried = await inProcess(['push', 'retry', task.id, '--store', url]);
    expect(retried.stdout).toBe('Retrying 1 webhook.\n');
    await hook.until((all) => all.length === 2);
  });

  it.each([
    ['memory:', 'a memory: store exists only inside its gateway process'],
    [`sqlite:${join(folder, 'none.db')}`, 'the file does not exist'],
  ])('says why it cannot open %s', async (url, reason) => {
    const { code, stderr } = await inProcess(['push', 'list', '--store', url]);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
  });
});
