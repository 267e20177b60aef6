import { beforeAll, expect, test, vi } from 'vitest';
import { cutListening } from '../../support/peers.ts';
import { query, sharedPostgres } from '../../support/postgres.ts';
import { type Replica, see, startReplica } from '../../support/replicas.ts';

beforeAll(sharedPostgres);

async function start(): Promise<{ url: string; one: Replica; two: Replica }> {
  const url = await (await sharedPostgres()).database();
  return { url, one: await startReplica(url, 'one'), two: await startReplica(url, 'two') };
}

async function begin(replica: Replica, text: string): Promise<string> {
  const { task } = await (await replica.client()).send(text, { returnImmediately: true });
  if (!task) throw new TypeError('no task');
  return task.id;
}

test('a gateway follows exactly the tasks that its own clients listen to and another gateway works on', async () => {
  const { url, one, two } = await start();
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

  // The rows are missing after a crash of the server, which forgets them, and after this gateway was declared dead.
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
