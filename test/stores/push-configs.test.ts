import { expect, it } from 'vitest';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { SqlStore } from '../../src/stores/store.ts';
import { alice, completed } from '../contract/store-fixtures.ts';

it('a push configuration is remembered with its owner and the dialect that set it last', async () => {
  const database = await openSqlite({ path: ':memory:', flush: false });
  const store = new SqlStore({ shown: '', instance: 'test', logger: undefined, connect: async () => database });
  await store.open();
  const { key, id: taskId } = await completed(store, { chosenId: 'task-1' });
  const rows = () => database.sql.selectFrom('push_config').selectAll().execute();
  for (const [i, dialect] of ['a2a-0.3', 'a2a-0.1', 'a2a-1.0'].entries()) {
    const config = { id: 'p', taskId, url: `https://hooks.example.com/${i}` };
    await store.putPushConfig(key, config, dialect);
    expect(await rows()).toMatchObject([{ key, id: 'p', dialect, body: JSON.stringify(config), ...alice }]);
  }
  await store.close();
});
