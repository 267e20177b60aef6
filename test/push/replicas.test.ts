import { expect, it } from 'vitest';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { storesOnPostgres } from '../support/peers.ts';
import { startPushBench } from './bench.ts';
import { startReceiver } from './receiver.ts';

const database = storesOnPostgres();

it('what a gateway writes while another still holds the delivery is delivered by that one, at once', async () => {
  const { open } = await database();
  const [one, two] = [await open('one'), await open('two')];
  const receiver = await startReceiver();
  for (const store of [one, two]) {
    // Long enough for the other to write something that it cannot take.
    const report = store.reportDelivery.bind(store);
    store.reportDelivery = async (...reported) => {
      await new Promise((resolve) => setTimeout(resolve, reported[1].keep ? 0 : 100));
      return report(...reported);
    };
    // A gateway that had to scan for leftover deliveries would find them much later.
    await startPushBench({ store, scanIntervals: { due: 1_000, left: 600_000 } });
  }
  const writer = new TaskWriter();
  await one.append(writer.create('TASK_STATE_INPUT_REQUIRED'));
  await one.putPushConfig(writer.key, { id: 'p', taskId: writer.id, url: receiver.url }, 'a2a-1.0');
  for (const [i, store] of [one, two, one, two].entries()) {
    await store.append(writer.message(`message ${i}`));
    await store.append(writer.status(i === 3 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED'));
    await receiver.until((got) => got.filter(({ body }) => body.statusUpdate).length === i + 1);
  }
  const states = receiver.got.flatMap(({ body }) => body.statusUpdate?.status.state ?? []);
  expect(states).toEqual([...Array(3).fill('TASK_STATE_INPUT_REQUIRED'), 'TASK_STATE_COMPLETED']);
});
