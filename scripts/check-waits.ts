/**
 * Checks that tests wait for facts, not for a clock: `test` has no timers and no polling except those that `waits.ts`
 * lists. Exits with 1 on an error. `-- --lower` lowers the counts of files with fewer waits than listed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { excused, lowered, readWaits, waitErrors } from './waits.ts';

const root = new URL('../', import.meta.url);
const list = new URL('test/waits.json', root);
const listed: Record<string, number> = JSON.parse(readFileSync(list, 'utf8'));
const found = readWaits(root).filter(({ path }) => excused(path) === undefined);
const isLowering = process.argv.includes('--lower');
const counts = isLowering ? lowered(listed, found) : listed;
if (isLowering) writeFileSync(list, `${JSON.stringify(counts, undefined, 2)}\n`);

const errors = waitErrors(counts, found);
for (const error of errors) console.log(error);
const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
console.log(`${total} waits in ${Object.keys(counts).length} files, ${errors.length} errors`);
process.exitCode = errors.length > 0 ? 1 : 0;
