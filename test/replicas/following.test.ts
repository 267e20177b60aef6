import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cutListening } from '../support/peers.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';
import { numbers, type Replica, see, startReplica } from '../support/replicas.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

async function start(deaf: boolean): Promise<{ url: string; one: Replica; two: Replica }> {
  const url = await server.database();
  return { url, one: await startReplica(url, 'one', { deaf }), two: await startReplica(url, 'two', { deaf }) };
}

const chunks = (from: number, to: number): string[] => numbers(from, to).map((i) => `chunk ${i}`);

async function begin(replica: Replica, text: string): Promise<string> {
  const { task } = await (await replica.client()).send(text, { returnImmediately: true });
  if (!task) throw new TypeError('no task');
  return task.id;
}

describe.each([
  { how: 'by notifications', deaf: false },
  { how: 'by looking alone', deaf: true },
])('gateways that follow each other’s tasks $how', ({ deaf }) => {
  test('tell every event once, and in order', async () => {
    const { one, two } = await start(deaf);
    const [here, there] = [await one.client(), await two.client()];
    const id = await begin(one, 'stream 2000 0');
    const seen = await Promise.all(
      [here, there, there].map((client) => see(client.events('SubscribeToTask', { id }, { after: 0 }))),
    );
    for (const { seqs, texts, states } of seen) {
      expect(texts).toEqual(chunks(1, 2000));
      expect(seqs).toEqual(numbers(1, seqs.length));
      expect(states.at(-1)).toBe('COMPLETED');
    }
  });

  test('are as good as each other for one who comes back', async () => {
    const { one, two } = await start(deaf);
    const clients = [await one.client(), await two.client()];
    const id = await begin(one, 'stream 150 4');
    const seqs: number[] = [];
    const texts: string[] = [];
    for (let turn = 0; texts.length < 150; turn += 1) {
      const client = clients[turn % 2];
      if (!client) throw new TypeError('two gateways');
      const after = seqs.at(-1) ?? 0;
      const part = await see(client.events('SubscribeToTask', { id }, { after }), (seen) => seen.texts.length >= 40);
      seqs.push(...part.seqs);
      texts.push(...part.texts);
    }
    expect(texts).toEqual(chunks(1, 150));
    expect(seqs).toEqual(numbers(1, seqs.length));
  });
});

test('a gateway follows exactly the tasks that its own clients listen to and another gateway works on', async () => {
  const { url, one, two } = await start(false);
  const followers = () => query(url, 'select "key", split_part(instance, \'/\', 1) as gateway from follower');
  const [here, there] = [await one.client(), await two.client()];
  for (const text of ['hello', 'stream 20 0', 'ask']) await here.send(text);
  const { task: asked } = await here.send('ask');
  const id = await begin(one, 'wait');
  const ends: Promise<unknown>[] = [here, here].map((client) => see(client.events('SubscribeToTask', { id })));
  await see(there.events('SubscribeToTask', { id: asked?.id ?? '' }), () => true);
  expect(await query(url, 'select "key" from task where followed = 1 and "key" <> $1', [asked?.id])).toEqual([]);
  ends.push(...[there, there].map((client) => see(client.events('SubscribeToTask', { id }))));
  await vi.waitFor(async () => expect(await followers()).toEqual([{ key: id, gateway: 'two' }]));

  // As after a crash of the server, which forgets them; and as after this gateway was declared dead.
  for (const forget of ['truncate follower', "delete from gateway where instance like 'two/%'"]) {
    await query(url, forget);
    if (forget.startsWith('truncate')) await cutListening(url);
    await vi.waitFor(async () => expect(await followers()).toEqual([{ key: id, gateway: 'two' }]));
  }
  await here.cancelTask({ id });
  await Promise.all(ends);
  await vi.waitFor(async () => expect(await followers()).toEqual([]));

  // A task that waits for its client may go on elsewhere.
  const watching = see(here.events('SubscribeToTask', { id: asked?.id ?? '' }));
  await vi.waitFor(async () => expect(await followers()).toEqual([{ key: asked?.id, gateway: 'one' }]));
  await there.send('Bob', { taskId: asked?.id ?? '' });
  await watching;
  await vi.waitFor(async () => expect(await followers()).toEqual([]));
});

test('connections that are cut in the middle cost no event', async () => {
  const { url, one, two } = await start(false);
  const id = await begin(one, 'stream 250 4');
  const watching = see((await two.client()).events('SubscribeToTask', { id }, { after: 0 }));
  for (let cut = 0; cut < 3; cut += 1) {
    await delay(250);
    await cutListening(url);
  }
  const { seqs, texts } = await watching;
  expect(texts).toEqual(chunks(1, 250));
  expect(seqs).toEqual(numbers(1, seqs.length));
});

test('one who listens through a short absence of the database sees everything', async () => {
  const { one, two } = await start(false);
  const id = await begin(one, 'stream 100 15');
  const watching = [one, two].map(async (replica) =>
    see((await replica.client()).events('SubscribeToTask', { id }, { after: 0 })),
  );
  await delay(500);
  await server.halt();
  await delay(1_000);
  await server.resume();
  for (const { texts, seqs } of await Promise.all(watching)) {
    expect(texts).toEqual(chunks(1, 100));
    expect(seqs).toEqual(numbers(1, seqs.length));
  }
  await vi.waitFor(async () => (await two.client()).getTask({ id }));
});
