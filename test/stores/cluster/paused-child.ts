/**
 * A gateway that is going to be stopped, or killed: opens the store whose URL is its argument, makes a task that it
 * works on, takes the lease `chore`, and says so in one line. Then it does what its standard input says, a word a line,
 * and says what came of it:
 *
 * - `append`: a chunk of the task
 * - `settle`: the answer to the call with the idempotency key `k`, which it has begun
 * - `forget`: that call
 * - `report`: that what it has claimed of deliveries is delivered
 * - `returned`: whether it was notified that others may have written
 */
import { createInterface } from 'node:readline';
import { A2AError } from '../../../src/core/model/errors.ts';
import { createStore } from '../../../src/stores/index.ts';
import { callKey, TaskWriter } from '../../contract/store-fixtures.ts';

const [url = 'memory:'] = process.argv.slice(2);
const store = createStore(url, { instance: 'child' });
await store.open();
let told = 0;
store.peers.onTaskWritten((key) => {
  if (key === undefined) told += 1;
});
store.peers.onForwarded(async ({ body }) => {
  print({ asked: body });
  return body;
});
const writer = new TaskWriter();
await store.append(writer.create('TASK_STATE_WORKING'));
await store.putPushConfig(writer.key, { id: 'p', url: 'http://localhost/' }, 'a2a-1.0', { after: 0 });
const [delivery] = await store.claimDeliveries({ of: [writer.key], limit: 1, except: [] });
const call = callKey('k');
await store.claimCall(call);
await store.peers.lease('chore', 3_600_000);
const before = told;

const doing: Record<string, () => Promise<unknown>> = {
  append: () => store.append(writer.chunk('x')),
  settle: () => store.answerCall(call, '"late"'),
  forget: () => store.releaseCall(call),
  report: async () => delivery && store.reportDelivery(delivery, { cursor: 1, attempts: 0 }),
  returned: async () => told > before,
};

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
print({ key: writer.key, delivery: delivery?.lease });
for await (const word of createInterface({ input: process.stdin })) {
  try {
    print({ [word]: (await doing[word]?.()) ?? null });
  } catch (thrown) {
    const { kind, cause } = A2AError.from(thrown);
    print({ [word]: { kind, cause: cause instanceof Error ? cause.name : null } });
  }
}
