/**
 * `npm run conformance:mcp`: the official conformance kit of MCP against a gateway as server and as client, in both eras. Its
 * failures are compared with `known-failures.txt`. `-- --only TEXT` runs the scenarios whose `SIDE VERSION NAME` has TEXT,
 * and prints every check. `--record` keeps the figures of a whole run for `docs/conformance.md`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ConformanceResult, recordResults, today } from '../../../scripts/reference/conformance.ts';
import { installTools } from '../../../scripts/tools.ts';
import { failuresOf, idOf, readKnown } from './known-failures.ts';
import { runScenarios } from './run.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, record: { type: 'boolean', default: false } },
});
const { only, record } = values;
if (record && only !== undefined) throw new Error('--record keeps the figures of whole runs: leave out --only');

const suite = 'conformance kit of MCP';
const manifest = new URL('../../../tools/tests/package.json', import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));

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
const isRight = unexpected.length + outdated.length === 0;
if (record && isRight) recordResults(suite, (['client', 'server'] as const).map(figuresOf));
process.exitCode = isRight ? 0 : 1;

/** The row of a side: checks of all scenarios, in all versions. A warning counts as a failure. */
function figuresOf(side: 'client' | 'server'): ConformanceResult {
  const checks = [...results].flatMap(([scenario, of]) => (scenario.side === side ? of : []));
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').length;
  const count = (wanted: string): number => checks.filter(({ status }) => status === wanted).length;
  return {
    suite,
    version: devDependencies['@modelcontextprotocol/conformance'],
    target: `the gateway as ${side}, checks`,
    passed: count('SUCCESS'),
    failed,
    skipped: count('SKIPPED'),
    date: today(),
    command: 'conformance:mcp',
    known: 'test/conformance/mcp/known-failures.txt',
  };
}
