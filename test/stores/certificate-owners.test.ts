import { readFileSync } from 'node:fs';
import { sql as raw } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import type { TaskOwner } from '../../src/core/model/ids.ts';
import { alice, bob, TaskWriter } from '../contract/store-fixtures.ts';
import { emptyDatabases, openStoreOn } from '../contract/store-kinds.ts';
import { sharedPostgres } from '../support/postgres.ts';

/** The commands of docs/operate/upgrading.md give the tasks of a certificate's subject to the subject of its authority. */

const page = readFileSync(new URL('../../docs/operate/upgrading.md', import.meta.url), 'utf8');
const [, commands = ''] = /```sql\nbegin;\n([\s\S]*?)commit;\n```/.exec(page) ?? [];

beforeAll(sharedPostgres);

it.each(Object.entries(emptyDatabases))('callers with certificates keep their tasks on %s', async (_, open) => {
  const { store, database } = await openStoreOn(open());
  const subject = String.raw`O=Example\, "x"/y,CN=carol`;
  const authority = 'ab'.repeat(32);
  const before: TaskOwner = { ...alice, principal: `subject:${subject}` };
  const after: TaskOwner = { ...alice, principal: `subject:${authority}/${subject}` };
  const ids: string[] = [];
  for (const chosenId of [undefined, 'chosen']) {
    for (const owner of [before, bob]) {
      const writer = new TaskWriter({ owner, ...(chosenId && { chosenId }) });
      const { id, contextId } = writer;
      const upstream = { id: `t-${id}`, contextId: `c-${contextId}` };
      await store.append({ ...writer.create('TASK_STATE_WORKING'), upstream });
      await store.append(writer.chunk('hello'));
      ids.push(id);
    }
  }
  const run = async (): Promise<void> => {
    for (const command of commands.replaceAll('AUTHORITY', authority).split(';\n').filter(Boolean)) {
      await raw.raw(command).execute(database.sql);
    }
  };
  expect(commands).toContain('update task set principal');
  await run();
  // A second time changes nothing.
  await run();
  for (const [at, id] of ids.entries()) {
    const owner = at % 2 === 0 ? after : bob;
    expect(await store.find(before, id)).toBeUndefined();
    const found = await store.find(owner, id);
    expect(found?.task.artifacts).toMatchObject([{ parts: [{ text: 'hello' }] }]);
    expect(await store.upstreamOf(found?.key ?? '')).toMatchObject({ id: `t-${id}` });
    expect(await store.events(found?.key ?? '', 0, 10)).toHaveLength(2);
  }
});
