/**
 * `npm run simulate -- [--seeds N] [--from K] [--seed K] [--steps M] [--trace] [--until-violation]`: runs simulations. `--seed` runs one, and prints
 * the digest of its trace; `--trace` prints the trace itself; `--steps` lets only the first blows of the plan fall. `--seeds`
 * runs several, from the seed K on, and prints those that violated an invariant; `--until-violation` ends with the first of them.
 */
import { parseArgs } from 'node:util';
import { install } from './world/install.ts';

const installed = install();
// The program is loaded when time and chance are virtual.
const { simulate } = await import('./simulate.ts');
const { planOf } = await import('./plan.ts');
const { report } = await import('./report.ts');

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'until-violation': { type: 'boolean', default: false },
  },
});

const numberOf = (name: string, text: string): number => {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name}: expected a whole number, got ${text}`);
  process.exit(2);
};
const steps = values.steps === undefined ? undefined : numberOf('steps', values.steps);
const one = values.seed === undefined ? undefined : numberOf('seed', values.seed);
const first = one ?? numberOf('from', values.from);
const count = one === undefined ? numberOf('seeds', values.seeds) : 1;

// Loads what the program loads when it is first needed: that takes real time, which no trace may depend on.
await simulate({ ...planOf(0), ms: 5_000, blows: [] }, { installed });

const onTrace = (line: string): void => console.log(line);
let violations = 0;
let hours = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const plan = planOf(seed, steps);
  const outcome = await simulate(plan, { installed, ...(values.trace && { onTrace }) });
  violations += outcome.violations.length;
  hours += outcome.ms / 3_600_000;
  if (outcome.violations.length > 0) console.log(report(plan, outcome));
  if (outcome.violations.length > 0 && values['until-violation']) break;
  if (one !== undefined) console.log(`trace ${outcome.digest}`);
}
if (one === undefined) console.log(`${count} seeds, ${violations} violations, ${hours.toFixed(2)} virtual hours`);
process.exit(violations === 0 ? 0 : 1);
