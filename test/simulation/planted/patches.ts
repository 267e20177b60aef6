import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the patches. */
const patches = fileURLToPath(new URL('.', import.meta.url));

/** The root of the project. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders of the program that a copy has for itself: it is the copy that their modules import. */
const copied: ReadonlySet<string> = new Set(['src', 'test', 'package.json', 'tsconfig.json']);

/** Names of the planted faults. */
export const faultNames: readonly string[] = readdirSync(patches)
  .filter((name) => name.endsWith('.patch'))
  .map((name) => basename(name, '.patch'))
  .sort();

/** Throws where the patch of a fault does not apply to the program. */
export function checkPatch(name: string): void {
  execFileSync('git', ['apply', '--check', join(patches, `${name}.patch`)], { cwd: root, stdio: 'pipe' });
}

/** A copy of the program with a fault. It is removed when it is disposed of. */
export function plant(name: string): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    for (const entry of readdirSync(root).filter((each) => !each.startsWith('.git'))) {
      const from = join(root, entry);
      if (copied.has(entry)) cpSync(from, join(folder, entry), { recursive: true });
      else symlinkSync(from, join(folder, entry));
    }
    execFileSync('git', ['apply', join(patches, `${name}.patch`)], { cwd: folder, stdio: 'pipe' });
    return { folder, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}
