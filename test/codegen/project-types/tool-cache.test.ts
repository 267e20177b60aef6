import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withProgress } from '../../../codegen/project-types/progress.ts';
import { cacheFolder, toolGroups } from '../../../codegen/project-types/tool-cache.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test.each(toolGroups)('the lock file of the tools of %s pins exact versions, and names no registry', (group) => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'tools', group, 'package.json'), 'utf8'));
  const lock = readFileSync(join(root, 'tools', group, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved"');
  expect(JSON.parse(lock).packages[''].dependencies).toEqual(dependencies);
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('users get types from the generator that the project itself uses', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { dependencies } = JSON.parse(readFileSync(join(root, 'tools/types/package.json'), 'utf8'));
  expect(devDependencies).toMatchObject(dependencies);
});

describe('the folder of the cache', () => {
  const folderOf = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string => cacheFolder({ platform, env });

  test('the folder of the cache is where the platform keeps caches', () => {
    expect(folderOf('linux', {})).toMatch(/[/\\]\.cache[/\\]a2a-gateway$/);
    expect(folderOf('linux', { XDG_CACHE_HOME: '/var/cache/me' })).toBe(join('/var/cache/me', 'a2a-gateway'));
    expect(folderOf('darwin', {})).toMatch(/Library[/\\]Caches[/\\]a2a-gateway$/);
    expect(folderOf('win32', { LOCALAPPDATA: '/AppData/Local' })).toBe(join('/AppData/Local', 'a2a-gateway', 'Cache'));
  });

  test('the folder of the cache is that of A2A_GATEWAY_CACHE, and no relative one of XDG_CACHE_HOME', () => {
    expect(folderOf('linux', { A2A_GATEWAY_CACHE: '/tools', XDG_CACHE_HOME: '/xdg' })).toBe('/tools');
    expect(folderOf('linux', { XDG_CACHE_HOME: 'relative' })).toMatch(/[/\\]\.cache[/\\]a2a-gateway$/);
  });
});

describe('a line of progress', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('a line of progress is written for work that takes longer than two seconds, and for no other', async () => {
    vi.useFakeTimers();
    const written = vi.spyOn(console, 'error').mockReturnValue();
    await withProgress('quick work', async () => undefined);
    const slow = Promise.withResolvers<void>();
    const work = withProgress('installing', () => slow.promise);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(written).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    slow.resolve();
    await work;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(written.mock.calls).toEqual([['installing …']]);
  });
});
