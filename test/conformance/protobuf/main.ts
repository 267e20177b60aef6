/**
 * `npm run conformance:protobuf`: protobuf's own conformance suite against the project's codec. Failures are compared with
 * `test/conformance/known-failures/protobuf.txt`.
 *
 * - `-- --record`: keeps the figures for `docs/conformance.md`, and the cases that pass, with the codec's answers, for
 *   `cases.test.ts`, which needs no suite
 * - `-- --libraries DIR`: a folder with the loader, glibc and libstdc++ of a newer Linux, with which the suite is started
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { recordResults, today } from '../../../scripts/reference/conformance.ts';
import { delimited } from '../delimited.ts';
import { cases as casesFile, descriptors as descriptorsFile, type Row, rowOf } from './cases.ts';
import { ConformanceCodec } from './codec.ts';
import { descriptors, differences, installSuite, type Outcome, runSuite, version } from './suite.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean' }, libraries: { type: 'string' } } });
const { record, libraries } = values;

async function run(): Promise<number> {
  const problem = installSuite(libraries);
  if (problem !== undefined) {
    console.error(problem);
    return 2;
  }
  const outcome = await runSuite(libraries);
  const wrong = differences(outcome);
  for (const each of wrong) console.log(each);
  const { passed, failures } = outcome;
  console.log(`${passed} of ${passed + failures.size} cases passed, ${wrong.length} lines differ from the list`);
  if (record && wrong.length === 0) {
    keepFigures(outcome);
    console.log(`${await keepCases(outcome)} cases recorded`);
  }
  return wrong.length === 0 ? 0 : 1;
}

function keepFigures({ passed, skipped, failures }: Outcome): void {
  const suite = 'conformance suite of protobuf';
  const target = 'the codec: proto3, binary and JSON';
  const known = 'test/conformance/known-failures/protobuf.txt';
  const counts = { passed, failed: failures.size, skipped };
  const row = { suite, version, target, ...counts, date: today(), command: 'conformance:protobuf', known };
  recordResults(suite, [row]);
}

/** Keeps the cases that passed. @returns how many */
async function keepCases({ failures }: Outcome): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'protobuf-cases-'));
  try {
    const file = join(folder, 'cases');
    const { order } = await runSuite(libraries, file);
    const codec = new ConformanceCodec(descriptors);
    const rows: Row[] = [];
    let at = 0;
    for await (const message of delimited(Readable.from([readFileSync(file)]), 'lowest first')) {
      const read = codec.read(message);
      // The first question is for a list of failures, and is no case.
      if (read.messageType === 'conformance.FailureSet') continue;
      const name = order[at] ?? '';
      at += 1;
      const answer = codec.answer(read);
      if (answer.skipped === undefined && !failures.has(name)) rows.push(rowOf(name, read, answer));
    }
    if (at !== order.length) throw new Error(`The suite has ${at} cases, and named ${order.length}`);
    writeFileSync(casesFile, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    copyFileSync(descriptors, descriptorsFile);
    return rows.length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await run();
