/**
 * `npm run build`: writes dist/, what the package ships: JavaScript, declarations, and every file of src that is no
 * TypeScript, at the same place.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declarationForConsumers } from './declarations.ts';

const root = new URL('../', import.meta.url);
const source = fileURLToPath(new URL('src/', root));
const dist = new URL('dist/', root);
rmSync(dist, { recursive: true, force: true });

const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
  timeout: 300_000,
});
if (status !== 0) process.exit(1);

for (const path of globSync('**/*.d.ts', { cwd: dist })) {
  const file = new URL(path, dist);
  writeFileSync(file, declarationForConsumers(readFileSync(file, 'utf8')));
}
for (const entry of globSync('src/**', { cwd: root, exclude: ['**/*.ts'], withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = relative(source, join(entry.parentPath, entry.name));
  cpSync(join(source, path), join(fileURLToPath(dist), path));
}
