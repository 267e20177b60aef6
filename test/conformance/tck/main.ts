/**
 * `npm run conformance:tck`: the official conformance kits of A2A 1.0 and 0.3 against gateways with agents of their own, and
 * with agents of other generations behind them. Failures are compared with `known-failures/tck-1.0.txt` and `tck-0.3.txt`.
 * `-- --only TEXT` runs the tests with such a name, `--target NAME` one target, and `--kit DIR` takes a copy of a kit in place
 * of a clone; it may be given once for each generation. `--record` keeps the figures for `docs/conformance.md`.
 */
import { parseArgs } from 'node:util';
import type { CaseResult } from '../junit.ts';
import { matchesCase, readKnownFile } from '../known-list.ts';
import { finish, type SuiteOutcome, type SuiteRun } from '../report.ts';
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
    wrong += finish(outcome, values.record);
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

/** The functions of tests that fail and are not in the list. */
function unexpectedOf(kit: Kit['generation'], cases: ReadonlyMap<string, CaseResult>): string[] {
  const known = readKnownFile(`tck-${kit}.txt`);
  const failed = [...cases].filter(
    ([name, { outcome }]) => outcome === 'failed' && !known.some(({ pattern }) => matchesCase(pattern, name)),
  );
  return [...new Set(failed.map(([name]) => /::(\w+)/.exec(name)?.[1] ?? name))];
}

async function runOne(
  name: string,
  { kit, title, args, open }: Target,
  place: { readonly folder: string; readonly python: string },
): Promise<SuiteRun> {
  const gateway = await open();
  try {
    const run = { ...place, args: [...args, ...gateway.args] };
    const { cases, problem } = await runKit({ ...run, only: values.only });
    const named = new Map([...cases].map(([test, result]) => [`${name}/${test}`, result] as const));
    const again = unexpectedOf(kit, named);
    if (again.length > 0) {
      // The kits wait two seconds for an event, which is short on a machine with more to do.
      const { cases: second } = await runKit({ ...run, only: again.join(' or ') });
      for (const [test, result] of second) named.set(`${name}/${test}`, result);
    }
    return { target: title, cases: named, problem };
  } finally {
    await gateway.close();
  }
}

process.exitCode = await run();
