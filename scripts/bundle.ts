import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { entries, included } from './packages.ts';

const shared = 'shared';
const newUrl = /new URL\('([^']+)', import\.meta\.url\)/g;

/**
 * Writes the JavaScript of the package from the sources: a few files instead of hundreds, because each file that Node loads
 * takes longer to find and to read than its code takes to run. Dynamic imports remain files of their own.
 *
 * @param dist folder of the built package
 * @param root folder of the project, with `node_modules`
 * @throws Error for a source that names a file by its own place in another way than `new URL('…', import.meta.url)`
 */
export async function bundle(dist: URL, root: URL): Promise<void> {
  const source = fileURLToPath(new URL('src/', root));
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const external = Object.keys({ ...dependencies, ...peerDependencies });
  const build = await rolldown({
    input: entries,
    cwd: fileURLToPath(root),
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [placesIn(source), nodeHttp],
  });
  const { output } = await build.write({
    dir: fileURLToPath(dist),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${shared}/[name].js`,
  });
  await build.close();
  for (const file of output) {
    if (file.type !== 'chunk' || file.fileName.startsWith(`${shared}/`)) continue;
    if (file.code.includes('import.meta.url')) throw new Error(`${file.fileName} names files by its own place`);
  }
  const paths = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(new URL(`${shared}/licenses.txt`, dist), licenses(paths));
}

/** Lets sources name files by their own place, although their code moves to the folder of shared files. */
const placesIn = (source: string): Plugin => ({
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(source) || !code.includes('import.meta.url')) return null;
    const moved = code.replace(newUrl, (_, path: string) => {
      const target = relative(shared, join(relative(source, dirname(id)), path));
      return `new URL('${target}', import.meta.url)`;
    });
    if (code.split('import.meta').length - 1 !== [...code.matchAll(newUrl)].length) {
      throw new Error(`${id} uses import.meta in another way than new URL('…', import.meta.url)`);
    }
    return { code: moved, map: null };
  },
});

/**
 * Loads `node:http` in another way than by an import, which would read every export of it, also those for which Node loads
 * its own HTTP client: a tenth of the start.
 */
const nodeHttp: Plugin = {
  name: 'node-http',
  resolveId: (id) => (id === 'node:http' ? `\0${id}` : null),
  load: (id) =>
    id === '\0node:http'
      ? `export const { createServer, IncomingMessage, Server, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');`
      : null,
};

/** Licenses that allow code to be shipped in a package, with their text. */
const permissive = new Set(['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

/**
 * The licenses of the packages whose code was included.
 *
 * @param paths of the files that were included
 * @throws Error for a package without a permissive license, and for one of the list whose code is not used
 */
function licenses(paths: readonly string[]): string {
  const folders = new Set(paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  for (const name of included) {
    if (![...folders].some((folder) => folder.endsWith(`/node_modules/${name}`)))
      throw new Error(`Nothing in src uses ${name}`);
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [file] = globSync('{LICENSE,LICENCE,License,license}*', { cwd: folder });
    if (!permissive.has(license) || file === undefined)
      throw new Error(`${folder} has no license for its code to be shipped`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
  });
  return `Code of these packages is in the files of this folder.\n\n${texts.join('\n\n\n')}\n`;
}
