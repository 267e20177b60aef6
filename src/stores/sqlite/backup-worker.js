/**
 * The thread of `backUp`: writes a verified copy of a SQLite database, and answers with its size and digest. `workerData` has
 * the path of the database, the path of the copy, which is an empty file, and the number for the header of the copy.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const { from, to, newId } = workerData;
const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
// A read transaction of its own: what is written meanwhile neither waits for it nor makes it begin again.
source.prepare('vacuum into ?').run(to);
source.close();
const copy = new DatabaseSync(to);
// The copy is a database of its own, which a log of the source does not fit.
copy.exec(`pragma user_version = ${newId}`);
const [{ integrity_check: outcome }] = copy.prepare('pragma integrity_check(1)').all();
copy.close();
if (outcome !== 'ok') throw new Error(`the copy is damaged: ${outcome}`);
const hash = createHash('sha256');
let size = 0;
for await (const chunk of createReadStream(to, { highWaterMark: 1_048_576 })) {
  hash.update(chunk);
  size += chunk.length;
}
parentPort?.postMessage({ size, sha256: hash.digest('hex') });
