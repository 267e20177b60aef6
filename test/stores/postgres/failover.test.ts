import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createStore } from '../../../src/stores/index.ts';
import { alice, completed, TaskWriter } from '../../contract/store-fixtures.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';
import { type Standby, startStandby } from '../../support/standby.ts';

/** The server dies, or vanishes from the network, and its standby takes its place. */

let server: PostgresServer;
let standby: Standby;
beforeAll(async () => {
  server = await startPostgres();
  standby = await startStandby(server);
});
afterAll(async () => {
  await standby?.stop();
  await server?.stop();
});

it('a gateway continues with the standby that replaces a lost server, with everything that was acknowledged', async () => {
  const url = await server.database();
  const port = Number(new URL(url).port);
  // Both are named, in either order; a third one never answers.
  const named = (first: number, second: number): string =>
    `${url.replace(`127.0.0.1:${port}`, `127.0.0.1:${first},127.0.0.1:${second}`)}&connectionTimeoutMillis=3000`;
  const [one, other] = [named(port, standby.port), named(standby.port, port)].map((each) =>
    createStore(each, { instance: 'test' }),
  );
  if (!one || !other) throw new Error('There are two');
  // A name that leads to wherever the database is, as a load balancer or DNS does.
  const name = await startProxy(port);
  const moved = createStore(name.via(url), { instance: 'moved' });
  const stores = [one, other, moved];
  for (const store of stores) await store.open();
  const done = await completed(one);
  const writers = stores.map(() => new TaskWriter());
  for (const [i, store] of stores.entries())
    await store.append((writers[i] as TaskWriter).create('TASK_STATE_WORKING'));

  await server.halt('kill');
  for (const store of stores) {
    const away = { kind: 'unavailable', retryAfter: 5 };
    await vi.waitFor(() => expect(store.list(alice, { pageSize: 1 })).rejects.toMatchObject(away));
    await expect(store.ping()).rejects.toMatchObject({ kind: 'unavailable' });
  }
  // The name leads to a server that only reads, for now.
  name.target = standby.port;
  const readOnly = { message: 'The store is unavailable: it is read-only' };
  await vi.waitFor(() => expect(moved.ping()).rejects.toMatchObject(readOnly));
  await standby.promote();

  for (const [i, store] of stores.entries()) {
    await vi.waitFor(() => store.ping());
    const writer = writers[i] as TaskWriter;
    await store.append(writer.chunk('after'));
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
    expect((await store.load(done.key))?.task).toEqual(done.task);
  }

  // The old primary is back and accepts writes that would be lost: stores that have moved on do not return to it.
  await server.resume();
  for (const [i, store] of stores.entries()) {
    const writer = writers[i] as TaskWriter;
    await store.append(writer.chunk('later'));
    expect((await store.load(writer.key))?.task).toEqual(writer.task);
    await store.close();
  }
});
