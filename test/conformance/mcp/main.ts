/**
 * `npm run conformance:mcp`: the official conformance kit of MCP against a gateway as server and as client, in both eras. Its
 * failures are compared with `known-failures.txt`. `-- --only TEXT` runs the scenarios whose `SIDE VERSION NAME` has TEXT,
 * and prints every check.
 */
import { parseArgs } from 'node:util';
import { installTools } from '../../../scripts/tools.ts';
import { failuresOf, idOf, readKnown } from './known-failures.ts';
import { runScenarios } from './run.ts';

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const { only } = values;

await installTools('tests');
const { compare } = readKnown();
const results = await runScenarios({
  only,
  ...(only !== undefined && { onCall: (line) => console.log(`       ${line}`) }),
  onResult(scenario, checks) {
    const failures = failuresOf(checks);
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const isKnown = compare(new Map([[scenario, checks]])).unexpected.length === 0;
    const outcome = failures.size === 0 ? 'ok    ' : isKnown ? 'known ' : 'FAILED';
    console.log(`${outcome} ${idOf(scenario)}: ${passed} passed, ${failures.size} failed`);
    if (only === undefined) return;
    for (const { id, status, errorMessage = '' } of checks)
      console.log(`         ${status.toLowerCase()} ${id} ${errorMessage}`);
  },
});
const { unexpected, outdated } = compare(results);
for (const each of unexpected) console.log(`unexpected failure: ${each}`);
for (const each of outdated) console.log(`has not failed, so the line can go: ${each}`);
console.log(
  `${results.size} scenarios, ${unexpected.length} unexpected failures, ${outdated.length} lines that can go`,
);
process.exitCode = unexpected.length + outdated.length > 0 ? 1 : 0;
