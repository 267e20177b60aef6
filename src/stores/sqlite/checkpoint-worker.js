/**
 * The thread of `Checkpoints`: answers each message with a passive checkpoint on a connection of its own, until the message
 * `close`. `workerData` is the path of the database.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const connection = new DatabaseSync(workerData);
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (message) => {
  if (message !== 'close') {
    parentPort?.postMessage({ ...checkpoint.get() });
    return;
  }
  connection.close();
  parentPort?.close();
});
