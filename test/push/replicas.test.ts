import { afterEach, expect, it } from 'vitest';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { storesOnPostgres } from '../support/peers.ts';
import { startPushBench } from './bench.ts';
import { type Notification, startReceiver } from './receiver.ts';

const database = storesOnPostgres();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const isOver = ({ body }: Notification): boolean => body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED';

it('what two gateways write in turn is delivered at once and in order, whichever of them delivers', async () => {
  const { open: openStore } = await database();
  const stores = await Promise.all([openStore('one'), openStore('two')]);
  // Who has to look for what is left would find it much later.
  const looks = { due: 1_000, left: 600_000 };
  for (const store of stores) open.push(await startPushBench({ store, looks }));
  const receiver = await startReceiver(() => (_, res) => {
    setTimeout(() => res.writeHead(200).end(), 3);
  });
  open.push(receiver);
  const [first] = stores;
  const writers = Array.from({ length: 8 }, () => new TaskWriter());
  for (const writer of writers) {
    await first?.append(writer.create('TASK_STATE_INPUT_REQUIRED'));
    await first?.putPushConfig(writer.key, { id: 'p', taskId: writer.id, url: receiver.url }, 'a2a-1.0', { after: 0 });
  }
  const turns = 12;
  await Promise.all(
    writers.map(async (writer) => {
      for (let i = 0; i < turns; i += 1) {
        const store = stores[i % 2];
        await store?.append(writer.message(`message ${i}`));
        await store?.append(writer.status('TASK_STATE_WORKING'));
        await store?.append(writer.chunk(`${i}`));
        await store?.append(writer.status(i === turns - 1 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED'));
      }
    }),
  );
  await receiver.until((got) => got.filter(isOver).length === writers.length);
  for (const { id } of writers) {
    const texts = receiver.got.flatMap(({ body }) =>
      body.artifactUpdate?.taskId === id
        ? body.artifactUpdate.artifact.parts.map(({ text }: { text: string }) => text)
        : [],
    );
    expect(texts).toEqual(Array.from({ length: turns }, (_, i) => `${i}`));
  }
});
