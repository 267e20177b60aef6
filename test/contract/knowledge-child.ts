/**
 * A gateway that is going to be killed: opens the store whose URL is its argument and updates its knowledge without end,
 * `size` statements at a time. Prints the number of each update as soon as the store has acknowledged it.
 */
import { createStore } from '../../src/stores/index.ts';
import { add, say, space } from './knowledge-fixtures.ts';

const [url = 'memory:', name = 'child', size = '50', updates = '1000000'] = process.argv.slice(2);
const store = createStore(url, { instance: name });
await store.open();

for (let i = 0; i < Number(updates); i += 1) {
  const statements = Array.from({ length: Number(size) }, (_, k) =>
    say(name, `update${i}`, k, { graph: `ex:${name}` }),
  );
  await store.knowledge.apply(space, statements.map(add), { sessionId: name });
  process.stdout.write(`${i}\n`);
}
await store.close();
