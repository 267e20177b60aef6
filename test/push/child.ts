/**
 * A gateway that is going to be killed: delivers out of the store whose URL is its first argument, with quick retries.
 * With a webhook's URL as its second argument it makes tasks with configurations for it first: as many as its third
 * argument says, of as many events each as its fourth. Prints a line when it has.
 */
import { createStore } from '../../src/stores/index.ts';
import { startPushBench } from './bench.ts';

const [url = '', hook, tasks = '0', events = '0'] = process.argv.slice(2);
const store = createStore(url, { instance: 'child' });
await store.open();
const bench = await startPushBench({ store });

if (hook !== undefined) {
  const make = async (): Promise<void> => {
    const task = await bench.task(hook);
    const chunks = Array.from({ length: Number(events) - 2 }, (_, i) => task.chunkEvent(String(i)));
    await store.append(task.next(...chunks));
    await store.append(task.status('TASK_STATE_COMPLETED'));
  };
  await Promise.all(Array.from({ length: Number(tasks) }, make));
}
process.stdout.write('ready\n');

// Between two attempts nothing else keeps the process alive.
setInterval(() => undefined, 1_000);
