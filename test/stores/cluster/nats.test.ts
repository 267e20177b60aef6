import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/core/ports/store.ts';
import { addressOf } from '../../../src/stores/cluster/channel.ts';
import { openNats, readNatsUrl } from '../../../src/stores/cluster/nats.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { type NatsServer, natsServer, startNats } from '../../support/nats.ts';
import { paced } from '../../support/pace.ts';
import { afterTest } from '../../support/peer.ts';
import { hear, type ReceivedNotifications, storesOnPostgres } from '../../support/peers.ts';
import { query } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';

const database = storesOnPostgres();
const soon = { timeout: paced(20_000), interval: 10 };

it.each([
  ['nats://a', { servers: ['a'] }],
  ['nats://a:4222, nats://b:4223', { servers: ['a:4222', 'b:4223'] }],
  ['tls://[::1]:4222', { servers: ['[::1]:4222'], tls: {} }],
  ['nats://me:p%40ss@a', { servers: ['a'], user: 'me', pass: 'p@ss' }],
  ['nats://t0ken@a,nats://t0ken@b', { servers: ['a', 'b'], token: 't0ken' }],
])('the URL of the notification servers is checked: %s', (text, settings) =>
  expect(readNatsUrl(text)).toEqual(settings),
);

it.each([
  '',
  'a:4222',
  'http://a',
  'nats://',
  'nats://a/b',
  'nats://a?x=s3cret',
  'nats://a,b',
  'nats://me:s3cret@a,nats://b',
])('the URL %s is refused without its secret', (text) => {
  expect(() => readNatsUrl(text)).toThrow(/^expected/);
  expect(() => readNatsUrl(text)).not.toThrow(/s3cret/);
});

it('the servers of notifications say how to write a password that no URL can hold', () => {
  for (const text of ['nats://me:s3c/ret@a', 'nats://me:s3c?ret@a', 'nats://me:s3c#ret@a,nats://b']) {
    expect(() => readNatsUrl(text)).toThrow(/percent-encode special characters in user and password: @ as %40/);
  }
  expect(readNatsUrl('nats://me:50%@a')).toEqual({ servers: ['a'], user: 'me', pass: '50%' });
});

describe.skipIf(natsServer === undefined)('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH)', () => {
  /** Two replicas, and a task of the first that the second one follows. */
  async function pair(server: NatsServer, via = server.url) {
    const stores = await database();
    const warn = vi.fn();
    const logger = { ...silent, warn };
    const one = await stores.open('one', { notifications: server.url, logger });
    const two = await stores.open('two', { notifications: via, logger });
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    const heard = hear(two);
    await vi.waitFor(async () => expect(await two.peers.follow([writer.key])).toEqual([]), soon);
    /** Connections to NATS that were given up. */
    const givenUp = (): number =>
      warn.mock.calls.filter(([, message]) => /^replica notifications/.test(message)).length;
    return { ...stores, one, two, writer, heard, givenUp };
  }

  async function start(flags: readonly string[] = [], login = ''): Promise<NatsServer> {
    const server = await startNats(flags, login);
    afterTest(() => server.kill());
    return server;
  }

  const writeUntilHeard = (store: Store, writer: TaskWriter, { written }: ReceivedNotifications): Promise<void> =>
    vi.waitFor(async () => {
      await store.append(writer.chunk('x'));
      await vi.waitFor(() => expect(written.get(writer.key)).toBe(writer.seq), { timeout: 500, interval: 5 });
    }, soon);

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) hear of writes, and of a replica that leaves, and PostgreSQL neither listens nor notifies', async () => {
    const { url, one, two, writer, heard } = await pair(await start());
    await writeUntilHeard(one, writer, heard);
    const left = vi.fn();
    two.peers.onReplicaLeft(left);
    const name = new URL(url).pathname.slice(1);
    const used = await query(url, 'select query from pg_stat_activity where datname = $1', [name]);
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((row) => /^listen|pg_notify/.test(String(row.query)))).toEqual([]);
    await one.close();
    await vi.waitFor(() => expect(left).toHaveBeenCalled(), soon);
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) write while the server is away, and read everything when it is back', async () => {
    const server = await start();
    const { one, writer, heard } = await pair(server);
    await writeUntilHeard(one, writer, heard);
    await server.kill();
    for (let i = 0; i < 10; i += 1) await one.append(writer.chunk('x'));
    const gaps = heard.lost;
    await server.start();
    await vi.waitFor(() => expect(heard.lost).toBeGreaterThan(gaps), soon);
    await writeUntilHeard(one, writer, heard);
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) write while the server stands still, and read everything when it goes on', async () => {
    const server = await start();
    const { one, writer, heard, givenUp } = await pair(server);
    await writeUntilHeard(one, writer, heard);
    server.freeze();
    for (let i = 0; i < 10; i += 1) await one.append(writer.chunk('x'));
    expect(givenUp()).toBe(0);
    await vi.waitFor(() => expect(givenUp()).toBe(2), soon);
    const gaps = heard.lost;
    server.thaw();
    await vi.waitFor(() => expect(heard.lost).toBeGreaterThan(gaps), soon);
    await writeUntilHeard(one, writer, heard);
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) come back when only one of them is cut off', async () => {
    const server = await start();
    const proxy = await startProxy(server.port);
    afterTest(() => proxy.close());
    const { one, writer, heard, givenUp } = await pair(server, `nats://127.0.0.1:${proxy.port}`);
    await writeUntilHeard(one, writer, heard);
    proxy.mode = 'hole';
    for (let i = 0; i < 10; i += 1) await one.append(writer.chunk('x'));
    await vi.waitFor(() => expect(givenUp()).toBe(1), soon);
    const gaps = heard.lost;
    proxy.mode = 'pass';
    await vi.waitFor(() => expect(heard.lost).toBeGreaterThan(gaps), soon);
    await writeUntilHeard(one, writer, heard);
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) start without the server, and hear when it is there', async () => {
    const server = await start();
    await server.kill();
    const { one, writer, heard } = await pair(server);
    await server.start();
    await writeUntilHeard(one, writer, heard);
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) go on to another server of the list', async () => {
    const [first, second] = [await start(), await start()];
    const { one, writer, heard } = await pair({ ...first, url: `${first.url},${second.url}` });
    // Each replica may have taken either server; without the first one, both are at the second.
    await first.kill();
    await writeUntilHeard(one, writer, heard);
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) are let in by user and password, or by a token', async () => {
    const withUser = await start(['--user', 'me', '--pass', 'p@ss'], 'me:p%40ss@');
    const { one, writer, heard } = await pair(withUser);
    await writeUntilHeard(one, writer, heard);
    const withToken = await start(['--auth', 't0ken'], 't0ken@');
    const options = { secret: 's', instance: 'i', onMessage: () => undefined, onEnd: () => undefined };
    await (await openNats(readNatsUrl(withToken.url), options)).close();
    await expect(openNats(readNatsUrl(withToken.url.replace('t0ken', 'wrong')), options)).rejects.toThrow(
      /Authorization/,
    );
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) drop garbage, forged messages and those of other programs', async () => {
    const server = await start();
    const { url, one, two, writer, heard } = await pair(server);
    const left = vi.fn();
    two.peers.onReplicaLeft(left);
    const [{ value: secret } = {}] = await query(url, "select value from meta where name = 'peers'");
    const [{ instance } = {}] = await query(url, "select instance from gateway where instance like 'two/%'");
    const subject = `a2a.${addressOf(String(secret), String(instance))}`;
    const stranger = await connect({ servers: `127.0.0.1:${server.port}` });
    afterTest(() => stranger.close());
    const forged = '{"from":"one/1","left":true,"written":[["a",9007199254740991]]}';
    const garbage = [
      '',
      'x',
      forged,
      `${'A'.repeat(43)}${forged}`,
      new Uint8Array(1_000_000).fill(0xff),
      new Uint8Array(43),
    ];
    for (const payload of garbage) stranger.publish(subject, payload);
    await stranger.flush();
    // With the right secret, and of no form that a replica sends.
    const known = { secret: String(secret), instance: 'insider', onMessage: () => undefined, onEnd: () => undefined };
    const insider = await openNats(readNatsUrl(server.url), known);
    const forms = [
      'null',
      '[]',
      '{"from":1,"left":true}',
      '{"from":"x","written":7}',
      '{"from":"x","written":[["a","b"]]}',
    ];
    await insider.publish([...forms, `{"from":"${instance}","left":true}`].map((form) => [String(instance), form]));
    await insider.close();
    await writeUntilHeard(one, writer, heard);
    expect([...heard.written.keys()]).toEqual([writer.key]);
    expect(left).not.toHaveBeenCalled();
  });

  it('replicas with NATS (needs nats-server, as NATS_SERVER or in PATH) keep to the limit of the server, and say why nothing arrives where a user may not use the subjects', async () => {
    const folder = newFolder();
    const config = join(folder, 'nats.conf');
    const users = `{ user: good, password: good, permissions: { publish: "a2a.>", subscribe: "a2a.>" } }, { user: deaf, password: deaf, permissions: { publish: "b.>", subscribe: "b.>" } }, { user: mute, password: mute, permissions: { publish: "b.>", subscribe: "a2a.>" } }`;
    await writeFile(config, `max_payload: 2048\nauthorization: { users: [${users}] }`);
    const server = await start(['-c', config]);
    const open = async (user: string) => {
      const onEnd = vi.fn();
      const settings = readNatsUrl(server.url.replace('://', `://${user}:${user}@`));
      const channel = await openNats(settings, { secret: 's', instance: user, onMessage: () => undefined, onEnd });
      afterTest(() => channel.close());
      return { ...channel, onEnd };
    };
    const good = await open('good');
    expect(good.maxBytes).toBe(2_005);
    await good.publish([['good', 'x'.repeat(good.maxBytes)]]);
    const reason = expect.objectContaining({ message: expect.stringMatching(/permissions violation/i) });
    const deaf = await open('deaf').catch(() => undefined);
    if (deaf) await vi.waitFor(() => expect(deaf.onEnd.mock.calls).toEqual([[reason]]), soon);
    const mute = await open('mute');
    await mute.publish([['good', 'x']]).catch(() => undefined);
    await vi.waitFor(() => expect(mute.onEnd.mock.calls).toEqual([[reason]]), soon);
    expect(good.onEnd).not.toHaveBeenCalled();
  });
});
