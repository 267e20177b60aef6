/**
 * `npm run conformance:itk`: the scenarios of a2a-itk between its agents in TypeScript, of A2A 1.0 and 0.3: called by one another
 * themselves, and each behind a gateway. `-- --only TEXT` runs the scenarios with such a name and prints every result,
 * `--repository URL` fetches the kit from a copy of its repository, `--record` keeps the figures for `docs/conformance.md`.
 */
import { parseArgs } from 'node:util';
import { type ConformanceResult, recordResults, today } from '../../../scripts/reference/conformance.ts';
import { rows, runRow } from './run.ts';
import { commit, installSuite } from './suite.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, repository: { type: 'string' }, record: { type: 'boolean' } },
});
const { only, repository, record = false } = values;

const targets = { direct: 'its own agents, without a gateway', gateway: 'each agent behind a gateway' } as const;

async function run(): Promise<number> {
  try {
    await installSuite(repository);
  } catch (thrown) {
    console.error(`a2a-itk cannot be had here: ${(thrown as Error).message}`);
    console.error('Name a copy of its repository with --repository URL.');
    return 2;
  }
  let wrong = 0;
  const recorded: ConformanceResult[] = [];
  for (const row of rows) {
    const results = await runRow(row, only);
    const passed = results.filter((result) => result.passed).length;
    console.log(`${row}: ${passed} of ${results.length} scenarios passed`);
    for (const { name, detail, passed: is } of results)
      if (!is || only !== undefined) console.log(`  ${is ? 'ok  ' : 'fail'} ${name} ${detail}`);
    wrong += results.length - passed;
    const facts = { suite: 'a2a-itk', version: commit.slice(0, 12), target: targets[row], command: 'conformance:itk' };
    recorded.push({ ...facts, passed, failed: results.length - passed, skipped: 0, date: today() });
  }
  if (record && wrong === 0 && only === undefined) recordResults('a2a-itk', recorded);
  return wrong === 0 ? 0 : 1;
}

process.exitCode = await run();
