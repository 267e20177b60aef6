/**
 * `npm run simulate:planted [-- NAME … --seeds 500 --from 1]`: plants faults in copies of the program, one after the other, and
 * runs the simulation until a seed finds each. Prints which seed and which check found it. Exits with 1 where one was not found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { faultNames, plant } from './patches.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string', default: '500' }, from: { type: 'string', default: '1' } },
});
const unknown = positionals.filter((name) => !faultNames.includes(name));
if (unknown.length > 0) {
  console.error(`unknown faults: ${unknown.join(', ')}; there are ${faultNames.join(', ')}`);
  process.exit(2);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

/** The seed that found a fault, and the check. Undefined: none of the seeds did. */
interface Finding {
  readonly seed: string;
  readonly check: string;
}

/** Runs the simulation on a copy of the program with the fault. */
async function find(fault: string): Promise<Finding | undefined> {
  using copy = plant(fault);
  const given = ['--seeds', values.seeds, '--from', values.from, '--until-violation'];
  const child = spawn(process.execPath, ['test/simulation/main.ts', ...given], {
    cwd: copy.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stop.signal,
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const [, seed] = /^seed (\d+):/m.exec(output) ?? [];
  const checks = new Set(Array.from(output.matchAll(/^ {2}- (\w+): /gm), ([, check]) => check));
  if (seed !== undefined) return { seed, check: [...checks].join(', ') };
  if (child.exitCode === 0) return undefined;
  return { seed: '?', check: `the simulation failed: ${errors.trim().split('\n').slice(-8).join(' ')}` };
}

let missed = 0;
console.log('| fault | first seed | check |\n| --- | --- | --- |');
for (const fault of positionals.length > 0 ? positionals : faultNames) {
  const found = await find(fault);
  if (!found || found.seed === '?') missed += 1;
  console.log(`| ${fault} | ${found?.seed ?? 'not found'} | ${found?.check ?? ''} |`);
}
process.exit(missed === 0 ? 0 : 1);
