/**
 * `checkpoints-child.ts idle|writing|batches PATH`: `idle` starts the checkpoint thread and then does nothing; `writing` appends to
 * a task until it is killed, and reports each durable position; `batches` does so with many tasks at once, some of them large.
 */
import { DatabaseSync } from 'node:sqlite';
import { createStore } from '../../../src/stores/index.ts';
import { Checkpoints } from '../../../src/stores/sqlite/checkpoints.ts';
import { SqliteThread } from '../../../src/stores/sqlite/thread.ts';
import { TaskWriter } from '../../contract/store-fixtures.ts';
import { silent } from '../../support/core.ts';

const [mode, path = ''] = process.argv.slice(2);

async function idle(): Promise<void> {
  const connection = new DatabaseSync(path);
  connection.exec('pragma journal_mode = wal; create table page (body)');
  const checkpoints = new Checkpoints(new SqliteThread(path, 'normal'), connection, silent, {
    every: 1,
    restartAt: 1_000,
    loopHelpsAt: 1_000,
  });
  const look = connection.prepare('pragma wal_checkpoint(noop)');
  while (look.get()?.checkpointed === 0) {
    connection.exec('insert into page values (1)');
    checkpoints.written();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  process.send?.('started');
}

async function write(): Promise<void> {
  const store = createStore(`sqlite:${path}`, { instance: 'child', logger: silent });
  await store.open();
  const writer = new TaskWriter();
  await store.append(writer.create('TASK_STATE_WORKING'));
  const text = 'x'.repeat(20_000);
  for (;;) {
    await store.append(writer.chunk(text));
    process.send?.({ key: writer.key, seq: writer.seq });
  }
}

async function writeBatches(): Promise<void> {
  const store = createStore(`sqlite:${path}`, { instance: 'child', logger: silent });
  await store.open();
  for (;;) {
    const tasks = Array.from({ length: 300 }, async (_, i) => {
      const writer = new TaskWriter();
      await store.append(writer.create());
      const text = i % 100 === 50 ? 'x'.repeat(3_000_000) : 'small';
      await store.append(writer.next(...[text, 'b', 'c'].map((each) => writer.chunkEvent(each))));
      process.send?.({ key: writer.key, seq: writer.seq });
    });
    await Promise.all(tasks);
  }
}

const modes: Readonly<Record<string, () => Promise<void>>> = { idle, writing: write, batches: writeBatches };
await modes[mode ?? '']?.();
