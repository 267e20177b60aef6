/**
 * The thread of `SqliteThread`, with a connection of its own: answers each message with a passive checkpoint, with one that also
 * begins the log anew, or with the counts of rows of the steps of a transaction, until the message `close`.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const { path, synchronous } = workerData;
// A transaction of another process stops this thread alone.
const connection = new DatabaseSync(path, { timeout: 5_000 });
connection.exec(`pragma synchronous = ${synchronous}; pragma wal_autocheckpoint = 0`);
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)');

/** The first transaction after a whole checkpoint begins the log anew: this one does so, and changes nothing. */
function restart() {
  const state = { ...checkpoint.get() };
  const { user_version: same } = connection.prepare('pragma user_version').get();
  if (state.checkpointed === state.log) connection.exec(`pragma user_version = ${same}`);
  return state;
}

function transaction(steps) {
  connection.exec('begin immediate');
  try {
    const counts = [];
    for (const { sql, parameters, isRequired } of steps) {
      const statement = connection.prepare(sql);
      const isQuery = statement.columns().length > 0;
      const count = isQuery ? statement.all(...parameters).length : Number(statement.run(...parameters).changes);
      counts.push(count);
      if (!isRequired || count > 0) continue;
      connection.exec('rollback');
      return counts;
    }
    connection.exec('commit');
    return counts;
  } finally {
    if (connection.isTransaction) connection.exec('rollback');
  }
}

const answers = { checkpoint: () => ({ ...checkpoint.get() }), restart };

parentPort?.on('message', (message) => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  try {
    parentPort?.postMessage({ answer: answers[message]?.() ?? transaction(message) });
  } catch (error) {
    parentPort?.postMessage({ error: { message: error.message, errcode: error.errcode } });
  }
});
