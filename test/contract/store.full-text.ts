import { expect, it } from 'vitest';
import type { TaskFilter } from '../../src/core/ports/admin-store.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { StoreKind, TestDatabase } from './store.suite.ts';
import { bob, TaskWriter, type WriterOptions } from './store-fixtures.ts';

/** A task that a message opened, and that ended. */
async function said(store: Store, at: number, text: string, more: WriterOptions = {}): Promise<TaskWriter> {
  const writer = new TaskWriter({ now: () => at, ...more });
  const history = [{ messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: `line one\n${text}` }] }];
  await store.append(writer.create('TASK_STATE_COMPLETED', { history }));
  return writer;
}

async function found(store: Store, text: string, more: TaskFilter = {}, size = 2): Promise<string[]> {
  const keys: string[] = [];
  let token = '';
  do {
    const page = await store.searchTasks({ text: { text, namesOnly: false }, ...more }, size, token);
    expect(page.tasks.length).toBeLessThanOrEqual(size);
    keys.push(...page.tasks.map(({ key }) => key));
    token = page.nextPageToken;
  } while (token !== '');
  return keys;
}

/** Resolves when the last one of the tasks that were written is in the index. */
const indexed = (store: Store, text: string): Promise<void> => expect.poll(() => found(store, text)).not.toEqual([]);

/** Tasks in the index. */
async function indexedTasks({ url, read }: TestDatabase): Promise<number> {
  const count = async (text: string): Promise<number> => Number((await read(text))[0]?.n);
  const n = await count('select count(*) as n from task_text');
  if (url.startsWith('postgres')) return n;
  const index = "select count(*) as n from task_text_index where task_text_index match 'line'";
  expect(await count(index)).toBe(n);
  return n;
}

const on = { fullText: true } as const;

/** The words of messages, artifacts and statuses, by which operators find tasks. */
export function fullText(kind: StoreKind): void {
  it('full text finds words by their beginnings, wherever a task says them, the latest change first', async () => {
    const store = await (await kind.database()).open('test', on);
    const a = await said(store, 1_000, 'Book a FLIGHT to Zürich; order_77 of 12345678');
    // Each of its events has a later time, so that it is indexed again where that had begun before the last one.
    let at = 2_000;
    const b = new TaskWriter({ now: () => at++, owner: bob });
    await store.append(b.create('TASK_STATE_WORKING'));
    for (const chunk of ['The pay', 'ment pro', 'vider an', 'swered']) await store.append(b.chunk(chunk));
    await store.append(b.message('Try flights again'));
    const message = {
      messageId: 'n',
      role: 'ROLE_AGENT' as const,
      parts: [{ text: '\u0000 <b>日本語</b> \ud800 "quoted" \\ end' }],
    };
    const { id: taskId, contextId } = b;
    await store.append(
      b.next({ statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_FAILED', message } } }),
    );
    const c = await said(store, 3_000, `${'x'.repeat(1 << 20)} beyond`);
    const d = await said(store, 4_000, 'the last flight of all');
    await indexed(store, 'the last flight of all');
    const cases: [string, TaskWriter[]][] = [
      ['flight', [d, b, a]],
      ['FLIGHTS', [b]],
      ['fli zür', [a]],
      ['zürich flight', [a]],
      ['payment provider answered', [b]],
      ['quoted end', [b]],
      ['本', [b]],
      ['12345678', [a]],
      ['1234567', [a]],
      ['order_', [a]],
      ['bob', [b]],
      ['xxxx', [c]],
      ['beyond', []],
      ['\'flight\':* | "x" *', []],
      // Parts of words are looked for where no word is found, in what lists show.
      ['ne one', [d, c, a]],
      ['ight', []],
      [a.id, [a]],
      [a.id.slice(-9), [a]],
    ];
    for (const [text, expected] of cases) {
      for (const size of [1, 10]) {
        expect(await found(store, text, {}, size), text).toEqual(expected.map(({ key }) => key));
      }
    }
    expect(await found(store, 'flight', { principal: 'bob' })).toEqual([b.key]);
    expect(await found(store, 'flight', { states: ['TASK_STATE_FAILED'] })).toEqual([b.key]);
    expect(await found(store, 'flight', { changedBefore: 4_000 })).toEqual([b.key, a.key]);
    expect(await found(store, 'flight', { id: a.id })).toEqual([a.key]);
    expect(await found(store, 'flight', { contextId: d.contextId })).toEqual([d.key]);
    const hidden = await store.searchTasks({ text: { text: 'flight', namesOnly: true } }, 10, '');
    expect(hidden.tasks).toEqual([]);
  });

  it('full text catches up after a restart, and after it was off, indexes a task that goes on anew, and forgets expired ones', async () => {
    const database = await kind.database();
    const first = await database.open('one', on);
    const a = await said(first, 1_000, 'apples');
    const open = new TaskWriter({ now: () => 1_000 });
    await first.append(open.create('TASK_STATE_INPUT_REQUIRED', { history: [] }));
    await indexed(first, 'apples');
    await first.close();
    const off = await database.open('two');
    const b = await said(off, 2_000, 'apples and pears');
    expect(await found(off, 'pears')).toEqual([]);
    await off.close();
    const again = await database.open('three', on);
    await indexed(again, 'pears');
    expect(await found(again, 'apples')).toEqual([b.key, a.key]);
    const later = open.copy();
    await again.append({
      ...later.next({ message: { messageId: 'p', role: 'ROLE_USER', parts: [{ text: 'line plums' }] } }),
    });
    await indexed(again, 'plums');
    expect(await found(again, 'plums')).toEqual([open.key]);
    expect(await again.expire(1_500, 10)).toBe(1);
    expect(await found(again, 'apples')).toEqual([b.key]);
    await again.close();
    expect(await indexedTasks(database)).toBe(2);
    // Also where it is off.
    const last = await database.open('four');
    await last.expire(2_500, 10);
    await last.close();
    expect(await indexedTasks(database)).toBe(1);
  });
}
