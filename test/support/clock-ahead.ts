/**
 * Preload of a process (`--import`): `Date` is ahead by the milliseconds in the file that `CLOCK_AHEAD` names, read at the start and
 * at each SIGUSR2, after which the process prints so. Timers and `performance.now()` go on as they do.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.CLOCK_AHEAD ?? '';
const Actual = Date;
const read = (): number => Number(readFileSync(file, 'utf8'));
let ahead = read();

globalThis.Date = new Proxy(Actual, {
  construct: (_, values) => (values.length === 0 ? new Actual(Date.now()) : new Actual(...(values as [number]))),
  get: (target, name) => (name === 'now' ? () => target.now() + ahead : Reflect.get(target, name)),
});

if (isMainThread) {
  process.on('SIGUSR2', () => {
    ahead = read();
    process.stdout.write(`The clock is ${ahead} ms ahead.\n`);
  });
}
