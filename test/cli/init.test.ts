import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { gatewayReference } from '../../src/cli/commands/init.ts';
import { printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';
import { paced } from '../support/pace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let folder = '';

beforeEach(() => {
  folder = newFolder();
});

/** Stands in for `npm install`: the package is this project's sources. */
function install(project: string): void {
  const modules = join(project, 'node_modules');
  const library = join(modules, 'a2a-gateway');
  mkdirSync(library, { recursive: true });
  symlinkSync(join(root, 'src'), join(library, 'src'));
  const exports = { '.': './src/index.ts', './testing': './src/testing/index.ts' };
  writeFileSync(join(library, 'package.json'), JSON.stringify({ name: 'a2a-gateway', type: 'module', exports }));
}

const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');

/** Runs a program of the project's scripts; what it prints. Throws when it fails. */
const run = async (cwd: string, ...args: string[]): Promise<string> => {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
  return (await promisify(execFile)(process.execPath, args, { cwd, env, timeout: paced(110_000) })).stdout;
};

describe.each([
  ['TypeScript', [], 'ts'],
  ['JavaScript', ['--js'], 'js'],
] as const)('init in %s', (label, flags, language) => {
  it(
    `init in ${label} writes a project whose test passes and that is served`,
    async () => {
      const project = join(folder, 'My Agent');
      vi.stubEnv('npm_config_user_agent', 'npm/11.19.1 node/v24.21.0 linux x64');
      const { code, stdout, stderr } = await inProcess(['init', project, ...flags]);
      expect([code, stdout]).toEqual([
        0,
        `Next:\n  cd '${project}'\n  npm pack -q ${root.slice(0, -1)}\n  npm install\n  npm test\n  npm run dev\n`,
      ]);
      const names = [
        '.gitignore',
        'README.md',
        `agent.${language}`,
        `agent.test.${language}`,
        'gateway.yaml',
        'package.json',
      ];
      const all = language === 'ts' ? [...names, 'tsconfig.json'] : names;
      expect(readdirSync(project).sort()).toEqual(all.toSorted());
      for (const name of all) expect(stderr).toContain(`wrote ${join(project, name)}\n`);
      const { name, scripts, dependencies } = JSON.parse(read('My Agent', 'package.json'));
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      expect({ name, dependencies }).toEqual({
        name: 'my-agent',
        dependencies: { 'a2a-gateway': `file:a2a-gateway-${version}.tgz` },
      });
      expect(scripts).toMatchObject({
        dev: `a2a-gateway serve --dev agent.${language}`,
        start: 'a2a-gateway serve --config gateway.yaml',
        test: `node --test "*.test.${language}"`,
      });

      install(project);
      expect(await run(project, '--test', `*.test.${language}`)).toMatch(/pass 1\n/);
      expect(await inProcess(['config', 'check', join(project, 'gateway.yaml')])).toMatchObject({
        code: 0,
        stderr: '',
      });

      const child = startCli([...scripts.dev.split(' ').slice(1), '--port', '0'], { cwd: project });
      const url = /listening on (\S+)/.exec(await printed(child, /Ctrl-C/))?.[1] ?? '';
      const question = await inProcess(['send', url, 'hello']);
      expect([question.code, question.stdout]).toEqual([3, 'What is your name?\n']);
      const task = /--task (\S+)/.exec(question.stderr)?.[1] ?? '';
      expect((await inProcess(['send', url, 'Ada', '--task', task])).stdout).toBe('Hello, Ada!\n');
      // It starts the gateway's sources three times.
    },
    paced(180_000),
  );
});

it.each(['package.json', 'agent.ts', '.gitignore', 'README.md'])('init overwrites nothing: %s', async (name) => {
  writeFileSync(join(folder, name), 'mine');
  const { code, stderr } = await inProcess(['init', folder]);
  expect([code, stderr]).toEqual([
    2,
    `error: ${join(folder, name)} exists, and init overwrites nothing; name another folder\n`,
  ]);
  expect(readdirSync(folder)).toEqual([name]);
  expect(read(name)).toBe('mine');
});

it.each([
  ['v20.20.2', 'npm install node@24'],
  ['v22.18.0', 'npm install node@24'],
  ['v22.19.0', 'npm install'],
  ['v26.1.0', 'npm install'],
])('init to npm on Node %s it says %s', async (version, install) => {
  vi.stubEnv('npm_config_user_agent', `npm/11.19.1 node/${version} linux x64 workspaces/false`);
  const { stdout } = await inProcess(['init', folder]);
  expect(stdout.split('\n')).toContain(`  ${install}`);
  // npm runs the script of a package that brings Node, and does not warn of it.
  const { allowScripts } = JSON.parse(read('package.json'));
  expect(allowScripts).toEqual(install === 'npm install' ? undefined : { node: true });
});

it('init writes beside what else is there', async () => {
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect((await inProcess(['init', folder, '--js'])).code).toBe(0);
  expect(existsSync(join(folder, 'agent.js'))).toBe(true);
  expect(read('notes.txt')).toBe('mine');
});

it('init refuses a file as its folder', async () => {
  writeFileSync(join(folder, 'x'), '');
  const { code, stderr } = await inProcess(['init', join(folder, 'x')]);
  expect([code, stderr]).toEqual([2, `error: ${join(folder, 'x')} is a file\n`]);
});

describe('the project finds the gateway', () => {
  /** A folder in which npm has installed the package from somewhere. */
  const installedFrom = (resolved: string): string => {
    const library = join(folder, 'node_modules', 'a2a-gateway');
    mkdirSync(library, { recursive: true });
    const lock = { packages: { 'node_modules/a2a-gateway': { version: '1.2.3', resolved } } };
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify(lock));
    return library;
  };

  it('the project of init finds the gateway in a tarball of the checkout that runs init', () => {
    const expected = { dependency: 'file:a2a-gateway-1.2.3.tgz', before: [`npm pack -q '${join(folder, 'a clone')}'`] };
    expect(gatewayReference(join(folder, 'a clone'), '1.2.3')).toEqual(expected);
  });

  it('the project of init finds the gateway in the file from which it was installed', () => {
    const library = installedFrom('file:some.tgz');
    writeFileSync(join(folder, 'some.tgz'), '');
    expect(gatewayReference(library, '1.2.3').dependency).toBe(`file:${join(folder, 'some.tgz')}`);
  });

  it.each([
    ['a registry', 'https://registry.example/a2a-gateway-1.2.3.tgz'],
    ['a file that is gone', 'file:gone.tgz'],
  ])('the project of init finds the gateway in the registry when it was installed from %s', (_, resolved) => {
    expect(gatewayReference(installedFrom(resolved), '1.2.3')).toEqual({ dependency: '^1.2.3', before: [] });
  });
});
