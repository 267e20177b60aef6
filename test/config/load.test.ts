import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, defaultConfig, loadConfig } from '../../src/config/index.ts';
import { newFolder } from '../support/folders.ts';

const folder = newFolder();

it('loadConfig resolves paths against the folder of the file', async () => {
  const file = join(folder, 'ok.yaml');
  await writeFile(join(folder, 'agent.ts'), '');
  await writeFile(file, 'agents: { mine: { kind: module, path: ./agent.ts } }\nstore: sqlite:x.db');
  const config = await loadConfig(file, { port: 0 });
  expect(config.agents.get('mine')).toEqual({ kind: 'module', path: join(folder, 'agent.ts') });
  expect(config.store).toBe(`sqlite:${join(folder, 'x.db')}`);
  expect(config.listen.port).toBe(0);
});

it('loadConfig says which file is missing, and where it is named', async () => {
  const file = join(folder, 'missing.yaml');
  await writeFile(file, 'agents:\n  mine:\n    kind: module\n    path: ./gone.ts\n');
  await expect(loadConfig(file)).rejects.toThrow(
    /missing\.yaml:4: agents\.mine\.path: cannot read .*gone\.ts \(no such file; paths are relative/,
  );
  await expect(loadConfig(join(folder, 'none.yaml'))).rejects.toThrow(/none\.yaml: no such file$/);
  await expect(loadConfig(folder)).rejects.toThrow(ConfigError);
});

describe('agents.d beside the file', () => {
  const load = async (main: string, files: Readonly<Record<string, string>>) => {
    const place = newFolder();
    await mkdir(join(place, 'agents.d'));
    await writeFile(join(place, 'gateway.yaml'), main);
    for (const [name, text] of Object.entries(files)) await writeFile(join(place, 'agents.d', name), text);
    return loadConfig(join(place, 'gateway.yaml'), {}, { env: { HOST: 'weather.example.com' } });
  };
  const main = 'store: "memory:"\nagents:\n  demo: { kind: reference }\n';

  it('agents.d beside the file adds the agents of its files to those of the configuration, in the order of the names', async () => {
    const { agents } = await load(main, {
      '20-weather.yaml': `weather: { kind: upstream, url: "https://\${HOST}/a2a" }\n`,
      '10-own.yml': 'own: { kind: reference }\nother: { kind: reference }\n',
      '.own.yaml.swp': 'not: yaml: at all',
      'README.md': 'not read',
      'empty.yaml': '# nothing yet\n',
    });
    expect([...agents.keys()]).toEqual(['demo', 'own', 'other', 'weather']);
    expect(agents.get('weather')).toMatchObject({ kind: 'upstream', url: 'https://weather.example.com/a2a' });
    expect([...(await load('store: "memory:"\n', { 'a.yaml': 'only: { kind: reference }' })).agents.keys()]).toEqual([
      'only',
    ]);
  });

  it('agents.d beside the file refuses a folder that cannot be read, instead of leaving its agents out', async () => {
    const place = newFolder();
    await writeFile(join(place, 'gateway.yaml'), main);
    await writeFile(join(place, 'agents.d'), 'no folder');
    await expect(loadConfig(join(place, 'gateway.yaml'))).rejects.toThrow(/agents\.d: cannot be read \(ENOTDIR\)/);
  });

  it.each([
    [
      'a name that is taken',
      'a: {kind: reference}\ndemo: { kind: reference }',
      /own\.yaml:2: agents\.demo: there is another/,
    ],
    ['an unknown key', 'a:\n  kind: reference\n  hots: []', /own\.yaml:3: agents\.a\.hots: unknown key/],
    ['a reserved name', '\nadmin: { kind: reference }', /own\.yaml:2: agents\.admin: "admin" is a reserved word/],
    ['a missing file', 'a:\n  kind: module\n  path: ./x.ts', /own\.yaml:3: agents\.a\.path: cannot read .*x\.ts/],
    ['no YAML', 'a: [', /own\.yaml:1: not valid YAML/],
    ['a list', '- kind: reference', /own\.yaml:1: agents: expected agents by their names/],
    [
      'a variable that is not set',
      `\na: { kind: upstream, url: "\${NONE}" }`,
      /own\.yaml:2: agents\.a\.url: .* NONE is not set/,
    ],
    ['__proto__', '__proto__: { kind: reference }', /own\.yaml:1: agents\.__proto__: __proto__ is not allowed/],
  ])('agents.d beside the file refuses %s, with file, line and path', async (_, text, said) => {
    await expect(load(main, { 'own.yaml': text })).rejects.toThrow(said);
  });
});

it('defaultConfig is the reference agent on this machine', () => {
  const config = defaultConfig();
  expect(config.listen).toMatchObject({ host: 'localhost', port: 8080 });
  expect([...config.agents]).toEqual([['demo', { kind: 'reference' }]]);
  expect(config.store).toBe(`sqlite:${join(process.cwd(), 'data', 'gateway.db')}`);
});

it('defaultConfig does not listen to the world without a file that says so', () => {
  expect(() => defaultConfig({ host: '0.0.0.0' })).toThrow(/listen\.publicUrl: required/);
  expect(() => defaultConfig({ store: 'redis://x' })).toThrow(/--store: expected memory:/);
});
