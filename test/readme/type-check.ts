import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';
import { type Block, blocksOf } from './blocks.ts';
import { libraries, linkModules } from './workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whether a block is TypeScript that must type-check. ```ts no-check, with its reason above it, is left out. */
export const isChecked = ({ language, words }: Block): boolean => language === 'ts' && !words.includes('no-check');

/**
 * Type-checks the TypeScript blocks of Markdown pages against the gateway's own sources, all in one run of the compiler:
 * most of its time goes to the sources. Each page has a folder of its own, with its name, so messages begin with it.
 *
 * @returns the compiler's messages; empty if there are none
 */
export function typeErrors(pages: ReadonlyMap<string, string>): string {
  const folder = newFolder();
  linkModules(folder);
  const files = [...pages].flatMap(([page, text]) =>
    blocksOf(text)
      .filter(isChecked)
      .map((block) => {
        const name = join(page, block.file ?? `line-${block.line}.ts`);
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), block.text);
        return name;
      }),
  );
  const paths = Object.fromEntries(libraries.map(([name, source]) => [name, [join(root, source)]]));
  const typeRoots = [join(root, 'node_modules/@types')];
  const imports = { rewriteRelativeImportExtensions: false, moduleDetection: 'force' };
  const options = { paths, typeRoots, isolatedModules: false, ...imports };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const tsc = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false', '--singleThreaded'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: paced(120_000),
  });
  return tsc.status === 0 ? '' : tsc.stdout + tsc.stderr;
}
