import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import type { Task } from '../../src/core/model/a2a.ts';
import type { ListCallsResponse } from '../../src/gen/admin-v1/types.ts';
import { cli, outcomeOf, printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { sharedPostgres } from '../support/postgres.ts';

/** Several processes that serve one gateway: `workers`. */

// A test starts up to seven processes.
vi.setConfig({ testTimeout: paced(180_000) });

const agents = (name: string): string => `agents: { ${name}: { kind: reference } }\n`;

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string;
  readonly file: string;
  /** Log lines and stderr output so far. */
  readonly log: () => string;
}

/** A gateway with two workers on a database of its own. */
async function startWorkers(env = {}): Promise<Served> {
  const folder = newFolder();
  const file = join(folder, 'gateway.yaml');
  const store = await (await sharedPostgres()).migrated();
  const rest = `store: "${store}"\nworkers: 2\n`;
  writeFileSync(file, rest + agents('first'));
  const child = startCli(['serve', '--config', file, '--port', '0'], { env });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const shown = await printed(child, /Ctrl-C/);
  const [, url = '', key = ''] = /Console: (http:\S+)\/console\/#key=(\S+)/.exec(shown) ?? [];
  return { child, url, key, file, log: () => log };
}

/** A request on a connection of its own, so that any worker may get it. */
async function call(url: string, { body, key = '' }: { body?: object; key?: string } = {}) {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': key };
  const sent = request(url, { agent: false, method: body ? 'POST' : 'GET', headers });
  sent.end(body && JSON.stringify(body));
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  sent.on('error', reject);
  sent.on('response', async (res) => resolve({ status: res.statusCode ?? 0, body: await text(res) }));
  return promise;
}

const send = async (url: string, words: string, immediately = false): Promise<Task> => {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: words }] };
  const { status, body } = await call(`${url}/message:send`, {
    body: { message, configuration: { returnImmediately: immediately } },
  });
  expect(status, body).toBe(200);
  return JSON.parse(body).task;
};

/** The worker that answers, of all that live. */
async function replicas({ url, key }: Served): Promise<{ pid: number; isThis: boolean; alive: boolean }[]> {
  const { status, body } = await call(`${url}/admin/v1/replicas`, { key });
  expect(status, body).toBe(200);
  return JSON.parse(body).replicas;
}

const sumOf = (metrics: string, name: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

/** Calls until both workers have answered. */
async function bothAnswer(served: Served): Promise<number[]> {
  const pids = new Set<number>();
  await expect
    .poll(async () => {
      for (const { pid, isThis } of await replicas(served)) if (isThis) pids.add(pid);
      return pids.size;
    })
    .toBe(2);
  return [...pids];
}

it('two processes answer at one port, with one admin key, /metrics, reload and end, and keep the port for themselves', async () => {
  const served = await startWorkers();
  const { child, url, file, log } = served;
  const pids = await bothAnswer(served);
  expect(pids).not.toContain(child.pid);
  expect(await call(`${url}/readyz`)).toMatchObject({ status: 200 });
  const { port } = new URL(url);
  const second = await cli(['serve', '--config', file, '--port', port]);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`port ${port}: the port is in use`)]);

  for (let i = 0; i < 12; i += 1) await send(url, 'slow 1');
  for (let i = 0; i < 3; i += 1) {
    const { body } = await call(`${url}/metrics`);
    expect(sumOf(body, 'a2a_gateway_tasks_started_total')).toBe(12);
    expect(sumOf(body, 'a2a_gateway_gateways')).toBe(2);
    expect(sumOf(body, 'a2a_gateway_build_info')).toBe(1);
    const found = await call(`${url}/admin/v1/calls?operation=SendMessage`, { key: served.key });
    const { calls, missingReplicas } = JSON.parse(found.body) as ListCallsResponse;
    expect([calls?.length, missingReplicas ?? []]).toEqual([12, []]);
  }

  const lines = (message: string): number => log().split(`"msg":"${message}"`).length - 1;
  const config = readFileSync(file, 'utf8');
  writeFileSync(file, config.replace('first', 'second'));
  child.kill('SIGHUP');
  await expect.poll(() => lines('configuration reloaded')).toBe(1);
  for (let i = 0; i < 12; i += 1) {
    expect((await call(`${url}/second/.well-known/agent-card.json`)).status).toBe(200);
    expect((await call(`${url}/first/.well-known/agent-card.json`)).status).toBe(404);
  }
  writeFileSync(file, config.replace('first', 'third'));
  const { status, body } = await call(`${url}/admin/v1/config:reload`, { body: {}, key: served.key });
  expect([status, JSON.parse(body)]).toMatchObject([200, { added: ['third'], removed: ['second'] }]);
  for (let i = 0; i < 12; i += 1) {
    expect((await call(`${url}/third/.well-known/agent-card.json`)).status).toBe(200);
  }
  writeFileSync(file, config.replace('reference', 'nonsense'));
  child.kill('SIGHUP');
  await expect.poll(() => lines('configuration refused; the previous one stays active')).toBe(1);
  expect((await call(`${url}/third/.well-known/agent-card.json`)).status).toBe(200);
  expect(lines('configuration reloaded')).toBe(2);

  const ended = outcomeOf(child);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('a worker that is killed is replaced, waits longer each time, and no task that was acknowledged is lost', async () => {
  const served = await startWorkers();
  const { url, log } = served;
  const [first = 0, other = 0] = await bothAnswer(served);
  let pid = first;
  const lines = (message: string) =>
    log()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line));
  const tasks = await Promise.all(Array.from({ length: 16 }, () => send(url, 'stream 20 50', true)));
  for (const ended of [1, 2]) {
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => lines('a worker has ended; it is started again')).toHaveLength(ended);
    expect((await call(`${url}/readyz`)).status).toBe(503);
    expect((await call(`${url}/healthz`)).status).toBe(200);
    await expect.poll(() => lines('a worker serves again')).toHaveLength(ended);
    await expect.poll(async () => (await call(`${url}/readyz`)).status).toBe(200);
    ({ pid } = lines('a worker serves again').at(-1));
  }
  const restarts = lines('a worker has ended; it is started again');
  expect(restarts.map(({ exit, restartMs }) => [exit, restartMs])).toEqual([
    ['SIGKILL', 250],
    ['SIGKILL', 500],
  ]);
  const pids = await bothAnswer(served);
  expect([pids.includes(first), pids.includes(other)]).toEqual([false, true]);
  const stateOf = async ({ id }: Task) => JSON.parse((await call(`${url}/tasks/${id}`)).body).status.state;
  await expect
    .poll(async () => new Set(await Promise.all(tasks.map(stateOf))))
    .toEqual(new Set(['TASK_STATE_COMPLETED']));
});

it('where the system does not share a port, node:cluster does', async () => {
  const elsewhere = "Object.defineProperty(process, 'platform', { value: 'darwin' })";
  const served = await startWorkers({
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(elsewhere)}`,
  });
  const [pid = 0] = await bothAnswer(served);
  process.kill(pid, 'SIGTERM');
  await expect.poll(served.log).toContain('a worker serves again');
  expect(await bothAnswer(served)).not.toContain(pid);
});

it.each([
  ['memory:', 'memory belongs to one process'],
  ['sqlite:./gateway.db', 'SQLite is written by one process'],
])('%s is refused with the reason', async (store, reason) => {
  for (const workers of ['2', 'auto']) {
    const { code, stderr } = await cli(['serve', '--store', store, '--workers', workers, '--port', '0']);
    expect([code, stderr]).toEqual([
      2,
      `error: --workers: expected 1: ${reason}; for more, set store to postgres://USER:PASSWORD@HOST/DATABASE\n`,
    ]);
  }
});
