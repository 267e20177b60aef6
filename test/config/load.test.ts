import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, defaultConfig, loadConfig } from '../../src/config/index.ts';
import { newFolder } from '../support/folders.ts';

const folder = newFolder();

describe('loadConfig', () => {
  it('resolves paths against the folder of the file', async () => {
    const file = join(folder, 'ok.yaml');
    await writeFile(join(folder, 'agent.ts'), '');
    await writeFile(file, 'agents: { mine: { kind: module, path: ./agent.ts } }\nstore: sqlite:x.db');
    const config = await loadConfig(file, { port: 0 });
    expect(config.agents.get('mine')).toEqual({ kind: 'module', path: join(folder, 'agent.ts') });
    expect(config.store).toBe(`sqlite:${join(folder, 'x.db')}`);
    expect(config.listen.port).toBe(0);
  });

  it('says which file is missing, and where it is named', async () => {
    const file = join(folder, 'missing.yaml');
    await writeFile(file, 'agents:\n  mine:\n    kind: module\n    path: ./gone.ts\n');
    await expect(loadConfig(file)).rejects.toThrow(
      /missing\.yaml:4: agents\.mine\.path: cannot read .*gone\.ts \(no such file; paths are relative/,
    );
    await expect(loadConfig(join(folder, 'none.yaml'))).rejects.toThrow(/none\.yaml: no such file$/);
    await expect(loadConfig(folder)).rejects.toThrow(ConfigError);
  });
});

describe('defaultConfig', () => {
  it('is the reference agent on this machine', () => {
    const config = defaultConfig();
    expect(config.listen).toMatchObject({ host: 'localhost', port: 8080 });
    expect([...config.agents]).toEqual([['demo', { kind: 'reference' }]]);
    expect(config.store).toBe(`sqlite:${join(process.cwd(), 'data', 'gateway.db')}`);
  });

  it('does not listen to the world without a file that says so', () => {
    expect(() => defaultConfig({ host: '0.0.0.0' })).toThrow(/listen\.publicUrl: required/);
    expect(() => defaultConfig({ store: 'redis://x' })).toThrow(/--store: expected memory:/);
  });
});
