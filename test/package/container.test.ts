import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/index.ts';
import { optionalPackages } from '../../src/config/packages.ts';
import { paced } from '../support/pace.ts';
import { copyOf, stepsOf } from './dockerfile.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const dockerfile = read('Dockerfile');
const steps = stepsOf(dockerfile);
/** Files and folders of the project in the image, or in a stage of its build. */
const copied = steps
  .filter(({ word }) => word === 'COPY')
  .flatMap((step) => {
    const { from, sources } = copyOf(step);
    return from === undefined ? sources : [];
  });
const last = (word: string): string => steps.findLast((step) => step.word === word)?.rest ?? '';

it('the image is described in a way that builders accept', () => {
  expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  expect(steps.length).toBeGreaterThan(20);
});

it('the image is built on images that can be named by their digests', () => {
  const images = steps.filter(({ word }) => word === 'FROM').map(({ rest }) => rest);
  for (const image of images) expect(image).toMatch(/^(?:--platform=\$BUILDPLATFORM )?\$\{NODE_IMAGE\}(?: AS \w+)?$/);
  expect(steps[0]).toMatchObject({ word: 'ARG', rest: expect.stringMatching(/^NODE_IMAGE=/) });
});

it('the image is made of files that are there, and that its builder is given', () => {
  const given: string[] = read('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
  expect(copied).toContain('src');
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(copied.filter((path) => !given.includes(path))).toEqual([]);
  expect(given.filter((path) => !copied.includes(path))).toEqual([]);
});

it('the image is built from modules that its Dockerfile copies, with what they import', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const reached = new Set(['scripts/build.ts', ...sources]);
  for (const path of reached) {
    if (!/\.tsx?$/.test(path) || !existsSync(join(root, path))) continue;
    for (const [, specifier = ''] of read(path).matchAll(/\b(?:from |import ?\(?)'(\.[^'?]+)/g)) {
      reached.add(posix.join(posix.dirname(path), specifier));
    }
  }
  const isCopied = (path: string) => copied.some((each) => path === each || path.startsWith(`${each}/`));
  expect(reached).toContain('codegen/project-types/tool-cache.ts');
  // The texts that generators write have imports, too.
  expect([...reached].filter((path) => existsSync(join(root, path)) && !isCopied(path))).toEqual([]);
});

it('the image holds what the package ships, runs its command as an unprivileged user, and answers where it says', () => {
  const { files, bin } = JSON.parse(read('package.json'));
  const final = steps.slice(steps.findLastIndex(({ word }) => word === 'FROM'));
  const held = final.flatMap(({ word, rest }) => (word === 'COPY' ? rest.split(' ').slice(0, -1) : []));
  const names = held.map((path) => path.replace(/^\/(?:app|src)\//, ''));
  const notShipped = /^docs$|^examples$|^deploy$|\.md$|^!/;
  expect(names).toEqual(expect.arrayContaining(files.filter((name: string) => !notShipped.test(name))));
  expect(names).toContain('node_modules');
  expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', `/app/${bin['a2a-gateway']}`]);
  expect(last('USER')).toBe('node');
  expect(last('EXPOSE')).toBe('8080');
});

it('the image is the same for every architecture: what runs while it is built runs on the machine that builds', () => {
  const final = steps.slice(steps.findLastIndex(({ word }) => word === 'FROM'));
  const before = steps.slice(0, steps.length - final.length).filter(({ word }) => word === 'FROM');
  for (const { rest } of before) expect(rest).toMatch(/^--platform=\$BUILDPLATFORM /);
  expect(final[0]?.rest).toBe('$' + '{NODE_IMAGE}');
  expect(final.filter(({ word }) => word === 'RUN')).toEqual([]);
});

it('the image says what it is, as package.json does', () => {
  const { name, description, license, homepage, repository, author } = JSON.parse(read('package.json'));
  const labels = steps.filter(({ word }) => word === 'LABEL').map(({ rest }) => rest.split(/=(.*)/s).slice(0, 2));
  const values = Object.fromEntries(labels.map(([key = '', value = '']) => [key.split('.').at(-1), JSON.parse(value)]));
  const source = repository.url.replace(/^git\+|\.git$/g, '');
  const fixed = { title: name, description, licenses: license, url: homepage, source, vendor: author };
  expect(values).toEqual({ ...fixed, version: '$VERSION', revision: '$REVISION' });
  for (const [key] of labels) expect(key).toMatch(/^org\.opencontainers\.image\.[a-z]+$/);
});

it('the image has the packages of every feature of the gateway, as the lock file has them', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const [, features = ''] =
    /^FEATURES="(.+)"$/.exec(steps.find(({ rest }) => rest.startsWith('FEATURES='))?.rest ?? '') ?? [];
  expect(features.split(' ')).toEqual(optionalPackages.map((name) => `${name}@${devDependencies[name]}`));
  expect(steps.filter(({ word, rest }) => word === 'RUN' && rest.includes('{FEATURES}')).length).toBe(1);
});

it('the image is well as long as the gateway in it is', async () => {
  const [, command = ''] = /CMD (\[.+\])$/.exec(last('HEALTHCHECK')) ?? [];
  const [program, ...args] = JSON.parse(command) as string[];
  expect(program).toBe('node');
  const server = createServer((req, res) => {
    res.statusCode = req.url === '/healthz' ? status : 404;
    res.end();
  });
  let status = 200;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const look = () => run(args.map((arg) => arg.replace('127.0.0.1:8080', `127.0.0.1:${port}`)));
  try {
    expect(await look()).toBe(0);
    status = 500;
    expect(await look()).toBe(1);
  } finally {
    server.close();
    server.closeAllConnections();
  }
  expect(await look()).toBe(1);
});

async function run(args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [...args], { stdio: 'ignore', timeout: paced(15_000) });
  const [code] = await once(child, 'exit');
  return code;
}

describe('the example for several gateways', () => {
  const folder = 'examples/compose';
  const compose = parse(read(`${folder}/compose.yaml`));
  const env = {
    POSTGRES_PASSWORD: 'secret',
    API_KEY_HASH: `sha256:${'A'.repeat(43)}`,
    PUBLIC_URL: 'https://agents.example.com',
  };

  const configOf = () => loadConfig(join(root, folder, 'gateway.yaml'), {}, { env });

  it('the example for several gateways gives each gateway a configuration that it takes, and everything that this one wants to know', async () => {
    const { services } = compose;
    const mounted = services.gateway.volumes.map((each: string) => each.split(':'));
    expect(mounted).toEqual([['./gateway.yaml', '/etc/a2a-gateway/gateway.yaml', 'ro']]);
    expect(JSON.parse(last('CMD'))).toEqual(['serve', '--config', mounted[0][1]]);
    const wanted = [...new Set(read(`${folder}/gateway.yaml`).match(/(?<=\$\{)\w+/g))];
    expect(wanted.toSorted()).toEqual(Object.keys(services.gateway.environment).toSorted());
    const config = await configOf();
    const store = new URL(config.store);
    expect(Object.keys(services)).toContain(store.hostname);
    expect(store.username).toBe(services.postgres.environment.POSTGRES_USER);
    expect(store.pathname).toBe(`/${services.postgres.environment.POSTGRES_DB}`);
    expect(services.gateway.expose).toEqual([String(config.listen.port)]);
    const grace = Number.parseInt(services.gateway.stop_grace_period, 10) * 1_000;
    expect(grace).toBeGreaterThan(config.shutdown.delay + config.shutdown.drain);
  });

  it('the example for several gateways puts a balancer before them that asks whether they are ready, and notices before one stops', async () => {
    const text = read(`${folder}/haproxy.cfg`);
    expect(text).toContain('option httpchk GET /readyz');
    expect(text).toContain('server-template gateway 10 gateway:8080 ');
    expect(compose.services.balancer.ports).toEqual([`8080:${/bind :(\d+)/.exec(text)?.[1]}`]);
    const [, seconds, looks] = /check inter (\d+)s fall (\d+)/.exec(text) ?? [];
    const { shutdown } = await configOf();
    expect(shutdown.delay).toBeGreaterThan(Number(seconds) * Number(looks) * 1_000);
  });
});
