/**
 * A gateway that is going to be killed: opens the store whose URL is its argument and updates its knowledge without end,
 * `size` statements at a time. Prints the number of each update as soon as the store has acknowledged it.
 */
import { openSqlKnowledge } from '../../../../src/extensions/knowledge/store/store.ts';
import { createStore } from '../../../../src/stores/index.ts';
import { add, say, space } from './fixtures.ts';

const [url = 'memory:', name = 'child', size = '50', updates = '1000000'] = process.argv.slice(2);
const store = createStore(url, { instance: name });
await store.open();
const knowledge = await store.extend(openSqlKnowledge);

for (let i = 0; i < Number(updates); i += 1) {
  const statements = Array.from({ length: Number(size) }, (_, k) =>
    say(name, `update${i}`, k, { graph: `ex:${name}` }),
  );
  await knowledge.apply(space, statements.map(add), { sessionId: name });
  process.stdout.write(`${i}\n`);
}
await store.close();
