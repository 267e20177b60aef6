/**
 * `npm run torture -- [--seconds 300] [--seed N] [--runs 1] [--clients 16] [--faults a,b] [--nats] [--stores] [--quiet]`: gateways on one
 * database are killed, paused and cut off under load, and the database with them; then nothing may be missing, nothing
 * may have happened twice, and every answer to a caller must have been true. Exits with 1 when that is not so.
 *
 * Which faults strike is drawn from the seed unless `--faults` names them, separated by commas, or says `all`. `--runs`
 * goes on with the seeds after the first one, and prints a table with a line for each. With `--nats`, NATS carries the
 * notifications, and is killed and paused now and then. With `--stores`, some agents have a database of their own.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { linkPostgresLibraries } from '../../scripts/postgres-links.ts';
import { mixture, type TroubleName, troubleNames } from './chaos.ts';
import { report, tableHead, tableLine } from './report.ts';
import { type TortureOptions, torture } from './run.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    runs: { type: 'string', default: '1' },
    clients: { type: 'string', default: '16' },
    faults: { type: 'string' },
    nats: { type: 'boolean', default: false },
    stores: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});

linkPostgresLibraries(fileURLToPath(new URL('../../node_modules', import.meta.url)));
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const print = (line: string): void => console.log(line);
const table = [tableHead()];
let violated = false;
for (let seed = Number(values.seed), left = Number(values.runs); left > 0; seed += 1, left -= 1) {
  const options: TortureOptions = {
    seed,
    seconds: Number(values.seconds),
    clients: Number(values.clients),
    troubles: troublesOf(values.faults, seed),
    nats: values.nats,
    several: values.stores,
    ...(!values.quiet && { print }),
    signal: stop.signal,
  };
  print(`seed ${seed}: ${options.troubles.join(', ')}`);
  const outcome = await torture(options);
  if (outcome.violations.length > 0 || !values.quiet) print(report(outcome, options));
  violated ||= outcome.violations.length > 0;
  table.push(tableLine(outcome, options));
}
print(`\n${table.join('\n')}`);
process.exit(violated ? 1 : 0);

function troublesOf(text: string | undefined, seed: number): readonly TroubleName[] {
  if (text === undefined) return mixture(seed);
  if (text === 'all') return troubleNames;
  return text.split(',').map((name) => {
    const found = troubleNames.find((one) => one === name);
    if (!found) throw new TypeError(`There is no fault ${name}; there are ${troubleNames.join(', ')}.`);
    return found;
  });
}
