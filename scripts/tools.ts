import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installInPlace, toolGroups, toolsIn } from '../codegen/project-types/tool-cache.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Folders of `tools` with packages of their own, which `npm ci` in the root does not install, because most work does
 * not need them: the generators of code, the documentation site, large packages of slow tests, libraries for models,
 * and what makes executables.
 */
export const toolNames = [...toolGroups, 'site', 'tests', 'models', 'executable'] as const;

export type ToolName = (typeof toolNames)[number];

/** Installs the packages of a folder of `tools` by its lock file, unless they are there in the versions that it names. */
export const installTools = (name: ToolName): Promise<void> => installInPlace(join(root, 'tools', name));

/** The path of a module from the packages of a folder of `tools`, such as `@bufbuild/buf/bin/buf`. */
export const resolveTool = (name: ToolName, specifier: string): string =>
  toolsIn(join(root, 'tools', name)).resolve(specifier);
