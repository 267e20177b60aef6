import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { packBuiltIn } from '../codegen/project-types/built-in.ts';
import { carriedFile, computeCarried } from '../codegen/project-types/carried.ts';

/** The generators of `a2a-gateway types`, with their path in the package. No other command loads them. */
export const generator = { name: 'project-types/command', source: 'codegen/project-types/command.ts' };

/** The tables of dialects are read only in checkouts. The package contains the list that is generated from them. */
const withoutTables: Plugin = {
  name: 'without-tables',
  resolveId: (id) => (id.endsWith('/dialect-pages.ts') ? '\0tables' : null),
  load: (id) => (id === '\0tables' ? 'export const pages = new Map();' : null),
};

/**
 * Writes the generators of `a2a-gateway types` as one file, and the versions of A2A that they support, compressed.
 *
 * @param dist folder of the built package
 * @param root folder of the project
 * @returns paths of the modules in the file
 */
export async function bundleGenerator(dist: URL, root: URL): Promise<string[]> {
  const build = await rolldown({
    input: { [generator.name]: generator.source },
    cwd: fileURLToPath(root),
    platform: 'node',
    resolve: { symlinks: false },
    plugins: [withoutTables],
  });
  const { output } = await build.write({
    dir: fileURLToPath(dist),
    format: 'esm',
    entryFileNames: '[name].js',
    // The code refers to files relative to its own URL.
    codeSplitting: false,
    comments: { jsdoc: false },
  });
  await build.close();
  const carried = JSON.stringify(await computeCarried());
  for (const [path, bytes] of [...(await packBuiltIn()), [carriedFile, carried] as const]) {
    const file = new URL(`project-types/${path}`, dist);
    mkdirSync(dirname(fileURLToPath(file)), { recursive: true });
    writeFileSync(file, bytes);
  }
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
