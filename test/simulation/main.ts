/**
 * `npm run simulate -- [--seeds N] [--from K] [--seed K] [--plan JSON] [--steps M] [--trace]`: runs simulations. `--seed` and
 * `--plan` run one, and print the digest of its trace; `--trace` prints the trace itself; `--steps` lets only the first blows
 * of the plan fall. `--seeds` runs several, from the seed K on, and prints those that violated an invariant, each with a
 * smaller plan that does so too; `--until-violation` ends with the first of them.
 */
import { parseArgs } from 'node:util';
import type { Plan } from './plan.ts';
import { install } from './world/install.ts';

const installed = install();
// The program is loaded when time and chance are virtual.
const { simulate } = await import('./simulate.ts');
const { planOf } = await import('./plan.ts');
const { report } = await import('./report.ts');
const { shrink } = await import('./shrink.ts');

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    plan: { type: 'string' },
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

// Loads what the program loads when it is first needed: that takes real time, which no trace may depend on.
await simulate({ ...planOf(0), ms: 5_000, blows: [] }, { installed });

const onTrace = (line: string): void => console.log(line);
const run = (plan: Plan) => simulate(plan, { installed, ...(values.trace && { onTrace }) });

/** Runs one plan, and prints the digest of its trace. */
async function runOne(plan: Plan): Promise<number> {
  const outcome = await run(plan);
  if (outcome.violations.length > 0) console.log(report(plan, outcome));
  console.log(`trace ${outcome.digest}`);
  return outcome.violations.length;
}

/** Runs several seeds, and prints those that violate an invariant with a smaller plan that does. */
async function runMany(first: number, count: number): Promise<number> {
  let violations = 0;
  let ms = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const plan = planOf(seed, steps);
    const outcome = await run(plan);
    violations += outcome.violations.length;
    ms += outcome.ms;
    if (outcome.violations.length === 0) continue;
    console.log(report(plan, outcome));
    if (values['until-violation']) break;
    const smallest = await shrink(plan, async (smaller) => (await run(smaller)).violations.length > 0);
    console.log(`  the smallest plan that was found: --plan '${JSON.stringify(smallest)}'`);
  }
  console.log(`${count} seeds, ${violations} violations, ${(ms / 3_600_000).toFixed(2)} virtual hours`);
  return violations;
}

const violations =
  values.plan !== undefined
    ? await runOne(JSON.parse(values.plan) as Plan)
    : values.seed !== undefined
      ? await runOne(planOf(numberOf('seed', values.seed), steps))
      : await runMany(numberOf('from', values.from), numberOf('seeds', values.seeds));
process.exit(violations === 0 ? 0 : 1);
