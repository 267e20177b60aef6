/**
 * `npm run torture -- [--seconds 300] [--seed N] [--clients 16] [--short]`: gateways on one database are killed, paused
 * and stopped under load, and the database with them; then nothing may be missing. Exits with 1 when something is.
 * `--short` has no more kinds of attacks than the test that `npm test` runs.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { report } from '../test/torture/report.ts';
import { torture } from '../test/torture/run.ts';
import { linkPostgresLibraries } from './postgres-links.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    clients: { type: 'string', default: '16' },
    short: { type: 'boolean', default: false },
  },
});

linkPostgresLibraries(fileURLToPath(new URL('../node_modules', import.meta.url)));
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const options = {
  seed: Number(values.seed),
  seconds: Number(values.seconds),
  clients: Number(values.clients),
  long: !values.short,
  print: (line: string) => console.log(line),
  signal: stop.signal,
};
console.log(`seed ${options.seed}`);
const outcome = await torture(options);
console.log(report(outcome, options));
process.exit(outcome.violations.length > 0 ? 1 : 0);
