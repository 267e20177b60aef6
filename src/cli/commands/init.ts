import { existsSync, readFileSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trimEnd } from '../../core/model/text.ts';
import { packageFolder, packageManifest } from '../../gateway/process/version.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { shellWord } from '../render.ts';

export interface InitOptions {
  /** Whether to write JavaScript instead of TypeScript. */
  readonly js?: boolean;
}

/**
 * `a2a-gateway init`: writes a project with an agent and its test into a folder, which is created if it does not exist,
 * and prints the next commands. It overwrites nothing.
 */
export async function init(folder: string, { js = false }: InitOptions, output: Output): Promise<void> {
  const { version, devDependencies = {}, engines } = packageManifest();
  const { dependency, before } = gatewayReference(fileURLToPath(packageFolder), version);
  const needsNode = npmRunsOnOlder(engines.node);
  const files = projectFiles({
    name: packageNameOf(folder),
    language: js ? 'js' : 'ts',
    needsNode,
    versions: {
      gateway: dependency,
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
    ...before,
    needsNode ? 'npm install node@24' : 'npm install',
    'npm test',
    'npm run dev',
  ];
  output.print(`Next:\n${next.map((line) => `  ${line}\n`).join('')}`);
}

/**
 * Whether the npm that started this program runs on an older Node than `wanted`, as its scripts then would. This
 * program itself may run on another Node.
 *
 * @param wanted the required version, such as `>=22.19`
 */
function npmRunsOnOlder(wanted: string): boolean {
  const [, major = 0, minor = 0] = (/\bnode\/v(\d+)\.(\d+)/.exec(process.env.npm_config_user_agent ?? '') ?? []).map(
    Number,
  );
  const [, wantedMajor = 0, wantedMinor = 0] = (/^>=(\d+)\.(\d+)/.exec(wanted) ?? []).map(Number);
  return major > 0 && (major < wantedMajor || (major === wantedMajor && minor < wantedMinor));
}

/**
 * Returns a project's dependency on this package in a form that `npm install` can resolve: a checkout is packed into
 * the project's folder, a package installed from a file is installed from that file again, and any other package from
 * the registry.
 *
 * @param folder the folder of this package
 * @returns the entry in `package.json`, and the commands that must run before `npm install`
 */
export function gatewayReference(folder: string, version: string): { dependency: string; before: readonly string[] } {
  const modules = dirname(resolve(folder));
  if (basename(modules) !== 'node_modules') {
    return { dependency: `file:a2a-gateway-${version}.tgz`, before: [`npm pack -q ${shellWord(resolve(folder))}`] };
  }
  const source = installedFrom(modules, basename(resolve(folder)));
  return { dependency: source === undefined ? `^${version}` : `file:${source}`, before: [] };
}

/**
 * Returns the file from which npm installed a package. Undefined if it was not installed from a file, the file no
 * longer exists, or another program installed it.
 */
function installedFrom(modules: string, name: string): string | undefined {
  const lock = join(modules, '.package-lock.json');
  if (!existsSync(lock)) return undefined;
  const { packages = {} } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages?: Record<string, { resolved?: string }>;
  };
  const resolved = packages[`node_modules/${name}`]?.resolved ?? '';
  const file = resolve(dirname(modules), resolved.replace(/^file:/, ''));
  return resolved.startsWith('file:') && existsSync(file) ? file : undefined;
}

/** Returns a package name that npm accepts. */
function packageNameOf(folder: string): string {
  const letters = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-');
  const name = trimEnd(letters.replace(/^-+/, ''), '-');
  return name === '' || name === 'a2a-gateway' || name === 'node-modules' ? 'my-agent' : name.slice(0, 100);
}

/** Options on which the files depend. */
interface ProjectOptions {
  readonly name: string;
  readonly language: 'ts' | 'js';
  /** Whether the project installs a Node of its own. */
  readonly needsNode: boolean;
  readonly versions: { readonly gateway: string; readonly typescript: string; readonly nodeTypes: string };
}

function manifest({ name, language, needsNode, versions }: ProjectOptions): string {
  const types = { typescript: versions.typescript, '@types/node': versions.nodeTypes };
  const content = {
    name,
    private: true,
    type: 'module',
    scripts: {
      dev: `a2a-gateway serve --dev agent.${language}`,
      start: 'a2a-gateway serve --config gateway.yaml',
      // With a pattern, an old Node that cannot run TypeScript fails instead of finding no tests.
      test: `node --test "*.test.${language}"`,
      ...(language === 'ts' && { check: 'tsc' }),
    },
    dependencies: { 'a2a-gateway': versions.gateway },
    ...(language === 'ts' && { devDependencies: types }),
    // Without it, npm warns at each installation about the script that installs the Node binary.
    ...(needsNode && { allowScripts: { node: true } }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** URL of one of the templates, which all are in one folder. */
const templates = new URL('../project/agent.txt', import.meta.url);

function projectFiles(options: ProjectOptions): ReadonlyMap<string, string> {
  const { name, language } = options;
  const check = language === 'ts' ? '| `npm run check` | checks the types |\n' : '';
  const values: Readonly<Record<string, string>> = { name, language, check };
  const filled = (template: string): string =>
    readFileSync(new URL(`${template}.txt`, templates), 'utf8').replace(
      /\{\{(\w+)\}\}/g,
      (_, key) => values[key] ?? '',
    );
  return new Map([
    ['package.json', manifest(options)],
    [`agent.${language}`, filled('agent')],
    [`agent.test.${language}`, filled('agent.test')],
    ['gateway.yaml', filled('gateway')],
    ...(language === 'ts' ? ([['tsconfig.json', filled('tsconfig')]] as const) : []),
    ['.gitignore', filled('gitignore')],
    ['README.md', filled('README')],
  ]);
}
