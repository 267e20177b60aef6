/**
 * `npm run simulate -- [--seeds N] [--from K] [--jobs P]`: runs the seeds from K on in P processes, by default as many as there are
 * cores. Prints those that violate an invariant, each with a smaller plan that does so too. The last line counts.
 *
 * - `--until-violation`: ends with the first of them, and looks for no smaller plan.
 * - `--list 3,1,2`: these seeds. `--fixed`: the simulations of `npm test`, and further seeds only with `--seeds`.
 * - `--hours H`: new seeds, with calms of hours, until that many virtual hours have passed.
 * - `--brief`: plans that are over soon. `--night`: plans with calms of hours. `--steps M`: only the first blows fall.
 * - `--digests`: prints the digest of each trace.
 *
 * `npm run simulate -- --seed K` or `--plan JSON` runs one, and prints the digest of its trace; `--trace` prints the trace itself, and
 * `--counts` how often each kind of blow has changed something.
 */
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { fixed } from './fixed.ts';
import type { Plan, PlanOptions } from './plan.ts';
import { runAll } from './pool.ts';
import { type Job, openRunner } from './runner.ts';

enableCompileCache();

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    list: { type: 'string' },
    hours: { type: 'string' },
    jobs: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    plan: { type: 'string' },
    fixed: { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
    night: { type: 'boolean', default: false },
    digests: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    counts: { type: 'boolean', default: false },
    'until-violation': { type: 'boolean', default: false },
  },
});

const numberOf = (name: string, text: string): number => {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name}: expected a whole number, got ${text}`);
  process.exit(2);
};
const given = (name: 'seeds' | 'from' | 'hours' | 'jobs' | 'steps'): number | undefined => {
  const text = values[name];
  return text === undefined ? undefined : numberOf(name, text);
};

const hours = given('hours');
const options: PlanOptions = {
  steps: given('steps') ?? Number.MAX_SAFE_INTEGER,
  isNight: values.night || hours !== undefined,
  isBrief: values.brief,
};
/** The first new seed; lists have the ones below it. */
const untried = 1_000_000;
const first = given('from') ?? (hours === undefined ? 1 : untried + Math.floor(Math.random() * 2 ** 31));

/** The simulations that the arguments ask for. */
function* jobs(): Generator<Job> {
  if (values.fixed) yield* fixed;
  const list = values.list?.split(',').map((text) => numberOf('list', text)) ?? [];
  for (const seed of list) yield { seed, ...options };
  const isNamed = values.fixed || values.list !== undefined;
  const count = given('seeds') ?? (hours !== undefined ? Number.POSITIVE_INFINITY : isNamed ? 0 : 100);
  for (let seed = first; seed < first + count; seed += 1) yield { seed, ...options };
}

/** Runs one simulation, and prints the digest of its trace. */
async function runOne(job: Job): Promise<number> {
  const run = await openRunner();
  const onTrace = (line: string): void => console.log(line);
  const { violations, text, digest, struck } = await run(job, values.trace ? { onTrace } : {});
  if (text !== '') console.log(text);
  if (values.counts) {
    const counts = Object.entries(struck).map(([what, times]) => `${what} ${times}`);
    console.log(`struck: ${counts.join(', ')}`);
  }
  console.log(`trace ${digest}`);
  return violations;
}

/** Runs several simulations, and prints those that violate an invariant. */
async function runMany(): Promise<number> {
  const began = performance.now();
  if (hours !== undefined) console.log(`seeds from ${first} on`);
  const counted = { seeds: 0, violations: 0, ms: 0 };
  const shrinks = !values['until-violation'];
  for await (const result of runAll(jobs(), given('jobs') ?? availableParallelism(), { shrinks })) {
    counted.seeds += 1;
    counted.violations += result.violations;
    counted.ms += result.ms;
    if (values.digests) console.log(`${result.seed} ${result.digest}`);
    if (result.text !== '') console.log(result.text);
    if (result.violations > 0 && !shrinks) break;
    if (hours !== undefined && counted.ms >= hours * 3_600_000) break;
  }
  const { seeds, violations, ms } = counted;
  const perSecond = (seeds * 1_000) / (performance.now() - began);
  const last = [`${seeds} seeds`, `${violations} violations`, `${(ms / 3_600_000).toFixed(2)} virtual hours`];
  console.log(`${last.join(', ')}, ${perSecond.toFixed(2)} seeds per second`);
  return violations;
}

const violations =
  values.plan !== undefined
    ? await runOne({ plan: JSON.parse(values.plan) as Plan })
    : values.seed !== undefined
      ? await runOne({ seed: numberOf('seed', values.seed), ...options })
      : await runMany();
process.exit(violations === 0 ? 0 : 1);
