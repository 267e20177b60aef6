import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { openSqlite } from '../../src/stores/sqlite/database.ts';
import { createSqlStore } from '../../src/stores/store.ts';
import { alice, completed } from '../contract/store-fixtures.ts';

it('a push configuration is remembered with its owner and the dialect that set it last', async () => {
  const database = await openSqlite({ path: ':memory:', flush: false });
  const store = createSqlStore({ shown: '', instance: 'test', logger: undefined, connect: async () => database });
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

it('the webhooks of a principal are counted by their index', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-webhooks-'));
  const path = join(folder, 'a.db');
  const store = createStore(`sqlite:${path}`, { instance: 'test' });
  await store.open();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await store.webhookExcess(alice.principal, undefined, { perTask: undefined, perPrincipal: 1_000 });
  const [text = ''] = prepare.mock.calls.map(([each]) => each).filter((each) => each.includes('push_config'));
  prepare.mockRestore();
  await store.close();
  const database = new DatabaseSync(path);
  const plan = database.prepare(`explain query plan ${text}`).all();
  expect(plan.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('push_config_principal'));
  database.close();
  rmSync(folder, { recursive: true });
});
