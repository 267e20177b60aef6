/**
 * The thread of `SqliteThread`, with a connection of its own: answers each message with a passive checkpoint, with one that also
 * begins the log anew, until the message `close`.
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

const answers = { checkpoint: () => ({ ...checkpoint.get() }), restart };

parentPort?.on('message', (message) => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  try {
    parentPort?.postMessage({ answer: answers[message]() });
  } catch (error) {
    parentPort?.postMessage({ error: { message: error.message, errcode: error.errcode } });
  }
});
