/**
 * `npm run test:ecosystem`: tests that need more than the checkout and npm's own packages, or minutes of installing.
 *
 * - Tests that `npm run test:all` skips where a program is missing, such as NATS, PgBouncer, nginx and Helm. The programs come
 *   from the registries of Go, Python and Debian, into `node_modules/.cache/ecosystem`: nothing is installed on the machine.
 * - Apps with other versions of libraries, into which the packed gateway is installed, on the oldest Node and the current one.
 *
 * It prints a table, and exits with 1 where a row failed. A row that this machine cannot run is listed with the reason, and
 * fails with `-- --strict` only. `-- --only TEXT` runs the rows whose name has TEXT.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack } from '../../scripts/release/pack.ts';
import { type Counts, countLine } from '../../scripts/test-counts.ts';
import type { Job, JobContext } from './job.ts';
import { jobs } from './jobs.ts';
import { installNode } from './node.ts';
import { NotHad } from './programs/program.ts';

/** One line of the table. */
interface Outcome {
  readonly name: string;
  readonly result: 'ok' | 'FAILED' | 'not had';
  readonly seconds: number;
  readonly note: string;
  readonly tests?: Counts;
  /** Why it failed, or what the machine does not have. */
  readonly reason?: string;
}

/** Milliseconds for packing, and for a version of Node. */
const preparation = 300_000;

/** Makes each thing once, when it is first needed. */
function shared(base: string): Pick<JobContext, 'tarball' | 'node'> {
  const made = new Map<string, Promise<string>>();
  const once = (key: string, make: () => Promise<string>): Promise<string> => {
    const found = made.get(key) ?? make();
    made.set(key, found);
    return found;
  };
  return {
    tarball: () =>
      once('tarball', async () => {
        const folder = join(base, 'packed');
        mkdirSync(folder);
        const { tarball, size, unpackedSize } = await pack(folder, within(preparation));
        console.log(`packed: ${size} bytes, ${unpackedSize} unpacked`);
        return tarball;
      }),
    node: (version) =>
      once(`node ${version}`, () =>
        installNode(version, join(base, `node-${version}`), dirname(process.execPath), within(preparation)),
      ),
  };
}

/** Aborted when the run is to end early, with every program that it has started. */
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());

const within = (milliseconds: number): AbortSignal =>
  AbortSignal.any([stopped.signal, AbortSignal.timeout(milliseconds)]);

async function outcomeOf(job: Job, base: string, common: Pick<JobContext, 'tarball' | 'node'>): Promise<Outcome> {
  const folder = mkdtempSync(join(base, 'job-'));
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1_000);
  const ended = (result: Outcome['result'], note: string, rest: Pick<Outcome, 'tests' | 'reason'> = {}): Outcome =>
    Object.assign({ name: job.name, result, seconds: seconds(), note }, rest);
  try {
    const { note, tests, failure } = await job.run(Object.assign({ folder }, common), within(job.timeout));
    const rest = { ...(tests && { tests }), ...(failure !== undefined && { reason: failure }) };
    return ended(failure === undefined ? 'ok' : 'FAILED', note, rest);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const result = thrown instanceof NotHad ? 'not had' : 'FAILED';
    return ended(result, reason.split('\n', 1)[0] ?? '', { reason });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(chosen: readonly Job[]): Promise<readonly Outcome[]> {
  const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-ecosystem-'));
  const outcomes: Outcome[] = [];
  try {
    const common = shared(base);
    for (const job of chosen) {
      if (stopped.signal.aborted) break;
      const outcome = await outcomeOf(job, base, common);
      outcomes.push(outcome);
      console.log(`${outcome.result.padEnd(7)} ${outcome.name} (${outcome.seconds} s)`);
      if (outcome.reason !== undefined) console.log(outcome.reason.replace(/^/gm, '        '));
    }
    return outcomes;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function main(only: string, strict: boolean): Promise<void> {
  const chosen = jobs.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`no row has "${only}" in its name`);
  const outcomes = await runAll(chosen);
  const rows = outcomes.map(({ name, result, tests, seconds, note }) => [
    ...[name, result, tests === undefined ? '' : countLine(tests)],
    ...[`${seconds}`, note],
  ]);
  console.log(`\n${table([['row', 'result', 'tests', 'seconds', 'with'], ...rows])}`);
  const count = (result: Outcome['result']): number => outcomes.filter((each) => each.result === result).length;
  const absent = count('not had');
  console.log(`\n${count('ok')} of ${outcomes.length} passed${absent > 0 ? `, ${absent} could not be had` : ''}`);
  if (count('FAILED') > 0 || (strict && absent > 0) || stopped.signal.aborted) process.exitCode = 1;
}

/** Rows in Markdown, the first of which is the head. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [lines[0], `|${head.map(() => ' --- |').join('')}`, ...lines.slice(1)].join('\n');
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, strict: { type: 'boolean', default: false } },
});
await main(values.only, values.strict);
