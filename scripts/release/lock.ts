/** An entry of `packages` in package-lock.json. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** Subresource integrity, such as `sha512-…`. */
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  /** By folder: '' is the project, `node_modules/a/node_modules/b` a package that only `a` uses. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** A package that npm installs, at its place in the lock file. */
export interface Installed {
  readonly path: string;
  readonly name: string;
  readonly locked: LockedPackage;
  /** Places of the packages that it depends on. */
  readonly needs: readonly string[];
}

const nameAt = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Returns the place where Node finds a package from another one: in the nearest `node_modules` above it. */
function placeOf(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.packages[path] !== undefined) return path;
    if (folder === '') return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  }
}

/**
 * The packages of these names as the project's lock file has them, and all that they depend on.
 *
 * @throws Error for one that the lock file lacks
 */
export function installedWith(lock: Lock, names: readonly string[]): Map<string, Installed> {
  const found = new Map<string, Installed>();
  const visit = (from: string, name: string, isOptional: boolean): string | undefined => {
    const path = placeOf(lock, from, name);
    const locked = path === undefined ? undefined : lock.packages[path];
    if (path === undefined || locked === undefined) {
      if (isOptional) return undefined;
      throw new Error(`package-lock.json has no ${name}, which ${from || 'the project'} needs; run npm install`);
    }
    if (!found.has(path)) {
      const needs: string[] = [];
      found.set(path, { path, name: nameAt(path), locked, needs });
      const optional = locked.optionalDependencies ?? {};
      for (const dependency of Object.keys({ ...locked.dependencies, ...optional })) {
        const place = visit(path, dependency, dependency in optional);
        if (place !== undefined) needs.push(place);
      }
    }
    return path;
  };
  for (const name of names) visit('', name, false);
  return found;
}
