/**
 * `npm run conformance:dummy`: the contracts of dummy-a2a against its agent itself, and against a gateway in front of it.
 * Failures are compared with `test/conformance/known-failures/dummy-a2a.txt`. `-- --only TEXT` tries the contracts with
 * such an id and prints every result, `--python PATH` names the interpreter to install it with, and `--record` keeps the
 * figures for `docs/conformance.md`.
 */
import { parseArgs } from 'node:util';
import { type ConformanceResult, recordResults, today } from '../../../scripts/reference/conformance.ts';
import { differences, knownPath, readKnown } from './known.ts';
import { installSuite, rows, runRow, version } from './suite.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, python: { type: 'string' }, record: { type: 'boolean' } },
});
const { only, python, record = false } = values;

async function run(): Promise<number> {
  try {
    installSuite(python);
  } catch (thrown) {
    console.error(`dummy-a2a is a package of Python, and cannot be had here: ${(thrown as Error).message}`);
    return 2;
  }
  const wrong: string[] = [];
  const recorded: ConformanceResult[] = [];
  for (const { name, target, ...row } of rows) {
    const results = await runRow({ name, target, ...row }, only);
    const passed = results.filter((result) => result.passed).length;
    const failed = results.length - passed;
    console.log(`${name}: ${passed} of ${results.length} contracts are kept`);
    if (only !== undefined)
      for (const { id, detail, passed: is } of results) console.log(`  ${is ? 'ok  ' : 'fail'} ${id} ${detail}`);
    wrong.push(...differences(name, results, readKnown()));
    const facts = {
      suite: 'dummy-a2a',
      version,
      target,
      date: today(),
      command: 'conformance:dummy',
      known: knownPath,
    };
    recorded.push({ ...facts, passed, failed, skipped: 0 });
  }
  for (const each of wrong) console.log(`differs from the list: ${each}`);
  console.log(`${wrong.length} results differ from the list`);
  if (record && wrong.length === 0 && only === undefined) recordResults('dummy-a2a', recorded);
  return wrong.length === 0 ? 0 : 1;
}

process.exitCode = await run();
