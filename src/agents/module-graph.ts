import { realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fileState } from '../net/file-state.ts';

/** A file of a module, loaded once. */
interface LoadedFile {
  readonly path: string;
  /** State of the file just before it was loaded. */
  readonly state: string;
  /** Files that it imports, by their URLs here. */
  readonly imports: Set<string>;
}

/** Users' files, by the URLs under which they were loaded. A file that is loaded again has another query in its URL. */
const files = new Map<string, LoadedFile>();

/** The latest URLs of users' modules, by their paths. */
const modules = new Map<string, string>();

/**
 * The loads by which CommonJS files were last loaded, by their URLs without a query: Node identifies these files only by their
 * paths.
 */
const commonJs = new Map<string, string>();

/** The loads for which CommonJS files were removed from Node's cache, by their paths. */
const forgotten = new Map<string, string>();

let loads = 0;

/** Returns the id of a load of several modules. Files that they share are loaded once for all of them. */
export function newLoad(): string {
  loads += 1;
  return String(loads);
}

/** URL of the gateway's own files. They are never loaded again, because that would duplicate their classes. */
const ownFiles = new URL('../', import.meta.url).href;

/**
 * The URL by which to import a user's file. It differs from the last one if the file, or a file that it imports, has changed.
 *
 * @param path absolute
 * @param load loads everything again; default: loads only changed files again
 */
export function moduleUrl(path: string, load?: string): URL {
  noteImports();
  // Node resolves links, so the path is resolved, too.
  const place = realPathOf(path);
  const plain = pathToFileURL(place).href;
  const known = modules.get(path);
  const isElsewhere = known !== undefined && fileURLToPath(known) !== place;
  const isStale = known !== undefined && (isElsewhere || !isUnchanged(filesOf(path)()));
  const by = load ?? (isStale ? newLoad() : undefined);
  const isCommonJs = by !== undefined && forgetCommonJs(path, place, by);
  const url = by === undefined ? (known ?? plain) : loadedAs(plain, by, { isCommonJs, isRequired: false });
  modules.set(path, url);
  addFile(url, place);
  return new URL(url);
}

/**
 * The files of the module that was last loaded from this path, with their states at that time. Packages that it imports do not
 * belong to it. A function, because modules may import more files later.
 */
export function filesOf(path: string): () => ReadonlyMap<string, string> {
  const module = modules.get(path) ?? '';
  return () => {
    const states = new Map<string, string>();
    const visit = (url: string): void => {
      const file = files.get(url);
      if (!file || states.has(file.path)) return;
      states.set(file.path, file.state);
      for (const imported of file.imports) visit(imported);
    };
    visit(module);
    return states;
  };
}

/** Whether files still have these states. */
export const isUnchanged = (states: ReadonlyMap<string, string>): boolean =>
  states.entries().every(([path, state]) => fileState(path) === state);

let isNoting = false;

/**
 * Makes Node load the imports of a file again when the file itself is loaded again, and records which files each file imports.
 */
function noteImports(): void {
  if (isNoting) return;
  isNoting = true;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const { parentURL = '', conditions } = context;
      const importing = files.get(parentURL);
      if (!importing || !isUsersFile(specifier, resolved.url)) return resolved;
      const load = new URL(parentURL).searchParams.get('reload') ?? commonJs.get(parentURL);
      // Node 22 passes a Set to CommonJS files.
      const isRequired = new Set(conditions).has('require');
      const isCommonJs = isRequired || resolved.format === 'commonjs';
      const url = load === undefined ? resolved.url : loadedAs(resolved.url, load, { isCommonJs, isRequired });
      addFile(url, fileURLToPath(url));
      importing.imports.add(url);
      return { ...resolved, url };
    },
  });
}

/** Whether an import is a user's file. Packages are not, even if they are links to other folders: they are not loaded again. */
const isUsersFile = (specifier: string, url: string): boolean =>
  /^(?:[./#]|file:)/.test(specifier) &&
  url.startsWith('file:') &&
  !url.includes('/node_modules/') &&
  !url.startsWith(ownFiles);

interface ImportKind {
  readonly isCommonJs: boolean;
  readonly isRequired: boolean;
}

/** The URL of a file that is loaded again. */
function loadedAs(plain: string, load: string, { isCommonJs, isRequired }: ImportKind): string {
  const url = new URL(plain);
  if (!isRequired) url.searchParams.set('reload', load);
  if (isCommonJs && commonJs.get(plain) !== load) {
    commonJs.set(plain, load);
    // The files that it requires have its URL without a query as their parent's.
    const file = newFile(fileURLToPath(plain));
    files.set(plain, file);
    files.set(url.href, file);
    if (!isRequired) requireAgain(file.path);
  }
  return url.href;
}

/**
 * Loads a CommonJS file before it is imported. Otherwise Node would prepare the files whose exports it re-exports at the import,
 * take them for loaded if it had loaded them before, and find their exports empty.
 */
function requireAgain(path: string): void {
  try {
    createRequire(path)(path);
  } catch {
    // The import fails with the same error.
  }
}

/**
 * Removes the CommonJS files of a module from Node's cache, once for each load. Returns whether the module itself is such a file.
 */
function forgetCommonJs(path: string, place: string, load: string): boolean {
  const { cache } = createRequire(place);
  const isCommonJs = Object.hasOwn(cache, place);
  for (const each of filesOf(path)().keys()) {
    if (forgotten.get(each) === load) continue;
    forgotten.set(each, load);
    delete cache[each];
  }
  return isCommonJs;
}

function addFile(url: string, path: string): void {
  if (!files.has(url)) files.set(url, newFile(path));
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const newFile = (path: string): LoadedFile => ({ path, state: fileState(path), imports: new Set() });
