/**
 * `npm run conformance:rpc`: the official conformance suite of Connect, gRPC and gRPC-Web against the project's own framing,
 * and gRPC's own interoperability cases (the side `grpc-interop`).
 * What fails is compared with the lists in `test/conformance/known-failures`. `-- --side NAME` runs one side, `--only PATTERN`
 * the cases with such a name, whatever the list says, and `--trace` prints the HTTP of those that fail.
 */
import { parseArgs } from 'node:util';
import { installTools } from '../../../scripts/tools.ts';
import { installPrograms } from './interop/programs.ts';
import { installSuite, whyNoSuite } from './program.ts';
import { type Outcome, runSuite, sides, tableOf } from './suite.ts';

const { values } = parseArgs({
  options: { side: { type: 'string' }, only: { type: 'string' }, trace: { type: 'boolean' } },
});
const { side: wanted, only, trace = false } = values;

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

async function run(): Promise<number> {
  const missing = whyNoSuite();
  const names = Object.keys(runs).filter((name) => name === (wanted ?? name));
  if (missing !== undefined || names.length === 0) {
    console.error(missing ?? `--side must be one of ${Object.keys(runs).join(', ')}`);
    return 2;
  }
  let wrong = 0;
  for (const name of names) {
    const outcome = await (runs[name] as Run)();
    const { cases, failures, unexpected, problem } = outcome;
    if (problem !== undefined) console.error(problem);
    for (const each of unexpected) console.log(each);
    for (const line of tableOf(outcome)) console.log(`${name} ${line}`);
    const passed = cases.length - failures.size;
    console.log(`${name}: ${passed} of ${cases.length} cases passed, ${unexpected.length} differ from the list`);
    if (problem !== undefined) wrong += 1;
    wrong += unexpected.length;
  }
  return wrong === 0 ? 0 : 1;
}

process.exitCode = await run();
