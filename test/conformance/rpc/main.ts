/**
 * `npm run conformance:rpc`: the official conformance suite of Connect, gRPC and gRPC-Web against the project's own framing,
 * and gRPC's own interoperability cases (the side `grpc-interop`).
 * Failures are compared with the lists in `test/conformance/known-failures`. `-- --side NAME` runs one side, `--only
 * PATTERN` the cases with such a name, whatever the list says, and `--trace` prints the HTTP of cases that fail. `--record`
 * keeps the figures of all sides for `docs/conformance.md`.
 */
import { parseArgs } from 'node:util';
import { type ConformanceResult, recordResults, today } from '../../../scripts/reference/conformance.ts';
import { installTools } from '../../../scripts/tools.ts';
import { installPrograms, version as interopVersion } from './interop/programs.ts';
import { installSuite, version as suiteVersion, whyNoSuite } from './program.ts';
import { type Outcome, runSuite, sides, tableOf } from './suite.ts';

const { values } = parseArgs({
  options: {
    side: { type: 'string' },
    only: { type: 'string' },
    trace: { type: 'boolean' },
    record: { type: 'boolean', default: false },
  },
});
const { side: wanted, only, trace = false, record } = values;

type Run = () => Promise<Outcome>;

const runs: Readonly<Record<string, Run>> = {
  ...Object.fromEntries(
    Object.entries(sides).map(([name, side]): [string, Run] => [
      name,
      async () => runSuite(await installSuite(), side, { only, trace }),
    ]),
  ),
  async 'grpc-interop'() {
    await installTools('compile');
    await installPrograms();
    // It compiles its proto, with one of these tools.
    const { runInterop } = await import('./interop/run.ts');
    return runInterop();
  },
};

const connectSuite = 'conformance suite of Connect';
const interopSuite = "gRPC's interoperability cases";

/** A row of `docs/conformance.md`: the cases of a side whose names begin so. */
type Row = Pick<ConformanceResult, 'suite' | 'version' | 'target'> & { readonly begin: string };

const connectRow = (target: string): Row => ({ suite: connectSuite, version: suiteVersion, target, begin: '' });
const interopRow = (target: string, begin: string): Row => ({
  suite: interopSuite,
  version: interopVersion,
  target,
  begin,
});

/** Rows of `docs/conformance.md` by side. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  'connect-server': [connectRow('the server: Connect, gRPC, gRPC-Web')],
  'connect-client': [connectRow('the client of Connect agents')],
  'grpc-client': [connectRow('the client of gRPC agents')],
  'grpc-interop': [interopRow('the client of gRPC agents', 'client/'), interopRow('the server: gRPC', 'server/')],
};

/** Keeps the figures, suite by suite. */
function keep(outcomes: ReadonlyMap<string, Outcome>): void {
  const results = [...outcomes].flatMap(([name, { cases, failures }]): ConformanceResult[] => {
    const known = `test/conformance/known-failures/${name}.txt`;
    return (rows[name] ?? []).map(({ begin, ...row }) => {
      const ofRow = cases.filter((each) => each.startsWith(begin));
      const failed = ofRow.filter((each) => failures.has(each)).length;
      const counts = { passed: ofRow.length - failed, failed, skipped: 0 };
      return { ...row, ...counts, date: today(), command: 'conformance:rpc', known };
    });
  });
  for (const [suite, ofSuite] of Map.groupBy(results, (result) => result.suite)) recordResults(suite, ofSuite);
}

async function run(): Promise<number> {
  const missing = whyNoSuite();
  const names = Object.keys(runs).filter((name) => name === (wanted ?? name));
  if (missing !== undefined || names.length === 0) {
    console.error(missing ?? `--side must be one of ${Object.keys(runs).join(', ')}`);
    return 2;
  }
  if (record && (wanted !== undefined || only !== undefined)) {
    console.error('--record keeps the figures of whole runs: leave out --side and --only');
    return 2;
  }
  let wrong = 0;
  const outcomes = new Map<string, Outcome>();
  for (const name of names) {
    const outcome = await (runs[name] as Run)();
    outcomes.set(name, outcome);
    const { cases, failures, unexpected, problem } = outcome;
    if (problem !== undefined) console.error(problem);
    for (const each of unexpected) console.log(each);
    for (const line of tableOf(outcome)) console.log(`${name} ${line}`);
    const passed = cases.length - failures.size;
    console.log(`${name}: ${passed} of ${cases.length} cases passed, ${unexpected.length} differ from the list`);
    if (problem !== undefined) wrong += 1;
    wrong += unexpected.length;
  }
  if (record && wrong === 0) keep(outcomes);
  return wrong === 0 ? 0 : 1;
}

process.exitCode = await run();
