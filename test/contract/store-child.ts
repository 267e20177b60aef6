/**
 * A gateway that is going to be killed: opens the store whose URL is its argument and appends to many tasks without
 * end. Every third event is a message of the client. Prints `KEY SEQ` for each event as soon as the store has acknowledged
 * it.
 */
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from './store-fixtures.ts';

const [url = 'memory:', tasks = '100'] = process.argv.slice(2);
const store = createStore(url, { instance: 'child' });
await store.open();

async function run(writer: TaskWriter): Promise<void> {
  for (let append = writer.create('TASK_STATE_WORKING'); ; ) {
    await store.append(append);
    process.stdout.write(`${writer.key} ${writer.seq}\n`);
    append = writer.seq % 3 === 2 ? writer.message('go on') : writer.chunk(`chunk ${writer.seq}`);
  }
}

await Promise.all(Array.from({ length: Number(tasks) }, () => run(new TaskWriter())));
