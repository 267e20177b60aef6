import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { createStore } from '../../../src/stores/index.ts';
import { alice } from '../../contract/store-fixtures.ts';
import { newFolder } from '../../support/folders.ts';

it('the webhooks of a principal are counted by their index', async () => {
  const folder = newFolder();
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
});
