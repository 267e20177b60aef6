/**
 * The tables of `docs/reference` that come from code: the keys of the configuration, errors, commands, and peers; and the figures
 * of `docs/conformance.md`, which come from recorded runs. A page has each table between `<!-- table: NAME -->` and `<!-- end of table -->`; everything else is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { commandSections } from './commands.ts';
import { configTables } from './config-tables.ts';
import { conformanceTable } from './conformance.ts';
import { errorsTable } from './errors-table.ts';
import { peersTable } from './peers.ts';

/** The tables of each page, by their names. */
export const pages: Readonly<Record<string, () => ReadonlyMap<string, string>>> = {
  'configuration.md': configTables,
  'errors.md': () => new Map([['errors', errorsTable()]]),
  'command-line.md': () => new Map([['commands', commandSections()]]),
  'peers.md': () => new Map([['peers', peersTable()]]),
  '../conformance.md': () => new Map([['conformance', conformanceTable()]]),
};

const block = /<!-- table: (\S+) -->\n[\s\S]*?<!-- end of table -->/g;

/**
 * The page with its tables as they are now.
 *
 * @throws Error for tables that the page has no place for, and for places without a table
 */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  const left = new Set(tables.keys());
  const written = page.replace(block, (_, name: string) => {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`there is no table ${name}`);
    left.delete(name);
    return `<!-- table: ${name} -->\n\n${table.trim()}\n\n<!-- end of table -->`;
  });
  if (left.size > 0) throw new Error(`no place for ${[...left].map((name) => `<!-- table: ${name} -->`).join(', ')}`);
  return written;
}

/**
 * Writes the pages that differ, and returns their names.
 *
 * @param folder the pages, which is `docs/reference`
 * @param check only lists them
 */
export function writeReference(folder: URL, check: boolean): string[] {
  const changed: string[] = [];
  for (const [name, tables] of Object.entries(pages)) {
    const file = new URL(name, folder);
    const before = readFileSync(file, 'utf8');
    let after: string;
    try {
      after = withTables(before, tables());
    } catch (error) {
      throw new Error(
        `${new URL(name, 'file:///docs/reference/').pathname.slice(1)}: ${error instanceof Error ? error.message : error}`,
      );
    }
    if (after === before) continue;
    changed.push(name);
    if (!check) writeFileSync(file, after);
  }
  return changed;
}
