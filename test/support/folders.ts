import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** A new folder for the tests of a file, after which it is removed. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-test-'));
  folders.push(folder);
  return folder;
}

/** Removes them: `set-up.ts` calls this after each file. */
export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
