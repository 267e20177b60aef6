import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from './make-folder.ts';
import { InstallError, npmCi } from './npm-ci.ts';
import { withProgress } from './progress.ts';

/**
 * Groups of packages that generate code: the proto compiler, the generator of types from JSON Schema, and the
 * generators of messages and descriptors. Each group is a folder of `tools` with a lock file, included in the gateway's
 * package.
 */
export const toolGroups = ['compile', 'types', 'plugins'] as const;

export type ToolGroup = (typeof toolGroups)[number];

/** A set of installed packages. */
export interface Tools {
  /** Returns the path of a module, such as `@bufbuild/buf/bin/buf`. */
  resolve(specifier: string): string;
}

/** Locations of tools. Default: those of the program. */
export interface ToolPlaces {
  /** Folder that contains a folder for each group. */
  readonly manifests?: string;
  /** Folder of the cache. `undefined`: packages are installed in the folders of the groups. */
  readonly cache?: string | undefined;
  /** Folder of the user's project, whose npm configuration applies. */
  readonly project?: string;
}

/** Whether this code runs from sources in a checkout. An installed package must not write to its own folder. */
const isCheckout = import.meta.url.endsWith('.ts');

const known = new Map<ToolGroup, Tools>();

/**
 * Returns the packages of a group, in the versions of its lock file. They are installed on first use: in a checkout in
 * its own folders, otherwise in the user's cache. The user's project is never changed.
 *
 * @throws InstallError
 */
export async function toolCache(group: ToolGroup): Promise<Tools> {
  let tools = known.get(group);
  if (tools === undefined) {
    tools = await installedTools(group, {});
    known.set(group, tools);
  }
  return tools;
}

/** Like `toolCache`, with given locations and without remembering the result. */
export async function installedTools(group: ToolGroup, places: ToolPlaces): Promise<Tools> {
  const { manifests = ownManifests(), project = process.cwd() } = places;
  const { cache = isCheckout ? undefined : cacheFolder() } = places;
  const folder = join(manifests, group);
  if (cache !== undefined) return toolsIn(await cached(folder, `${group}-${keyOf(folder)}`, { cache, project }));
  await installInPlace(folder);
  return toolsIn(folder);
}

/**
 * Returns the path of a module of a group that has already been installed, by `toolCache` or in a checkout.
 *
 * @throws Error if it has not been installed
 */
export function resolveTool(group: ToolGroup, specifier: string): string {
  return (known.get(group) ?? toolsIn(join(ownManifests(), group))).resolve(specifier);
}

/** Returns the folder `tools` of the checkout or package. The bundler may have moved this code to another folder. */
function ownManifests(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'tools', 'compile', 'package-lock.json'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error('the lock files of the generators are missing from the package of a2a-gateway');
    folder = parent;
  }
  return join(folder, 'tools');
}

/** Returns the tools of a folder with `node_modules`. */
export function toolsIn(folder: string): Tools {
  const require = createRequire(join(folder, 'package.json'));
  return {
    resolve(specifier) {
      try {
        return require.resolve(specifier);
      } catch (cause) {
        throw new Error(`${specifier} is not installed; run: npm ci --ignore-scripts --prefix ${folder}`, { cause });
      }
    },
  };
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function dependenciesOf(folder: string): [name: string, version: string][] {
  const { dependencies, devDependencies }: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries({ ...dependencies, ...devDependencies });
}

/** Installs the packages of a folder of `tools` there, unless it or the project has the required versions. */
export async function installInPlace(folder: string): Promise<void> {
  const project = join(folder, '..', '..');
  const isThere = ([dependency, version]: [string, string]): boolean =>
    [folder, project].some((place) => versionIn(place, dependency) === version);
  const dependencies = dependenciesOf(folder);
  if (dependencies.every(isThere)) return;
  await withProgress(`installing ${namesOf(dependencies)}`, () => npmCi(folder));
}

function versionIn(place: string, dependency: string): string | undefined {
  const file = join(place, 'node_modules', dependency, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

const namesOf = (dependencies: readonly (readonly [name: string, version: string])[]): string =>
  dependencies.map((row) => row.join('@')).join(' and ');

/** Returns a cache key. It includes the platform, since programs differ and machines may share a cache. */
function keyOf(folder: string): string {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')));
  return `${hash.digest('hex').slice(0, 16)}-${process.platform}-${process.arch}`;
}

/** Returns the user's cache folder according to the platform's conventions. `A2A_GATEWAY_CACHE` overrides it. */
export function cacheFolder({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'> = process): string {
  if (env.A2A_GATEWAY_CACHE) return env.A2A_GATEWAY_CACHE;
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env;
  // The XDG specification requires that relative paths are ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'a2a-gateway');
  if (platform === 'win32') return join(local || join(homedir(), 'AppData', 'Local'), 'a2a-gateway', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'a2a-gateway');
  return join(homedir(), '.cache', 'a2a-gateway');
}

/** File that completes an installation: a digest of the names and sizes of all its files. */
const seal = '.sealed';

async function cached(
  manifest: string,
  name: string,
  { cache, project }: { readonly cache: string; readonly project: string },
): Promise<string> {
  const place = join(cache, name);
  if (isWhole(place)) return place;
  const dependencies = namesOf(dependenciesOf(manifest));
  const temporary = temporaryFolder(cache, name);
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(manifest, file), join(temporary, file));
    await withProgress(`installing ${dependencies} in ${cache}`, () => npmCi(temporary, project));
    writeFileSync(join(temporary, seal), digestOf(temporary));
    publish(temporary, place);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    throw new InstallError(
      `npm could not install ${dependencies}, which this command needs: ${error.message}
npm needs its registry for that once; afterwards they are in ${cache}. To keep them elsewhere, set A2A_GATEWAY_CACHE.`,
      { cause: error },
    );
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
  return place;
}

/** Milliseconds after which a temporary folder counts as abandoned by its program. */
const abandoned = 3_600_000;

/** Creates a temporary folder in the cache, so that it can be renamed to its final place. */
function temporaryFolder(cache: string, name: string): string {
  try {
    makeFolder(cache);
    for (const entry of readdirSync(cache)) {
      const age = entry.startsWith('.')
        ? Date.now() - (statSync(join(cache, entry), { throwIfNoEntry: false })?.mtimeMs ?? 0)
        : 0;
      if (age > abandoned) rmSync(join(cache, entry), { recursive: true, force: true });
    }
    return mkdtempSync(join(cache, `.${name}-`));
  } catch (cause) {
    const why = (cause as Error).message;
    throw new InstallError(`${cache} cannot be used: ${why}; set A2A_GATEWAY_CACHE to a folder for packages`, {
      cause,
    });
  }
}

/** Moves an installation to its final place. An installation by another program is kept; a broken one is replaced. */
function publish(temporary: string, place: string): void {
  const aside = `${temporary}-old`;
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        renameSync(temporary, place);
        return;
      } catch (error) {
        if (isWhole(place)) return;
        if (attempt >= 3) throw error;
        if (existsSync(place)) renameSync(place, aside);
      }
    }
  } finally {
    rmSync(aside, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether an installation is complete. Programs that clean caches may remove single files. */
function isWhole(place: string): boolean {
  const file = join(place, seal);
  return existsSync(file) && readFileSync(file, 'utf8') === digestOf(place);
}

function digestOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const rows = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== join(folder, seal))
    .map((path) => `${path.slice(folder.length)}\0${statSync(path).size}`);
  return createHash('sha256').update(rows.sort().join('\n')).digest('hex');
}
