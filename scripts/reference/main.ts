/**
 * Writes what follows from the program: the tables in `docs/reference`, and the types of the settings, `src/gen/settings.ts`.
 * With `--check`, it only compares. `npm run generate` runs it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeReference } from './pages.ts';
import { settingsTypes } from './settings-types.ts';

const root = new URL('../../', import.meta.url);
const check = process.argv.includes('--check');
const types = 'src/gen/settings.ts';
const text = settingsTypes();
const changed: string[] = [];
const file = new URL(types, root);
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  changed.push(types);
  if (!check) writeFileSync(file, text);
}
changed.push(...writeReference(new URL('docs/reference/', root), check).map((page) => `docs/reference/${page}`));
for (const path of changed) console.log(`${path} ${check ? 'is not up to date' : 'changed'}`);
if (check && changed.length > 0) process.exitCode = 1;
