/**
 * `npm run conformance:protobuf`: protobuf's own conformance suite against the project's codec. What fails is compared with
 * `test/conformance/known-failures/protobuf.txt`. `-- --record` keeps the cases that pass, with the codec's answers, for
 * `cases.test.ts`, which needs no suite.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { delimited } from '../delimited.ts';
import { cases as casesFile, descriptors as descriptorsFile, type Row, rowOf } from './cases.ts';
import { ConformanceCodec } from './codec.ts';
import { descriptors, differences, installSuite, type Outcome, runSuite } from './suite.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean' } } });

async function run(): Promise<number> {
  const problem = installSuite();
  if (problem !== undefined) {
    console.error(problem);
    return 2;
  }
  const outcome = await runSuite();
  const wrong = differences(outcome);
  for (const each of wrong) console.log(each);
  const { passed, failures } = outcome;
  console.log(`${passed} of ${passed + failures.size} cases passed, ${wrong.length} lines differ from the list`);
  if (values.record) console.log(`${await record(outcome)} cases recorded`);
  return wrong.length === 0 ? 0 : 1;
}

/** Keeps the cases that passed. @returns how many */
async function record({ failures }: Outcome): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'protobuf-cases-'));
  try {
    const file = join(folder, 'cases');
    const { order } = await runSuite(file);
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
