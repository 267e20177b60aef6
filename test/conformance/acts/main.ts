/**
 * `npm run conformance:acts`: ACTS, A2A's own conformance specification, against a gateway with an agent of its own, and in
 * front of agents of A2A 1.0, 0.3, 0.2 and 0.1, over JSON-RPC, HTTP+JSON and gRPC, with and without authentication.
 * Failures are compared with `test/conformance/known-failures/acts.txt`.
 *
 * - `-- --only TEXT`: the rows and tests whose `TARGET BINDING [auth] TEST` has TEXT, each with its reason
 * - `-- --suite DIR`: the folder with ACTS' files, in place of those that git fetches
 * - `-- --repository URL`: where git fetches the specification's repository, such as a path to a copy
 * - `-- --record`: keeps the figures for `docs/conformance.md`
 */
import { parseArgs } from 'node:util';
import { recordResults } from '../../../scripts/reference/conformance.ts';
import { cleanUp } from '../../support/peer.ts';
import { differences, readKnown } from './known.ts';
import { readSuite, type Test } from './read.ts';
import { recordOf, summaryOf } from './report.ts';
import { isOfClients, type Result, rowsOf, runClients, runRow } from './run.ts';
import { installSuite } from './suite.ts';
import { targets } from './targets.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    suite: { type: 'string' },
    repository: { type: 'string' },
    record: { type: 'boolean' },
  },
});
const { only, suite, repository, record = false } = values;

/** The files of ACTS; undefined where they cannot be had, which is printed. */
function readFiles(): Test[] | undefined {
  try {
    return readSuite(suite ?? installSuite(repository));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    console.error(`ACTS is in the repository of the A2A specification, and cannot be had here: ${reason}`);
    console.error(
      'Name a folder that has its files with --suite DIR, or a copy of the repository with --repository URL.',
    );
    return undefined;
  }
}

async function run(): Promise<number> {
  const tests = readFiles();
  if (tests === undefined) return 2;
  const results = new Map<string, readonly Result[]>();
  const report = (name: string, of: readonly Result[]): void => {
    results.set(name, of);
    for (const line of summaryOf(name, of)) console.log(line);
    for (const { test, result, reason = '' } of only === undefined ? [] : of)
      console.log(`  ${result.padEnd(5)} ${test.id} ${reason}`);
  };
  const isWanted = (name: string, { id }: Test): boolean => only === undefined || `${name} ${id}`.includes(only);
  const ofClients = tests.filter((test) => isOfClients(test) && isWanted('client', test));
  if (ofClients.length > 0) report('client', await runClients(ofClients));
  for (const row of rowsOf(targets)) {
    const wanted = tests.filter((test) => !isOfClients(test) && isWanted(row.name, test));
    if (wanted.length > 0) report(row.name, await runRow(row, wanted, repository));
    await cleanUp('file');
  }
  const wrong = differences(results, readKnown());
  for (const each of wrong) console.log(`differs from the list: ${each}`);
  console.log(`${tests.length} tests, ${results.size} rows, ${wrong.length} results differ from the list`);
  const isGood = wrong.length === 0 && results.size > 0;
  if (record && isGood && only === undefined)
    recordResults(
      'ACTS',
      [...results].map(([name, of]) => recordOf(name, of)),
    );
  return isGood ? 0 : 1;
}

process.exitCode = await run();
