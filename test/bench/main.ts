/**
 * Measures the gateway against the official SDK's server, bare Node and a plain proxy, in one run on one machine, all on
 * the same Node: warm-up in turns until two rounds agree, rounds in alternating order, medians, ratios. Nothing is asserted.
 *
 * Shows progress on stderr. After each part it writes test/bench/results/latest.json, which keeps the newest result of
 * every part. A part that fails is named at the end, and the exit code is 1. Takes about a quarter of an hour; three runs of
 * `--rounds 4 --duration 400` take about twenty minutes.
 *
 * Usage: npm run bench -- [--only NAME]… [--resume] [--compare FILE] [--rounds 6] [--duration 1000] [--out FILE]
 *
 *   --only NAME     only parts whose names contain NAME; can be repeated
 *   --resume        keeps what an earlier run has measured at the same commit with the same settings
 *   --runs N        measures every part that has a goal so often, with new servers, and prints medians and spreads
 *   --before TREE   another checkout: scenarios, bridges and the part of PostgreSQL run its gateway beside this one; this
 *                   checkout as TREE shows how far two equal gateways are apart
 *   --compare FILE  prints what has changed since an earlier results file
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bridgeParts } from './bridges.ts';
import { compare } from './compare.ts';
import { measureFeatures } from './features.ts';
import { measureFirstAnswer } from './first-answer.ts';
import { measureIdle } from './idle.ts';
import { measureLargeAnswers } from './large-answers.ts';
import type { Part, Settings } from './part.ts';
import { measurePolicies } from './policies.ts';
import { measurePostgres } from './postgres.ts';
import { ResultsFile, readResults } from './results.ts';
import { scenarioPart } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { measureStorageHolds } from './storage-holds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    duration: { type: 'string', default: '1000' },
    only: { type: 'string', multiple: true, default: [''] },
    resume: { type: 'boolean', default: false },
    compare: { type: 'string' },
    runs: { type: 'string', default: '1' },
    before: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('./results/latest.json', import.meta.url)) },
  },
});
const settings: Settings = {
  rounds: Number(values.rounds),
  duration: Number(values.duration),
  runs: Number(values.runs),
  ...(values.before !== undefined && { before: values.before }),
};

const all: readonly Part[] = [
  ...bridgeParts,
  ...scenarios.map(scenarioPart),
  { name: 'task on PostgreSQL', measure: measurePostgres },
  { name: 'storage holds', measure: measureStorageHolds },
  { name: 'large answers', measure: measureLargeAnswers },
  { name: 'first answer', measure: measureFirstAnswer },
  { name: 'idle subscriber', measure: measureIdle },
  { name: 'features', measure: measureFeatures },
  { name: 'policies', measure: measurePolicies },
];
const contains = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());
const parts = all.filter(({ name }) => values.only.some((each) => contains(name, each)));
if (parts.length === 0) {
  console.error(`No part has this name. Parts:\n${all.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(2);
}

/** The commit of the files, or undefined when some differ from it or this is no checkout. */
function commitOfTree(): string | undefined {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', timeout: 10_000 }).trim();
  try {
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}

// Read before the run, which may write the same file.
const earlier = values.compare === undefined ? undefined : readResults(values.compare);
const conditions = { commit: commitOfTree(), node: process.version, settings };
const results = new ResultsFile(values.out, conditions, (line) => console.error(line));

function print(): void {
  const measured = Object.values(results.measured);
  const ratios = measured.flatMap((part) => part.ratios);
  console.table(measured.flatMap(({ figures }) => figures));
  console.table(ratios.filter(({ wanted }) => wanted === undefined));
  console.table(ratios.filter(({ wanted }) => wanted !== undefined));
  if (earlier) console.table(compare(earlier, results.measured));
  for (const [part, error] of results.failed) console.error(`${part} failed: ${error}`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    print();
    console.error('Interrupted. `npm run bench -- --resume` continues at the same commit.');
    // Servers end with this process.
    process.exit(130);
  });
}
await results.measure(parts, values.resume);
print();
if (results.failed.size > 0) process.exitCode = 1;
