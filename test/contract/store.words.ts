import { describe, expect, it } from 'vitest';
import type { Message, Part, TaskState } from '../../src/core/model/a2a.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { Append } from '../../src/core/ports/task-store.ts';
import type { StoreKind } from './store.suite.ts';
import { TaskWriter } from './store-fixtures.ts';

const messageOf = (role: Message['role'], ...parts: Part[]): Message => ({ messageId: 'm', role, parts });

/** A task that a message opened. */
async function asked(store: Store, ...parts: Part[]): Promise<TaskWriter> {
  const writer = new TaskWriter();
  await store.append(writer.create('TASK_STATE_WORKING', { history: [messageOf('ROLE_USER', ...parts)] }));
  return writer;
}

const status = (writer: TaskWriter, state: TaskState, text: string): Append =>
  writer.next({
    statusUpdate: {
      taskId: writer.id,
      contextId: writer.contextId,
      status: { state, message: messageOf('ROLE_AGENT', { text }) },
    },
  });

/** Contract of the texts in lists of tasks: the message, and the reason why they ended or wait. */
export function words(kind: StoreKind): void {
  const fresh = async () => (await kind.database()).open();

  describe('words of tasks', () => {
    const cases: [string, Part[], string][] = [
      [
        'the first line of the first text',
        [{ text: '\n \t\n  Book a flight  \nto Paris' }, { text: 'more' }],
        'Book a flight',
      ],
      ['a later text where the first is blank', [{ text: ' \n' }, { text: 'two' }], 'two'],
      ['a text before a file', [{ url: 'https://a.test/f', filename: 'f.pdf' }, { text: 'Read it' }], 'Read it'],
      ['the name of a file', [{ raw: 'AAAA', filename: 'report.pdf' }], 'report.pdf'],
      [
        'the type of a file without a name, and not its URL',
        [{ url: 'https://a.test/?key=secret', mediaType: 'image/png' }],
        'image/png',
      ],
      ['the keys of data', [{ data: { city: 'Paris', days: 3 } }], 'city, days'],
      ['nothing where there is nothing', [{ text: '' }], ''],
      ['160 characters of a megabyte in one line', [{ text: 'x'.repeat(1 << 20) }], `${'x'.repeat(160)}…`],
      ['whole characters', [{ text: '😀'.repeat(200) }], `${'😀'.repeat(160)}…`],
      ['nothing of a megabyte of blank lines', [{ text: `${'\n'.repeat(1 << 20)}x` }], ''],
      [
        'markup, bidi and control characters as text',
        [{ text: '<b>\u202egpj.exe\u0000\u0001\u001b[2J</b>' }],
        '<b>\u202egpj.exe\u0000\u0001\u001b[2J</b>',
      ],
      ['no separators of lines', [{ text: 'a\u2028b' }], 'a'],
      ['text that is well formed', [{ text: 'a\ud800b' }], 'a\ufffdb'],
    ];
    it('words of tasks show a line of the message that opened the task, whatever it holds', async () => {
      const store = await fresh();
      for (const [what, parts, preview] of cases) {
        const { key } = await asked(store, ...parts);
        expect(await store.overviewOf(key), what).toMatchObject({ preview, reason: '' });
        expect((await store.searchTasks({ id: key }, 1, '')).tasks[0], what).toMatchObject({ preview });
      }
      const changed = await store.changedTasks({ at: 0, key: '' }, 100);
      expect(changed.map(({ preview }) => preview).sort()).toEqual(cases.map(([, , preview]) => preview).sort());
    });

    it('words of tasks have a reason while a task waits, and none once it goes on', async () => {
      const store = await fresh();
      const writer = await asked(store, { text: 'Book a flight' });
      const shown = () => store.overviewOf(writer.key);
      await store.append(status(writer, 'TASK_STATE_INPUT_REQUIRED', 'Which day?\nMonday or Tuesday?'));
      expect(await shown()).toMatchObject({ preview: 'Book a flight', reason: 'Which day?' });
      await store.append(writer.message('Monday'));
      expect(await shown()).toMatchObject({ reason: 'Which day?' });
      await store.append(status(writer, 'TASK_STATE_WORKING', 'Booking'));
      expect(await shown()).toMatchObject({ preview: 'Book a flight', reason: '' });
      await store.append(status(writer, 'TASK_STATE_COMPLETED', 'Booked'));
      expect(await shown()).toMatchObject({ preview: 'Book a flight', reason: '' });
    });

    it('words of tasks say why a task ended other than it should, also where its first event says so', async () => {
      const store = await fresh();
      const states = ['FAILED', 'REJECTED', 'CANCELED', 'AUTH_REQUIRED'] as const;
      for (const state of states.map((name) => `TASK_STATE_${name}` as const)) {
        const writer = await asked(store, { text: 'Pay' });
        await store.append(status(writer, state, '\u0000provider answered 402'));
        const one = new TaskWriter();
        const message = messageOf('ROLE_AGENT', { text: 'at once' });
        await store.append(one.next({ task: { id: one.id, contextId: one.contextId, status: { state, message } } }));
        expect(await store.overviewOf(writer.key)).toMatchObject({ state, reason: '\u0000provider answered 402' });
        expect(await store.overviewOf(one.key)).toMatchObject({ state, preview: '', reason: 'at once' });
      }
    });

    it('words of tasks are of events of one transaction together', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const opening = writer.create('TASK_STATE_WORKING', { history: [messageOf('ROLE_USER', { text: 'hello' })] });
      await Promise.all([opening, status(writer, 'TASK_STATE_FAILED', 'no')].map((append) => store.append(append)));
      expect(await store.overviewOf(writer.key)).toMatchObject({ preview: 'hello', reason: 'no' });
    });

    it('words of tasks are not stored where they are hidden', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const opening = writer.create('TASK_STATE_WORKING', { history: [messageOf('ROLE_USER', { text: 'hello' })] });
      await store.append({ ...opening, hidesWords: true });
      await store.append({ ...status(writer, 'TASK_STATE_FAILED', 'no'), hidesWords: true });
      expect(await store.overviewOf(writer.key)).toMatchObject({ preview: '', reason: '', binding: '' });
    });

    it('words of tasks come with the binding of the call that opened the task', async () => {
      const store = await fresh();
      const writer = new TaskWriter();
      const { create, ...append } = writer.create();
      await store.append({ ...append, ...(create && { create: { ...create, binding: 'grpc' } }) });
      expect(await store.overviewOf(writer.key)).toMatchObject({ binding: 'grpc' });
    });
  });
}
