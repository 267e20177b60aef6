/**
 * `npm run conformance:schemathesis`: schemathesis, which makes requests of an OpenAPI description, against `/openapi.json` of a
 * gateway with the reference agent and its knowledge graph. All checks, from several fixed seeds, each with a gateway of its own. What
 * fails is compared with `known-failures/schemathesis.txt`, which names operations with the code of the check.
 *
 * - `-- --only TEXT`: the operations whose path has TEXT; prints every failure
 * - `-- --seed N`: one seed, any number; prints every failure
 * - `-- --record`: keeps the figures for `docs/conformance.md`
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openGateway } from '../../support/gateway.ts';
import { type CaseResult, readJUnit } from '../junit.ts';
import { pythonWith } from '../python.ts';
import { finish, type SuiteRun } from '../report.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const { only, seed, record } = values;

const version = '4.32.5';

/** Seeds of the suite's random requests. */
const seeds = seed === undefined ? [1, 2, 3] : [Number(seed)];

/** Milliseconds for the suite with one seed. */
const timeoutMs = 900_000;

/**
 * The administrative service changes and stops the gateway that it is asked of; a subscription to knowledge stays open, where the
 * suite waits for its end.
 */
const excluded = '^/admin/|/knowledge:subscribe$';

const options = [
  ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing', '--max-examples', '20'],
  ...['--continue-on-failure', '--generation-database', 'none', '--request-timeout', '10', '--no-color'],
];

/** Cases of one operation: one for each check that failed, or one that passed. */
function casesOf(cases: ReadonlyMap<string, CaseResult>): Map<string, CaseResult> {
  return new Map(
    [...cases].flatMap(([operation, result]): [string, CaseResult][] => {
      const codes = [...new Set([...result.message.matchAll(/\bST\d+\b/g)].map(([code]) => code))];
      if (result.outcome !== 'failed' || codes.length === 0) return [[operation, result]];
      return codes.map((code) => [`${operation} ${code}`, result]);
    }),
  );
}

const target = '/openapi.json of the reference agent';

/** A check that fails from one seed has failed. */
async function run(): Promise<SuiteRun> {
  const cases = new Map<string, CaseResult>();
  const failing = new Set<string>();
  for (const each of seeds) {
    const one = await runFrom(each);
    if (one.problem !== undefined) return one;
    for (const [name, result] of one.cases) {
      if (result.outcome === 'failed') failing.add(operationOf(name));
      if (result.outcome === 'failed' || !cases.has(name)) cases.set(name, result);
    }
  }
  for (const operation of failing) cases.delete(operation);
  return { target, cases };
}

/** The operation of a case. */
const operationOf = (name: string): string => name.replace(/ ST\d+$/, '');

async function runFrom(each: number): Promise<SuiteRun> {
  const bin = pythonWith('schemathesis', [`schemathesis==${version}`]);
  const gateway = await openGateway(
    JSON.stringify({
      listen: { host: '127.0.0.1', port: 0 },
      store: 'memory:',
      agents: { demo: { kind: 'reference', knowledge: true } },
      defaultAgent: 'demo',
    }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  try {
    const report = join(folder, 'report.xml');
    const reports = ['--report', 'junit', '--report-junit-path', report];
    const selected = [
      ...['--exclude-path-regex', excluded],
      ...(only === undefined ? [] : ['--include-path-regex', only]),
    ];
    const output = await new Promise<string>((resolve) => {
      const args = ['run', `${gateway.origin}/openapi.json`, ...options, '--seed', `${each}`, ...reports, ...selected];
      const settings = { cwd: folder, timeout: timeoutMs, maxBuffer: 2 ** 28 };
      execFile(join(bin, 'schemathesis'), args, settings, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
    if (only !== undefined || seed !== undefined) console.log(output);
    if (!existsSync(report)) return { target, cases: new Map(), problem: output.slice(-5_000) };
    return { target, cases: casesOf(readJUnit(await readFile(report, 'utf8'), (attribute) => attribute('name'))) };
  } finally {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = finish(
  {
    suite: 'schemathesis',
    version,
    command: 'conformance:schemathesis',
    known: 'schemathesis.txt',
    runs: [await run()],
    isWhole: only === undefined && seed === undefined,
  },
  record,
);
