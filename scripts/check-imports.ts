/**
 * Checks the import rules of src, codegen and scripts, and that src and package.json agree on packages. Exits with 1 on
 * an error.
 */
import { readFileSync } from 'node:fs';
import { optionalPackages } from '../src/config/packages.ts';
import { circleErrors, folderErrors, packageErrors, toolErrors, unreachable } from './import-rules.ts';
import { readSources } from './imports.ts';
import { entries, included, includedInPages } from './packages.ts';

const root = new URL('../', import.meta.url);
const files = readSources(root);
const tools = [...readSources(root, 'codegen'), ...readSources(root, 'scripts')];
const { dependencies, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

const written = ({ path }: { path: string }) => !path.startsWith('src/gen/');
for (const { path } of unreachable(files, [...Object.values(entries), 'src/extensions/console/main.tsx']).filter(
  written,
)) {
  console.log(`warning: ${path}: neither the library, the command nor the console reaches this file`);
}
for (const { path, lines } of files.filter(written)) {
  if (lines > 400) console.log(`warning: ${path}: ${lines} lines; is there a seam?`);
}

const named = Object.keys({ ...dependencies, ...peerDependencies });
const packages = [...named, ...optionalPackages, ...included, ...includedInPages];
const errors = [
  ...folderErrors(files),
  ...circleErrors(files),
  ...packageErrors(files, packages),
  ...toolErrors(tools),
];
for (const error of errors) console.log(error);
console.log(`${files.length + tools.length} files, ${errors.length} broken rules`);
process.exitCode = errors.length > 0 ? 1 : 0;
