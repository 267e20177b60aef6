import { readFile } from 'node:fs/promises';
import { type Config, ConfigError } from '../../config/index.ts';

/** Where in the configuration the reason of an error is. */
const places = new WeakMap<object, readonly string[]>();

/** Does something for a part of the configuration, whose path is remembered with what it rejects with. */
export async function atConfigPath<T>(path: readonly string[], work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (typeof thrown === 'object' && thrown !== null && !places.has(thrown)) places.set(thrown, path);
    throw thrown;
  }
}

/** What is wrong with a configuration that was well-formed and cannot be used: as errors of the file itself are told. */
export async function asConfigError(thrown: unknown, { file }: Pick<Config, 'file'>): Promise<ConfigError> {
  if (thrown instanceof ConfigError) return thrown;
  const path = typeof thrown === 'object' && thrown !== null ? (places.get(thrown) ?? []) : [];
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const where = file === undefined ? undefined : await placeIn(file, path);
  return new ConfigError([{ where, path: path.join('.'), message }], { cause: thrown });
}

async function placeIn(file: string, path: readonly string[]): Promise<string | undefined> {
  try {
    const { placeOf } = await import('../../config/parse.ts');
    return placeOf(await readFile(file, 'utf8'), file, path);
  } catch {
    // It may have been replaced meanwhile.
    return undefined;
  }
}
