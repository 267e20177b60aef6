/**
 * Installation of an operator: two replicas on PostgreSQL behind a proxy with TLS and a path, with many tasks and all
 * generations.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { connect, type StreamResponse } from '../../src/client/index.ts';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { type Receiver, startReceiver } from '../push/receiver.ts';
import { printed, startCli } from './cli.ts';
import { dialectBindings } from './conversations.ts';
import { openGateway } from './gateway.ts';
import { bytesOf, closedPortUrl, freePort } from './peer.ts';
import { type PostgresServer, query, startPostgres } from './postgres.ts';
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts';

/** Callers with the settings of their keys. The key of each is `key-of-NAME`. */
const callers = {
  operator: 'scopes: [admin, tasks]',
  alice: 'scopes: [tasks]',
  bob: 'scopes: [tasks]',
  carol: 'scopes: [tasks]',
  /** May call one agent alone. */
  clerk: 'scopes: [tasks], agents: [shop]',
  crawler: 'scopes: [tasks]',
} as const;

export type CallerName = keyof typeof callers;

export const keyOf = (name: CallerName): string => `key-of-${name}`;

/** Number of tasks and events that are stored before the first call. */
const stored = { tasks: 2_000, eventsOfEach: 5 } as const;

export interface Operated extends AsyncDisposable {
  readonly proxy: TlsProxy;
  readonly postgres: PostgresServer;
  /** Addresses of the replicas themselves. */
  readonly replicas: readonly [string, string];
  readonly receiver: Receiver;
  /** Address of a gateway with the reference agent. */
  readonly far: string;
  kill(replica: number): Promise<void>;
  /** Starts a replica again that was killed, or after it has ended as it does for a new version. */
  restart(replica: number): Promise<void>;
  /** Lets so many milliseconds pass for all replicas and the database, as if they had gone on meanwhile. */
  later(ms: number): Promise<void>;
  /** Sends a text to an agent by turns over both replicas. */
  send(agent: string, text: string, options?: SendOptions): Promise<Sent>;
}

export interface OperatedOptions {
  /** Whether there are no tasks yet. */
  readonly isNew?: boolean;
  /** Further agents, then further sections of the configuration. */
  readonly more?: string;
}

export interface SendOptions {
  readonly caller?: CallerName;
  /** Of `configuration`. */
  readonly configuration?: object;
  readonly part?: object;
}

export interface Sent {
  readonly status: number;
  readonly requestId: string;
  readonly task: { readonly id: string; readonly contextId: string; readonly status?: { readonly state: string } };
}

/** Starts it all, and makes the traffic. */
export async function startOperated({ isNew = false, more = '' }: OperatedOptions = {}): Promise<Operated> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-operator-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const postgres = await startPostgres();
    closers.push(() => postgres.stop());
    const store = await postgres.migrated();
    if (!isNew) await seed(store);
    const upstream = await startUpstream();
    closers.push(upstream.close);
    const receiver = await startReceiver(() => 410);
    closers.push(() => receiver.close());
    const ports = [await freePort(), await freePort()] as const;
    const carrier = await closedPortUrl();
    const proxy = await startTlsProxy(folder, ports);
    closers.push(() => proxy.close());
    const configs = ports.map((port) =>
      configOf({ port, store, publicUrl: proxy.url, courier: upstream.url, carrier, more }),
    );
    const replicas = await startReplicas({ folder, ports, configs, store });
    closers.push(replicas.close);
    const urls = ports.map((port) => `http://127.0.0.1:${port}`) as unknown as readonly [string, string];
    const { kill, restart, later } = replicas;
    const send = senderTo(urls);
    const operated = { proxy, postgres, replicas: urls, receiver, far: upstream.far, kill, restart, later, send };
    if (!isNew) await callInAllGenerations(proxy, urls);
    return { ...operated, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface ReplicasOptions {
  readonly folder: string;
  readonly ports: readonly number[];
  readonly configs: readonly string[];
  /** URL of their database. */
  readonly store: string;
}

/** Starts the replicas as processes whose clocks can be set ahead. */
async function startReplicas({ folder, ports, configs, store }: ReplicasOptions) {
  const clock = join(folder, 'clock-ahead');
  writeFileSync(clock, '0');
  await makeClock(store);
  const children: ChildProcess[] = [];
  const start = async (at: number): Promise<void> => {
    const file = join(folder, `replica-${at}.yaml`);
    writeFileSync(file, configs[at] ?? '');
    const env = { NODE_OPTIONS: `--import ${clockAhead}`, CLOCK_AHEAD: clock };
    const child = startCli(['serve', '--config', file], { lasting: true, cwd: folder, env });
    children[at] = child;
    await printed(child, /Console: /);
    while (!(await fetch(`http://127.0.0.1:${ports[at]}/readyz`).catch(() => undefined))?.ok) await sleep(50);
  };
  const running = (): ChildProcess[] =>
    children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const end = async (child: ChildProcess | undefined, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (!child || !running().includes(child)) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  await Promise.all(ports.map((_, at) => start(at)));
  return {
    kill: (at: number) => end(children[at], 'SIGKILL'),
    async restart(at: number) {
      await end(children[at], 'SIGTERM');
      await start(at);
    },
    async later(ms: number) {
      await setClockAhead(
        store,
        ms,
        running().map(({ pid = 0 }) => pid),
      );
      writeFileSync(clock, String(Number(readFileSync(clock, 'utf8')) + ms));
      const shifted = running().map((child) => printed(child, /ms ahead/));
      for (const child of running()) child.kill('SIGUSR2');
      await Promise.all(shifted);
    },
    close: () => Promise.all(children.map((child) => end(child, 'SIGKILL'))),
  };
}

const clockAhead = new URL('clock-ahead.ts', import.meta.url).href;

/** Gives a database a clock of its own, which connections find before the server's. */
async function makeClock(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const text of [
    'create schema ahead',
    'create table ahead.clock as select 0::double precision as ms',
    `create function ahead.clock_timestamp() returns timestamptz language sql volatile as $$
       select pg_catalog.clock_timestamp() + (select ms from ahead.clock) * interval '1 millisecond' $$`,
    `alter database ${name} set search_path = public, ahead, pg_catalog`,
  ]) {
    await query(url, text);
  }
}

/** Sets the clock of a database ahead. Processes that run write heartbeats each two seconds: these are of the new time at once. */
const setClockAhead = (url: string, ms: number, pids: readonly number[]): Promise<unknown> =>
  query(
    url,
    `begin; lock table gateway in exclusive mode; update ahead.clock set ms = ms + ${ms};
     update gateway set heartbeat = heartbeat + ${ms} where pid in (${pids.join()}); commit`,
  );

const shop = fileURLToPath(new URL('agents/shop-agent.ts', import.meta.url));

interface ReplicaConfig {
  readonly port: number;
  readonly store: string;
  readonly publicUrl: string;
  /** URL of an agent that answers, and of one that refuses connections. */
  readonly courier: string;
  readonly carrier: string;
  readonly more: string;
}

function configOf(of: ReplicaConfig): string {
  const keys = Object.entries(callers).map(
    ([name, settings]) => `
    - { name: ${name}, hash: "${shownHash(hashOf(`key-of-${name}`))}", ${settings} }`,
  );
  return `
listen: { host: 127.0.0.1, port: ${of.port}, publicUrl: "${of.publicUrl}" }
store: "${of.store}"
fullText: true
preview: [a2a-1.1]
auth:
  anonymous: false
  apiKeys:${keys.join('')}
outbound: { allow: [127.0.0.0/8] }
agents:
  archive: { kind: reference }
  shop: { kind: module, path: ${JSON.stringify(shop)} }
  courier: { kind: upstream, url: "${of.courier}/demo/as/agentvault-0.2", dialect: agentvault-0.2, transport: jsonrpc }
  carrier: { kind: upstream, url: "${of.carrier}", dialect: a2a-0.3, transport: jsonrpc }
${of.more}`;
}

/** An agent behind an HTTP server. */
async function startUpstream() {
  let target = '';
  const server = createServer(async (req, res) => {
    const sent = await bytesOf(req);
    const { 'content-type': type = '', accept = '' } = req.headers;
    const answer = await fetch(`${target}${req.url}`, {
      method: req.method ?? 'GET',
      headers: { 'content-type': type, accept },
      ...(sent.length > 0 && { body: sent }),
    });
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    return res.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const far = await openGateway(
    `listen: { host: 127.0.0.1, port: 0, publicUrl: "${url}" }\nagents: { demo: { kind: reference } }`,
  );
  target = `http://127.0.0.1:${far.port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await far.close();
  };
  return { url, far: far.url, close };
}

function senderTo(replicas: readonly [string, string]): Operated['send'] {
  let turn = 0;
  return async (agent, text, { caller = 'alice', configuration, part } = {}) => {
    turn += 1;
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part ?? { text }] };
    const response = await fetch(`${replicas[turn % 2]}/${agent}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keyOf(caller) },
      body: JSON.stringify({ message, ...(configuration && { configuration }) }),
    });
    const body = (await response.json()) as { readonly task?: Sent['task'] };
    const { status, headers } = response;
    return { status, requestId: headers.get('x-request-id') ?? '', task: body.task ?? { id: '', contextId: '' } };
  };
}

/**
 * Each generation over JSON-RPC and HTTP+JSON through the proxy, and the latest over gRPC and Connect, which have no path, past
 * it: a task that ends well, and one that fails.
 */
async function callInAllGenerations(proxy: TlsProxy, [replica]: readonly [string, string]): Promise<void> {
  for (const { as, via } of dialectBindings) {
    const passes = via === 'jsonrpc' || via === 'rest';
    if (!passes && as !== 'a2a-1.0') continue;
    const tls = { ca: proxy.ca };
    const target = `${passes ? proxy.url : replica}/archive/as/${as}`;
    const client = await connect(target, { as, via, tls, apiKey: keyOf('alice'), direct: true });
    await client.send(`say hello in ${as}`);
    await client.send('fail');
    await client.close();
  }
}

/** Writes tasks as if they had ended within the last days, a tenth of them in the last hour. */
async function seed(url: string): Promise<void> {
  const store = createStore(url, { instance: 'seed' });
  await store.open();
  const [now, minute, hour] = [Date.now(), 60_000, 3_600_000];
  const write = async (at: number): Promise<void> => {
    const isRecent = at % 10 === 0;
    const from = isRecent ? now - hour + minute : now - 48 * hour;
    const time = from + (at / stored.tasks) * (isRecent ? hour - 2 * minute : 46 * hour);
    const owner = { agent: 'archive', tenant: '', principal: at % 4 === 0 ? 'key:bob' : 'key:alice' };
    const writer = new TaskWriter({ owner, now: () => time, contextId: `context-${at % 200}` });
    const { id: taskId, contextId } = writer;
    const message = (role: 'ROLE_USER' | 'ROLE_AGENT', text: string) => ({
      messageId: `${role}-${taskId}`,
      role,
      parts: [{ text }],
    });
    const status = (state: 'WORKING' | 'FAILED' | 'COMPLETED', text: string): StreamResponse => ({
      statusUpdate: {
        taskId,
        contextId,
        status: { state: `TASK_STATE_${state}`, message: message('ROLE_AGENT', text) },
      },
    });
    const asked = [message('ROLE_USER', `file box ${at} of the year ${1900 + (at % 100)}`)];
    const hasFailed = at % 5 === 0;
    const events: readonly StreamResponse[] = [
      { task: { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' }, history: asked } },
      status('WORKING', 'looking for the shelf'),
      writer.chunkEvent(`shelf ${at % 300}`),
      writer.chunkEvent(`, row ${at % 40}`),
      hasFailed ? status('FAILED', `shelf ${100_000 + at} is full`) : status('COMPLETED', 'filed'),
    ];
    await store.append(writer.next(...events));
  };
  try {
    for (let at = 0; at < stored.tasks; at += 1_000) {
      await Promise.all(Array.from({ length: 1_000 }, (_, by) => write(at + by)));
    }
  } finally {
    await store.close();
  }
  // Words are indexed from now on: those of so many tasks would take minutes, since indexing is slow on purpose.
  const position = JSON.stringify({ at: now, key: '' });
  await query(url, "insert into meta (name, value) values ('full text position', $1)", [position]);
}

/** Most clicks that an answer may take from the first page. */
const mostClicks = 3;

/** An operator who begins at the first page. Typing costs no click; the confirmation of an action is counted separately. */
export class Operator {
  #clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Clicks since the first page. */
  get clicks(): number {
    return this.#clicks;
  }

  /** Goes to the first page, and counts from there. */
  async begin(): Promise<void> {
    await this.page.evaluate("location.hash = '#/'");
    await this.page.getByRole('table', { name: 'Agents' }).getByRole('link').first().waitFor();
    this.#clicks = 0;
  }

  /** Clicks, which must still be within the bound. */
  async click(target: Locator, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    this.#clicks += 1;
    expect(this.#clicks, `clicks until ${target}`).toBeLessThanOrEqual(mostClicks);
    await target.first().click(options);
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name }));
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: true }));
  }

  /** Answers the question of a dialog. */
  async confirm(name: string): Promise<void> {
    await this.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  }

  /** Types into the search of every page, and Enter. */
  async find(text: string): Promise<void> {
    const field = this.page.getByRole('searchbox', { name: 'Find tasks, agents and calls' });
    await field.fill(text);
    await field.press('Enter');
  }

  /** Rows of a table or list below its head. */
  rows(text: string | RegExp = ''): Locator {
    return this.page.getByRole('row').filter({ hasText: text });
  }
}
