import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  buildExecutable,
  canStrip,
  executableName,
  largestExecutable,
} from '../../scripts/release/executable/build.ts';
import { installWithFeatures } from '../../scripts/release/executable/features.ts';
import { pack } from '../../scripts/release/pack.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { sharedPostgres } from '../support/postgres.ts';

const execute = promisify(execFile);

const agent = `import { artifact, defineAgent } from 'a2a-gateway';
export default defineAgent({
  name: 'Mine',
  description: 'Repeats a text.',
  async *execute({ text }: { text: string }) {
    yield artifact({ name: 'copy', content: text });
  },
});
`;

const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ex: <http://example.com/> .
ex:Shape a sh:NodeShape ; sh:targetClass ex:Person ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .
`;

const agents = `agents:
  demo: { kind: reference }
  mine: { kind: module, path: ./mine.ts }
  facts: { kind: reference, knowledge: { shapes: ./shapes.ttl } }
policies: [{ name: never, deny: 'agent == "nobody"', reason: No agent has this name }]
`;

/** The executable is made for the platform of the test; on others than Linux its tools may be missing. */
describe.skipIf(process.platform !== 'linux')('the executable', () => {
  let executable: string;
  let home: string;
  const environment = (): NodeJS.ProcessEnv => ({
    PATH: '/nonexistent',
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
  });
  const run = async (...args: readonly string[]): Promise<string> =>
    (await execute(executable, args, { cwd: home, env: environment() })).stdout.trim();

  beforeAll(async () => {
    const base = newFolder();
    const signal = AbortSignal.timeout(paced(290_000));
    const installed = join(base, 'user');
    await installWithFeatures((await pack(base, signal)).tarball, installed, signal);
    const out = join(base, 'out');
    mkdirSync(out);
    executable = await buildExecutable({ installed, out, signal });
    home = newFolder();
    writeFileSync(join(home, 'mine.ts'), agent);
    writeFileSync(join(home, 'shapes.ttl'), shapes);
  }, paced(300_000));

  /** Serves a configuration; returns the URL, once it is printed. */
  async function serve(settings: string): Promise<string> {
    writeFileSync(join(home, 'gateway.yaml'), `listen: { port: 0 }\n${settings}\n${agents}`);
    const args = ['serve', '--config', 'gateway.yaml'];
    const child = spawn(executable, args, { cwd: home, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
    afterTest(() => end(child));
    for await (const line of createInterface({ input: child.stdout })) {
      const [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
      if (url !== undefined) {
        child.stdout.resume();
        return url;
      }
    }
    throw new Error('the executable ended without serving');
  }

  it('the executable needs no Node on the machine, and is named after its platform', async () => {
    expect(executable.endsWith(executableName())).toBe(true);
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await run('--version')).toBe(version);
    // Symbols of Node that cannot be removed here are 18 MB.
    expect(statSync(executable).size).toBeLessThan(largestExecutable + (canStrip ? 0 : 20_000_000));
  });

  it('the second start uses what the first one has unpacked', async () => {
    await run('--version');
    const [start = ''] = globSync(join(home, 'cache/a2a-gateway/*/load.cjs'));
    const { ino, mtimeMs } = statSync(start);
    await run('--version');
    expect(globSync(join(home, 'cache/a2a-gateway/*'))).toHaveLength(1);
    expect(statSync(start)).toMatchObject({ ino, mtimeMs });
  });

  it('SQLite with its threads, the console, agents in TypeScript, policies and shapes work in the executable', async () => {
    const url = await serve('store: sqlite:./data/gateway.db');
    for (const via of ['jsonrpc', 'grpc'])
      expect(await run('send', `${url}/mine`, 'hello', '--via', via)).toBe('hello');
    const page = await fetch(`${url}/console/`);
    expect(await page.text()).toContain('<script');
    await run('backup', url, 'copy.db');
    expect(existsSync(join(home, 'copy.db'))).toBe(true);
    writeFileSync(join(home, 'facts.ttl'), '<http://example.com/a> a <http://example.com/Person> .\n');
    await expect(run('knowledge', 'import', `${url}/facts`, 'facts.ttl')).rejects.toThrow('Less than 1 values');
  });

  it('several processes on PostgreSQL are the same executable', async () => {
    const store = await (await sharedPostgres()).database();
    const url = await serve(`store: ${JSON.stringify(store)}\nworkers: 2`);
    expect(await run('send', `${url}/mine`, 'hello')).toBe('hello');
  });

  it('where no cache can be written, the executable unpacks for one process', async () => {
    const env = { PATH: '/nonexistent', HOME: '/dev/null', TMPDIR: newFolder() };
    await execute(executable, ['--version'], { env });
    // Node's own cache of compiled code may stay.
    expect(globSync(join(env.TMPDIR, 'a2a-gateway-*'))).toEqual([]);
  });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill();
  await closed;
}
