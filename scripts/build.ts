/**
 * `npm run build`: writes dist/, what the package ships: JavaScript, declarations, the console, and every other file of src
 * that is not TypeScript, at the same place. `-- --out FOLDER` writes it to another folder.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { bundleGenerator } from './bundle-generator.ts';
import { buildConsole } from './console-build.ts';
import { declarationForConsumers } from './declarations.ts';
import { libraries } from './packages.ts';
import { pruneDeclarations } from './prune-declarations.ts';
import { configSchema } from './reference/config-schema.ts';

const root = new URL('../', import.meta.url);
const source = fileURLToPath(new URL('src/', root));
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const dist = values.out === undefined ? new URL('dist/', root) : pathToFileURL(`${resolve(values.out)}/`);
rmSync(dist, { recursive: true, force: true });

const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
// Several checkers would each check the shared files: a single one takes half the CPU time, and is as fast on two
// cores.
const args = [tsc, '-p', 'tsconfig.build.json', '--singleThreaded', '--outDir', fileURLToPath(dist)];
const { status } = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: 'inherit',
  timeout: 300_000,
});
if (status !== 0) process.exit(1);

const declarations = new Map(
  globSync('**/*.d.ts', { cwd: dist }).map((path) => [
    path.replaceAll('\\', '/'),
    declarationForConsumers(readFileSync(new URL(path, dist), 'utf8')),
  ]),
);
const typed = Object.values(libraries).map((path) => path.replace(/^src\/(.*)\.ts$/, '$1.d.ts'));
const reached = pruneDeclarations(declarations, typed);
for (const path of declarations.keys()) {
  const text = reached.get(path);
  if (text === undefined) rmSync(new URL(path, dist));
  else writeFileSync(new URL(path, dist), text);
}
for (const entry of globSync('src/**', {
  cwd: root,
  exclude: ['**/*.ts', 'src/extensions/console/**'],
  withFileTypes: true,
})) {
  if (!entry.isFile()) continue;
  const path = relative(source, join(entry.parentPath, entry.name));
  cpSync(join(source, path), join(fileURLToPath(dist), path));
}
const inPages = await buildConsole(fileURLToPath(new URL('console/', dist)));
const inGenerator = await bundleGenerator(dist, root);
await bundle(dist, root, [...inPages, ...inGenerator]);
writeFileSync(new URL('gateway.schema.json', dist), JSON.stringify(configSchema()));
