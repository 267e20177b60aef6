import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suiteCache } from '../cache.ts';
import { type CaseResult, readJUnit } from '../junit.ts';
import { pythonWith } from '../python.ts';

/** The official conformance kits of A2A (`a2aproject/a2a-tck`): tests in Python, one kit for each generation. */

/** A kit at the commit whose outcome is recorded. */
export interface Kit {
  readonly generation: '1.0' | '0.3';
  readonly version: string;
  /** The branch that has the commit. */
  readonly branch: string;
  readonly commit: string;
}

const repository = 'https://github.com/a2aproject/a2a-tck';

export const kits: Readonly<Record<Kit['generation'], Kit>> = {
  '1.0': {
    generation: '1.0',
    version: '1.0-dev (357c4a8)',
    branch: '1.0-dev',
    commit: '357c4a87afa2818731590647cccbea31c31733a2',
  },
  '0.3': {
    generation: '0.3',
    version: '0.3.0.beta4',
    branch: '0.3.x',
    commit: 'eb1f804c27ea25db8805264d9ed2d7ca077a7776',
  },
};

/** The packages that the kits import, at the versions of the recorded run. */
const packages = [
  'pytest==9.2.0',
  'pytest-asyncio==1.5.0',
  'pytest-html==4.2.0',
  'pytest-json-report==1.5.0',
  'httpx==0.28.1',
  'requests==2.34.2',
  'responses==0.26.3',
  'grpcio==1.85.3',
  'protobuf==7.36.2',
  'googleapis-common-protos==1.76.0',
  'jsonschema==4.26.0',
  'gherkin-official==42.0.1',
  'Jinja2==3.1.6',
  'deepdiff==9.1.0',
  'packaging==26.4',
  'PyYAML==6.0.4',
  'python-dotenv==1.2.4',
  'pyOpenSSL==26.4.0',
];

/** The folder of the programs of Python that run the kits. */
export const installPython = (): string => pythonWith('tck-python', packages);

/** The generation of a kit in a folder. Throws where the folder has none. */
export function generationOf(folder: string): Kit['generation'] {
  if (existsSync(join(folder, 'tests', 'compatibility'))) return '1.0';
  if (existsSync(join(folder, 'tests', 'mandatory'))) return '0.3';
  throw new Error(`${folder} has no kit of A2A: it has neither tests/compatibility nor tests/mandatory`);
}

/** Clones a kit into the cache, unless it is there. @returns its folder; throws with the words of git */
export function installKit({ commit, branch, generation }: Kit): string {
  const folder = suiteCache(`tck-${generation}-${commit.slice(0, 7)}`);
  if (existsSync(join(folder, 'tests'))) return folder;
  console.error(`cloning ${repository}, branch ${branch}`);
  git('clone', '--quiet', '--branch', branch, repository, folder);
  git('-C', folder, 'checkout', '--quiet', commit);
  return folder;
}

function git(...args: string[]): void {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr, error } = spawnSync('git', args, { encoding: 'utf8', timeout: 300_000, env });
  if (status !== 0) throw new Error(`${error?.message ?? stderr.trim()}; --kit DIR takes a copy of the kit`);
}

/** Settings of a run of a kit. */
export interface KitRun {
  /** The folder that it is in. */
  readonly folder: string;
  /** The folder of the programs of Python. */
  readonly python: string;
  /** Arguments of pytest: folders of tests, and the options of the kit. */
  readonly args: readonly string[];
  /** A text in the names of the tests to run. Default: all. */
  readonly only?: string | undefined;
}

/** Milliseconds for one run. */
const timeoutMs = 600_000;

/** The outcome of one run: the tests by `FILE.CLASS::NAME` or `FILE::NAME`. */
export interface KitOutcome {
  readonly cases: ReadonlyMap<string, CaseResult>;
  readonly problem?: string;
}

/** Runs tests of a kit in a process of its own. */
export async function runKit({ folder, python, args, only }: KitRun): Promise<KitOutcome> {
  const results = await mkdtemp(join(tmpdir(), 'a2a-tck-'));
  try {
    const report = join(results, 'report.xml');
    const selected = only === undefined ? [] : ['-k', only];
    const options = ['-q', '--tb=short', '-p', 'no:cacheprovider', `--junitxml=${report}`];
    const output = await outputOf(join(python, 'python'), ['-m', 'pytest', ...args, ...options, ...selected], folder);
    if (!existsSync(report)) return { cases: new Map(), problem: output.slice(-5_000) };
    return { cases: readJUnit(await readFile(report, 'utf8'), nameOf) };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

/** `FILE.CLASS::NAME`, without the folders. */
function nameOf(attribute: (name: string) => string): string {
  const parts = attribute('classname').split('.');
  return `${parts.slice(parts.findIndex((part) => part.startsWith('test_'))).join('.')}::${attribute('name')}`;
}

function outputOf(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, NO_PROXY: '*', PYTHONDONTWRITEBYTECODE: '1', COLUMNS: '200' };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout: timeoutMs, maxBuffer: 2 ** 28 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
