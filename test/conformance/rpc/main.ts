/**
 * `npm run conformance:rpc`: the official conformance suite of Connect, gRPC and gRPC-Web against the project's own framing.
 * What fails is compared with the lists in `test/conformance/known-failures`. `-- --side NAME` runs one side, `--only PATTERN`
 * the cases with such a name, whatever the list says, and `--trace` prints the HTTP of those that fail.
 */
import { parseArgs } from 'node:util';
import { installSuite, whyNoSuite } from './program.ts';
import { runSuite, sides, tableOf } from './suite.ts';

const { values } = parseArgs({
  options: { side: { type: 'string' }, only: { type: 'string' }, trace: { type: 'boolean' } },
});
const { side: wanted, only, trace = false } = values;

async function run(): Promise<number> {
  const missing = whyNoSuite();
  const chosen = Object.entries(sides).filter(([name]) => wanted === undefined || name === wanted);
  if (missing !== undefined || chosen.length === 0) {
    console.error(missing ?? `--side must be one of ${Object.keys(sides).join(', ')}`);
    return 2;
  }
  const suite = await installSuite();
  let wrong = 0;
  for (const [name, side] of chosen) {
    const outcome = await runSuite(suite, side, { only, trace });
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
