import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startShapesProcess } from '../../src/extensions/knowledge/alignment/shapes/process.ts';
import { readSigningKey } from '../../src/net/credentials/signing-key.ts';
import { readPublicKeys } from '../../src/net/public-keys.ts';
import { readFileText } from '../../src/net/read-file.ts';
import { newFolder } from '../support/folders.ts';

/** Files that are none, or without end, at every place where a configuration names a file. */

const isUnix = process.platform !== 'win32';

/** Makes something at a path that is no usable file, or names one; what messages call it. */
const kinds: Readonly<Record<string, (path: string) => string>> = {
  'a folder': (path) => {
    mkdirSync(path);
    return path;
  },
  'a device': () => '/dev/zero',
  'a named pipe': (path) => {
    execFileSync('mkfifo', [path]);
    return path;
  },
  'larger than 16 MiB': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 17 * 1024 * 1024);
    return path;
  },
};

const problemsOf = async (file: string): Promise<string> => {
  const thrown: unknown = await loadConfig(file).catch((error: unknown) => error);
  if (!(thrown instanceof ConfigError)) throw new TypeError(`no ConfigError: ${String(thrown)}`);
  return thrown.problems.map(({ path, message }) => `${path}: ${message}`).join('\n');
};

describe.runIf(isUnix).each(Object.keys(kinds))('a path that is %s', (what) => {
  const make = (name = 'thing.yaml', folder = newFolder()): string => kinds[what]?.(join(folder, name)) ?? '';
  const written = (text: string): string => {
    const file = join(newFolder(), 'gateway.yaml');
    writeFileSync(file, text);
    return file;
  };

  it(`a path that is ${what} is refused as the configuration file`, async () => {
    expect(await problemsOf(make())).toContain(`(it is ${what})`);
  });

  it.runIf(what !== 'a device')(`a path that is ${what} is refused as a file of agents.d`, async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'gateway.yaml'), 'agents: {}\n');
    mkdirSync(join(folder, 'agents.d'));
    make('more.yaml', join(folder, 'agents.d'));
    expect(await problemsOf(join(folder, 'gateway.yaml'))).toContain(`(it is ${what})`);
  });

  it.runIf(what !== 'larger than 16 MiB')(`a path that is ${what} is refused wherever the file names one`, async () => {
    const path = make();
    const other = join(newFolder(), 'other.pem');
    writeFileSync(other, '');
    for (const [text, place] of [
      [`listen: { tls: { cert: ${path}, key: ${other} } }\nagents: { own: { kind: reference } }`, 'listen.tls.cert'],
      [`agents: { own: { kind: module, path: ${path} } }`, 'agents.own.path'],
      [
        `agents: { up: { kind: upstream, url: "https://a.example", auth: { type: mtls, cert: ${path}, key: ${other} } } }`,
        'agents.up.auth.cert',
      ],
      [`auth: { module: ${path} }\nagents: { own: { kind: reference } }`, 'auth.module'],
    ] as const) {
      const problems = await problemsOf(written(text));
      expect(problems).toContain(`${place}: cannot read`);
      expect(problems).toContain(`it is ${what}`);
    }
  });

  it(`a path that is ${what} is refused as a key, keys, shapes or a text`, async () => {
    const path = make();
    const { signal } = new AbortController();
    expect(() => readFileText(path)).toThrow(what);
    await expect(readSigningKey(path)).rejects.toThrow(what);
    await expect(readPublicKeys({ file: path }, signal)).rejects.toThrow(what);
    await expect(startShapesProcess(path)).rejects.toThrow(what);
  });
});
