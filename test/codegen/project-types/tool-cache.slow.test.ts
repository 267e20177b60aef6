import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InstallError } from '../../../codegen/project-types/npm-ci.ts';
import { installedTools, type ToolPlaces } from '../../../codegen/project-types/tool-cache.ts';
import { newFolder } from '../../support/folders.ts';
import { type PackedPackage, pack, type Registry, startRegistry } from '../../support/npm-registry.ts';

describe('an installation of tools', () => {
  const native = pack('gw-tool-native');
  const tool = pack('gw-tool', { optionalDependencies: { 'gw-tool-native': '1.0.0' } });
  let registry: Registry;
  let places: Required<ToolPlaces> & { readonly cache: string };

  beforeEach(async () => {
    registry = await startRegistry([tool, native], 'secret');
    const folder = newFolder();
    places = { manifests: join(folder, 'tools'), cache: join(folder, 'cache'), project: join(folder, 'project') };
    writeManifest(join(places.manifests, 'compile'), [tool, native]);
    mkdirSync(join(places.project, 'src'), { recursive: true });
    writeFileSync(join(places.project, 'package.json'), '{}');
    writeFileSync(join(places.project, '.npmrc'), npmrc(registry.url));
    vi.stubEnv('GW_TOKEN', 'secret');
    vi.stubEnv('npm_config_workspace', 'of-the-project');
    // Not that of the npm that runs the tests: it may have answers of an earlier registry at the same port.
    vi.stubEnv('npm_config_cache', join(folder, 'npm'));
    return () => registry.close();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const install = (): Promise<string> =>
    installedTools('compile', { ...places, project: join(places.project, 'src') }).then((tools) =>
      tools.resolve('gw-tool'),
    );

  test('an installation of tools follows the npm configuration of the project, writes nothing there, and needs no registry again', async () => {
    const path = await install();
    expect(readFileSync(path, 'utf8')).toContain('gw-tool');
    expect(path.startsWith(places.cache)).toBe(true);
    expect(registry.requests).toContain('/gw-tool-native.tgz');
    expect(readdirSync(places.project).sort()).toEqual(['.npmrc', 'package.json', 'src']);
    const [installed] = readdirSync(places.cache);
    expect(readdirSync(join(places.cache, installed as string))).not.toContain('.npmrc');
    // A changed lock file has a folder of its own.
    writeManifest(join(places.manifests, 'compile'), [tool]);
    await install();
    expect(readdirSync(places.cache)).toHaveLength(2);
    writeManifest(join(places.manifests, 'compile'), [tool, native]);
    registry.close();
    expect(await install()).toBe(path);
  });

  test('an installation of tools that lacks a file, or has half of one, is repaired', async () => {
    const path = await install();
    const text = readFileSync(path, 'utf8');
    for (const harm of [() => rmSync(path), () => truncateSync(path, 3)]) {
      harm();
      expect(await install()).toBe(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(readdirSync(places.cache)).toHaveLength(1);
    }
  });

  test('an installation of tools is one when two programs begin it at once', async () => {
    const [one, other] = await Promise.all([install(), install()]);
    expect(one).toBe(other);
    expect(readdirSync(places.cache)).toHaveLength(1);
  });

  test('an installation of tools without a registry fails with the packages, the cause and the folder, and leaves nothing', async () => {
    registry.close();
    const error = await install().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InstallError);
    const { message } = error as Error;
    expect(message.split('\n')[0]).toMatch(
      /could not install gw-tool@1\.0\.0.*: FetchError: request to .*ECONNREFUSED/,
    );
    expect(message).not.toMatch(/^ +at /m);
    expect(message).toContain(places.cache);
    expect(readdirSync(places.cache)).toEqual([]);
  });

  // Elsewhere, no such place is there.
  test.runIf(process.platform === 'linux')(
    'an installation of tools ends where a folder cannot be made, be it the cache or the home',
    async () => {
      const nowhere = { ...places, cache: '/proc/nope/cache' };
      await expect(installedTools('compile', nowhere)).rejects.toThrow(
        /^\/proc\/nope\/cache cannot be used: ENOENT.*; set A2A_GATEWAY_CACHE/,
      );
      vi.stubEnv('HOME', '/proc/nope');
      vi.stubEnv('npm_config_cache', undefined);
      writeFileSync(join(places.project, '.npmrc'), npmrc(registry.url).replace('cache=../npm-cache\n', ''));
      expect((await install()).startsWith(places.cache)).toBe(true);
      expect(readdirSync(join(places.cache, readdirSync(places.cache)[0] as string))).not.toContain('.npm-cache');
    },
  );

  test('an installation of tools in a folder that cannot be written says how to choose another', async () => {
    writeFileSync(places.cache, 'a file');
    await expect(install()).rejects.toThrow(/set A2A_GATEWAY_CACHE/);
  });
});

const npmrc = (url: string): string => `registry=${url}
${url.slice('http:'.length)}:_authToken=\${GW_TOKEN}
cache=../npm-cache
noproxy=127.0.0.1
omit=optional
`;

function writeManifest(folder: string, [first, ...others]: readonly PackedPackage[]): void {
  mkdirSync(folder, { recursive: true });
  const dependencies = { [first?.manifest.name ?? '']: '1.0.0' };
  const manifest = { name: 'tools', version: '1.0.0', dependencies };
  const packages = Object.fromEntries(
    [first, ...others].flatMap((each, at) => {
      if (each === undefined) return [];
      const { name, version, optionalDependencies } = each.manifest;
      const row = { version, integrity: each.integrity, ...(at > 0 && { optional: true }) };
      return [
        [`node_modules/${name}`, optionalDependencies && others.length > 0 ? { ...row, optionalDependencies } : row],
      ];
    }),
  );
  const lock = { name: 'tools', version: '1.0.0', lockfileVersion: 3, packages: { '': manifest, ...packages } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}
