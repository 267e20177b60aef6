import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readBuiltIn } from '../../../codegen/project-types/built-in.ts';
import { filesOf, type Part } from '../../../codegen/project-types/files.ts';
import type { Spec } from '../../../codegen/project-types/spec.ts';
import { newFolder } from '../../support/folders.ts';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder in which the packages of this project are installed. */
export function projectFolder(): string {
  const folder = newFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "project", "type": "module" }');
  return folder;
}

/** Writes the files of a version, or of a specification, into a new project, and returns its folder. */
export async function writtenFiles(
  spec: Spec | string,
  wanted: readonly Part[] = ['zod', 'operations'],
): Promise<string> {
  const folder = projectFolder();
  const files = await filesOf(typeof spec === 'string' ? await readBuiltIn(spec) : spec, {
    with: new Set(wanted),
    importExtension: '.ts',
  });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return folder;
}

/** Loads a generated module. */
export const load = (folder: string, name: string): Promise<Record<string, unknown>> =>
  import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href);
