/**
 * `npm run conformance:h2spec`: h2spec, the conformance suite of HTTP/2, against the gateway's port in clear text (with prior
 * knowledge) and with TLS. Failures are compared with `known-failures/h2spec.txt`. `-- --only SECTION` runs a section of the
 * suite, such as `http2/6.5`; `--record` keeps the figures for `docs/conformance.md`.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openGateway } from '../../support/gateway.ts';
import { suiteCache } from '../cache.ts';
import { type CaseResult, readJUnit } from '../junit.ts';
import { matchesCase, readKnownFile } from '../known-list.ts';
import { finish, type SuiteRun } from '../report.ts';
import { executable, go } from '../rpc/program.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, record: { type: 'boolean', default: false } } });

const list = 'h2spec.txt';

const module = 'github.com/summerwind/h2spec';
const version = 'v2.2.1';

/** Milliseconds for the suite, which waits four seconds for an answer of each of its 146 cases. */
const timeoutMs = 600_000;

/** The suite, built once into the cache. Throws where Go is missing. */
async function installSuite(): Promise<string> {
  const folder = suiteCache(`h2spec-${version}`);
  const program = join(folder, executable('h2spec'));
  if (existsSync(program)) return program;
  if (spawnSync('go', ['version']).status !== 0) throw new Error(`${module} is a program in Go: install Go first`);
  await mkdir(folder, { recursive: true });
  console.error(`building ${module} ${version}`);
  await go(['install', `${module}/cmd/h2spec@${version}+incompatible`], folder);
  return program;
}

const pem = (name: string): string => fileURLToPath(new URL(`../../support/tls/${name}.pem`, import.meta.url));

/** The listeners that are tried, by the short name that begins the names of cases. */
const listeners = {
  plain: { title: 'clear text, prior knowledge', listen: {}, args: [] },
  tls: {
    title: 'TLS',
    listen: { tls: { cert: pem('server'), key: pem('server').replace(/pem$/, 'key') } },
    args: ['--tls', '--insecure'],
  },
} as const;

async function runOne(program: string, name: keyof typeof listeners): Promise<SuiteRun> {
  const { title, listen, args } = listeners[name];
  const gateway = await openGateway(
    JSON.stringify({
      listen: { host: '127.0.0.1', port: 0, ...listen },
      store: 'memory:',
      agents: { demo: { kind: 'reference' } },
    }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'h2spec-'));
  try {
    const report = join(folder, 'report.xml');
    const where = [
      '--port',
      `${gateway.port}`,
      '--path',
      '/healthz',
      '--strict',
      '--timeout',
      '4',
      '--junit-report',
      report,
    ];
    const output = await outputOf(program, [...(values.only ? [values.only] : []), ...where, ...args]);
    if (!existsSync(report)) return { target: title, cases: new Map(), problem: output.slice(-5_000) };
    const cases = readJUnit(
      await readFile(report, 'utf8'),
      (attribute) => `${name}/${attribute('package')}: ${attribute('classname')}`,
    );
    return { target: title, cases };
  } finally {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: timeoutMs, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/**
 * The outcome of two runs, since some cases depend on which frame is first, and on a machine with more to do on a wait. A case of the
 * list fails where it failed once, another one where it failed twice.
 */
function merged(one: SuiteRun, other: SuiteRun): SuiteRun {
  const known = readKnownFile(list);
  const cases = new Map<string, CaseResult>(one.cases);
  for (const [name, result] of other.cases) {
    const isKnown = known.some(({ pattern }) => matchesCase(pattern, name));
    const first = one.cases.get(name);
    const failed = [first, result].filter((each) => each?.outcome === 'failed');
    cases.set(
      name,
      failed.length === 1 && isKnown
        ? (failed[0] as CaseResult)
        : first?.outcome === 'failed'
          ? result
          : (first ?? result),
    );
  }
  return { ...one, cases };
}

const program = await installSuite();
const runs: SuiteRun[] = [];
for (const name of Object.keys(listeners) as (keyof typeof listeners)[]) {
  runs.push(merged(await runOne(program, name), await runOne(program, name)));
}
process.exitCode = finish(
  {
    suite: 'h2spec',
    version,
    command: 'conformance:h2spec',
    known: list,
    runs,
    isWhole: values.only === undefined,
  },
  values.record,
);
