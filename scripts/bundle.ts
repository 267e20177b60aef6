import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * Writes a dependency into one file of a built package, and lets the package's code import that file: hundreds of small
 * files would take longer to load than all other code together.
 *
 * @param name of the dependency
 * @param dist folder of the built package
 * @param root folder of the project, with `node_modules`
 */
export async function bundleDependency(name: string, dist: URL, root: URL): Promise<void> {
  const target = fileURLToPath(new URL(`bundled/${name}.js`, dist));
  const names = new Set<string>();
  const imports = new RegExp(`^(import|export) \\{([^}]*)\\} from '${name}';`, 'gm');
  for (const path of globSync('**/*.js', { cwd: dist })) {
    const file = new URL(path, dist);
    const code = readFileSync(file, 'utf8');
    if (!code.includes(`from '${name}'`)) continue;
    const specifier = relative(dirname(fileURLToPath(file)), target).replace(/^(?!\.)/, './');
    const bundled = code.replace(imports, (_, keyword: string, list: string) => {
      for (const [, imported = ''] of list.matchAll(/(\w+)(?: as \w+)?/g)) names.add(imported);
      return `${keyword} {${list}} from '${specifier}';`;
    });
    if (bundled.includes(`from '${name}'`)) throw new Error(`${path} imports ${name} in another way than by names`);
    writeFileSync(file, bundled);
  }
  if (names.size === 0) throw new Error(`Nothing in ${fileURLToPath(dist)} imports ${name}`);
  const entry = `bundled:${name}`;
  const build = await rolldown({
    input: entry,
    cwd: fileURLToPath(root),
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? `export { ${[...names].toSorted().join(', ')} } from '${name}';` : null),
      },
    ],
  });
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, root), 'utf8'));
  const license = readFileSync(new URL(`node_modules/${name}/LICENSE`, root), 'utf8').trim();
  await build.write({ file: target, format: 'esm', banner: `/*! ${name} ${version}\n\n${license}\n*/` });
  await build.close();
}
