import { ConfigError } from './index.ts';
import { readSources } from './load.ts';

/** Paths in the configuration to which errors belong. */
const paths = new WeakMap<object, readonly string[]>();

/** Runs work for one part of the configuration. If it rejects, the part's path is remembered with the error. */
export async function atConfigPath<T>(path: readonly string[], work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (typeof thrown === 'object' && thrown !== null && !paths.has(thrown)) paths.set(thrown, path);
    throw thrown;
  }
}

/** Converts an error about a well-formed configuration that cannot be used to an error with a position in the file. */
export async function asConfigError(thrown: unknown, file: string | undefined): Promise<ConfigError> {
  if (thrown instanceof ConfigError) return thrown;
  const path = typeof thrown === 'object' && thrown !== null ? (paths.get(thrown) ?? []) : [];
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const where = file === undefined ? undefined : await positionOf(file, path);
  return new ConfigError([{ where, path: path.join('.'), message }], { cause: thrown });
}

/** Returns the position of a configuration path in its file. Undefined if it is unknown. */
export async function positionOf(file: string, path: readonly string[]): Promise<string | undefined> {
  try {
    const { placeOf } = await import('./parse.ts');
    return placeOf(await readSources(file), path);
  } catch {
    // The file may have been replaced meanwhile.
    return undefined;
  }
}
