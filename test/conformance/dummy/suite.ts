import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openGateway } from '../../support/gateway.ts';
import { suiteCache } from '../cache.ts';

/** dummy-a2a: an agent for tests with contracts that any server of A2A 1.0 is to keep, in Python, from its package registry. */

export const version = '0.6.4';

const folder = suiteCache(`dummy-a2a-${version}`);
const isWindows = process.platform === 'win32';
const python = join(folder, isWindows ? 'Scripts/python.exe' : 'bin/python');

/** Milliseconds for installing it, and for all contracts. */
const timeoutMs = 600_000;

export const isInstalled = (): boolean =>
  existsSync(python) && spawnSync(python, ['-c', 'import dummy_a2a.contracts']).status === 0;

/** Installs the package into an environment of its own, unless it is there. @throws Error that says why it cannot be had */
export function installSuite(interpreter?: string): void {
  if (isInstalled()) return;
  const found = [interpreter, 'python3', 'python3.14', 'python3.13', 'python3.12', 'python', ...ofPyenv()].find(
    isNewEnough,
  );
  if (found === undefined) throw new Error('it needs Python 3.12 or newer: name one with --python PATH');
  run(found, ['-m', 'venv', folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `dummy-a2a==${version}`]);
}

/** The interpreters that pyenv has installed, of which it puts one into PATH. */
const ofPyenv = (): string[] =>
  globSync(join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions/*/bin/python3')).toSorted();

const isNewEnough = (interpreter: string | undefined): interpreter is string =>
  interpreter !== undefined &&
  spawnSync(interpreter, ['-c', 'import sys; sys.exit(sys.version_info < (3, 12))']).status === 0;

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: timeoutMs });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}

/** The result of a contract. */
export interface Result {
  readonly id: string;
  readonly passed: boolean;
  readonly detail: string;
}

/** A server that the contracts are tried on: the agent itself, or a gateway in front of it. */
export interface Row {
  readonly name: string;
  /** Its name in `docs/conformance.md`. */
  readonly target: string;
  /** The binding by which the gateway calls the agent; undefined for the agent itself. */
  readonly transport?: 'jsonrpc' | 'rest';
}

export const rows: readonly Row[] = [
  { name: 'direct', target: 'dummy-a2a itself' },
  { name: 'gateway jsonrpc', target: 'the gateway in front of it, JSON-RPC', transport: 'jsonrpc' },
  { name: 'gateway rest', target: 'the gateway in front of it, HTTP+JSON', transport: 'rest' },
];

/** Tries all contracts on a row. @param only a part of the contracts' ids */
export async function runRow({ transport }: Row, only = ''): Promise<Result[]> {
  const agent = await startAgent();
  try {
    if (transport === undefined) return await tryContracts(agent.url, only);
    const target = `kind: upstream, url: "${agent.url}", transport: ${transport}`;
    const settings = `preview: []\nagents:\n  dummy: { ${target}, extensions: { enforce: false } }\n`;
    const { origin, close } = await openGateway(settings);
    try {
      return await tryContracts(origin, only);
    } finally {
      await close();
    }
  } finally {
    await agent.close();
  }
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The environment without proxies, which the client of the contracts would ask for loopback. */
const environment = { ...process.env, NO_PROXY: '*', no_proxy: '*' };

async function startAgent() {
  const child = spawn(python, [pathOf('agent.py')], { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), ended(child, 'the agent')]);
  return {
    url: String(line),
    async close() {
      const gone = once(child, 'close');
      child.stdin.end();
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(late);
    },
  };
}

/** Rejects when a process ends. */
async function ended(child: ChildProcess, what: string): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`${what} ended with ${code}`);
}

async function tryContracts(url: string, only: string): Promise<Result[]> {
  const child = spawn(python, [pathOf('contracts.py'), url, only], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: timeoutMs,
  });
  const results: Result[] = [];
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) results.push(JSON.parse(line));
  const [code] = await closed;
  if (code !== 0) throw new Error(`the contracts ended with ${code} after ${results.length} results`);
  return results;
}
