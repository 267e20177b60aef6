import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Folders of `tools` with packages of their own, which `npm ci` in the root does not install, since most work does without
 * them: the generators of code, the documentation site, and large packages of slow tests.
 */
export const toolNames = ['codegen', 'site', 'tests'] as const;

export type ToolName = (typeof toolNames)[number];

/** Installs the packages of a folder of `tools` by its lock file, unless they are there in the versions that it names. */
export function installTools(name: ToolName): void {
  const folder = join(root, 'tools', name);
  const { devDependencies }: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const isThere = ([dependency, version]: [string, string]): boolean =>
    [folder, root].some((place) => versionIn(place, dependency) === version);
  if (Object.entries(devDependencies).every(isThere)) return;
  console.error(`installing the packages of tools/${name}`);
  // On Windows `npm` is a batch file, which needs a shell; its script runs without one.
  const script = process.platform === 'win32' ? process.env.npm_execpath : undefined;
  const [program, ...before] = script === undefined ? ['npm'] : [process.execPath, script];
  const args = [...before, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, error } = spawnSync(program as string, args, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    timeout: 600_000,
  });
  if (status !== 0) throw new Error(`npm ci in tools/${name} failed: ${error?.message ?? `exit code ${status}`}`);
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

function versionIn(place: string, dependency: string): string | undefined {
  const file = join(place, 'node_modules', dependency, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

/** The path of a module from the packages of a folder of `tools`, such as `@bufbuild/buf/bin/buf`. */
export function resolveTool(name: ToolName, specifier: string): string {
  try {
    return createRequire(join(root, 'tools', name, 'package.json')).resolve(specifier);
  } catch (cause) {
    throw new Error(`${specifier} is not installed; run: npm ci --ignore-scripts --prefix tools/${name}`, { cause });
  }
}
