import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { createStore } from '../../../src/stores/index.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';

const real = fs.statfsSync;
/** Makes `statfs` report another type of file system: a test cannot mount one. */
function report(type: number): void {
  fs.statfsSync = ((path: string) => ({ ...real(path), type })) as typeof real;
  syncBuiltinESMExports();
}
afterAll(() => {
  fs.statfsSync = real;
  syncBuiltinESMExports();
});

it.runIf(process.platform === 'linux')(
  'the program warns where the SQLite file is on a network file system',
  async () => {
    const folder = newFolder();
    const path = join(folder, 'gateway.db');
    const warn = vi.fn();
    for (const type of [real(folder).type, 0x6969, 0xff534d42]) {
      report(type);
      const store = createStore(`sqlite:${path}`, { instance: 'test', logger: { ...silent, warn } });
      await store.open();
      await store.close();
    }
    const message =
      'the file of the store is on a network file system, which may corrupt it; use a local disk or PostgreSQL';
    expect(warn.mock.calls).toEqual(['NFS', 'SMB'].map((fileSystem) => [{ path, fileSystem }, message]));
  },
);
