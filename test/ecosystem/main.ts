/**
 * `npm run test:ecosystem`: what needs more than the checkout and npm's own packages, or minutes of installing. It packs the
 * gateway, installs it into apps that have other versions of libraries, on the oldest Node and the current one, and runs each.
 * It prints a table, and exits with 1 where a row failed. `-- --only TEXT` runs the rows whose name has TEXT.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack } from '../../scripts/release/pack.ts';
import type { Job, JobContext } from './job.ts';
import { jobs } from './jobs.ts';
import { installNode } from './node.ts';

/** One line of the table. */
interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly note: string;
  readonly failure?: string;
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
  try {
    const note = await job.run(Object.assign({ folder }, common), within(job.timeout));
    return { name: job.name, seconds: seconds(), note };
  } catch (thrown) {
    const failure = thrown instanceof Error ? thrown.message : String(thrown);
    return { name: job.name, seconds: seconds(), note: failure.split('\n', 1)[0] ?? '', failure };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(only: string): Promise<void> {
  const chosen = jobs.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`no row has "${only}" in its name`);
  const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-ecosystem-'));
  const outcomes: Outcome[] = [];
  try {
    const common = shared(base);
    for (const job of chosen) {
      if (stopped.signal.aborted) break;
      const outcome = await outcomeOf(job, base, common);
      outcomes.push(outcome);
      console.log(`${outcome.failure === undefined ? 'ok    ' : 'FAILED'} ${outcome.name} (${outcome.seconds} s)`);
      if (outcome.failure !== undefined) console.log(outcome.failure.replace(/^/gm, '       '));
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  const rows = outcomes.map(({ name, seconds, note, failure }) => [
    name,
    failure ? 'FAILED' : 'ok',
    `${seconds}`,
    note,
  ]);
  console.log(`\n${table([['job', 'result', 'seconds', 'with'], ...rows])}`);
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  console.log(`\n${outcomes.length - failed} of ${outcomes.length} passed`);
  if (failed > 0 || stopped.signal.aborted) process.exitCode = 1;
}

/** Rows in Markdown, the first of which is the head. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [lines[0], `|${head.map(() => ' --- |').join('')}`, ...lines.slice(1)].join('\n');
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
await main(values.only);
