import { existsSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { trimEnd } from '../../core/model/text.ts';
import { packageManifest } from '../../gateway/compose/version.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { shellWord } from '../render.ts';
import { projectFiles } from '../templates.ts';

export interface InitOptions {
  /** JavaScript instead of TypeScript. */
  readonly js?: boolean;
}

/**
 * `a2a-gateway init`: writes a project with an agent and its test into a folder, which is made where it is missing, and
 * prints the next commands. Overwrites nothing.
 */
export async function init(folder: string, { js = false }: InitOptions, output: Output): Promise<void> {
  const { version, devDependencies = {} } = packageManifest();
  const files = projectFiles({
    name: packageNameOf(folder),
    language: js ? 'js' : 'ts',
    versions: {
      gateway: `^${version}`,
      typescript: `^${devDependencies.typescript ?? '7.0.0'}`,
      nodeTypes: `^${devDependencies['@types/node'] ?? '24.0.0'}`,
    },
  });
  if ((await stat(folder).catch(() => undefined))?.isDirectory() === false) throw new UsageError(`${folder} is a file`);
  const taken = [...files.keys()].find((name) => existsSync(join(folder, name)));
  if (taken !== undefined) {
    throw new UsageError(`${join(folder, taken)} exists, and init overwrites nothing; name another folder`);
  }
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) {
    await writeFile(join(folder, name), text, { flag: 'wx' });
    output.note(`wrote ${join(folder, name)}`);
  }
  const next = [
    ...(resolve(folder) === resolve('.') ? [] : [`cd ${shellWord(folder)}`]),
    'npm install',
    'npm test',
    'npm run dev',
  ];
  output.print(`Next:\n${next.map((line) => `  ${line}\n`).join('')}`);
}

/** A name that npm accepts. */
function packageNameOf(folder: string): string {
  const letters = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-');
  const name = trimEnd(letters.replace(/^-+/, ''), '-');
  return name === '' || name === 'a2a-gateway' || name === 'node-modules' ? 'my-agent' : name.slice(0, 100);
}
