/**
 * `npm run conformance:tck`: the official conformance kits of A2A 1.0 and 0.3 against gateways with agents of their own, and
 * with agents of other generations behind them. What fails is compared with `known-failures/tck-1.0.txt` and `tck-0.3.txt`.
 * `-- --only TEXT` runs the tests with such a name, `--target NAME` one target, and `--kit DIR` takes a copy of a kit in place
 * of a clone; it may be given once for each generation. `--record` keeps the figures for `docs/conformance.md`.
 */
import { parseArgs } from 'node:util';
import { recordResults, today } from '../../../scripts/reference/conformance.ts';
import { report, resultsOf, type SuiteOutcome, type SuiteRun } from '../report.ts';
import { generationOf, installKit, installPython, type Kit, kits, runKit } from './kit.ts';
import { type Target, targets } from './targets.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    target: { type: 'string' },
    kit: { type: 'string', multiple: true, default: [] },
    record: { type: 'boolean', default: false },
  },
});

/** The kits mostly wait, so that a few can run at a time. */
const atATime = 3;

async function run(): Promise<number> {
  const given = new Map(values.kit.map((folder) => [generationOf(folder), folder]));
  const python = installPython();
  const wanted = Object.entries(targets).filter(([name]) => name === (values.target ?? name));
  if (wanted.length === 0) throw new Error(`--target must be one of ${Object.keys(targets).join(', ')}`);
  let wrong = 0;
  for (const kit of Object.values(kits)) {
    const ofKit = wanted.filter(([, target]) => target.kit === kit.generation);
    if (ofKit.length === 0 || (given.size > 0 && !given.has(kit.generation))) continue;
    const folder = given.get(kit.generation) ?? installKit(kit);
    const outcome = await runAll(kit, ofKit, { folder, python });
    const differ = report(outcome);
    wrong += differ;
    if (values.record && differ === 0 && outcome.isWhole) recordResults(outcome.suite, resultsOf(outcome, today()));
  }
  return wrong === 0 ? 0 : 1;
}

async function runAll(
  { generation, version }: Kit,
  rows: readonly (readonly [string, Target])[],
  place: { readonly folder: string; readonly python: string },
): Promise<SuiteOutcome> {
  const runs = new Map<string, SuiteRun>();
  const waiting = [...rows];
  const worker = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift())
      runs.set(row[0], await runOne(...row, place));
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return {
    suite: `a2a-tck for A2A ${generation}`,
    version,
    command: 'conformance:tck',
    known: `tck-${generation}.txt`,
    runs: rows.flatMap(([name]) => runs.get(name) ?? []),
    isWhole: values.only === undefined && values.target === undefined,
  };
}

async function runOne(
  name: string,
  { title, args, open }: Target,
  place: { readonly folder: string; readonly python: string },
): Promise<SuiteRun> {
  const gateway = await open();
  try {
    const { cases, problem } = await runKit({ ...place, args: [...args, ...gateway.args], only: values.only });
    const named = [...cases].map(([test, result]) => [`${name}/${test}`, result] as const);
    return { target: title, cases: new Map(named), problem };
  } finally {
    await gateway.close();
  }
}

process.exitCode = await run();
