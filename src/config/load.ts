import { access, constants, readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Config, ConfigOverrides } from './config.ts';
import type { ParseOptions } from './parse.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { resolveConfig } from './resolve.ts';
import { expectedStore, isStore } from './store.ts';

function checkOverrides(overrides: ConfigOverrides): void {
  if (overrides.store !== undefined && !isStore(overrides.store)) {
    throw new ConfigError([{ where: undefined, path: '--store', message: `expected ${expectedStore}` }]);
  }
}

/**
 * The configuration that there is without a file: the reference agent on http://localhost:8080, tasks in
 * ./data/gateway.db, anonymous access for this machine.
 *
 * @param overrides values of the command line
 * @throws ConfigError when they ask for what needs a file, such as listening off loopback
 */
export function defaultConfig(overrides: ConfigOverrides = {}): Config {
  checkOverrides(overrides);
  const problems: ConfigProblem[] = [];
  const cwd = process.cwd();
  const config = resolveConfig({}, overrides, { file: undefined, folder: cwd, cwd }, (path, message) => {
    problems.push({ where: undefined, path: path.join('.'), message: `${message} (in a file given with --config)` });
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Reads a configuration file and makes sure that the files that it names can be read.
 *
 * @param file path of a YAML file; relative paths in it are relative to its folder
 * @param overrides values of the command line, which win over those of the file
 * @throws ConfigError that names every problem with its file, line and path
 */
export async function loadConfig(
  file: string,
  overrides: ConfigOverrides = {},
  options: Pick<ParseOptions, 'env'> = {},
): Promise<Config> {
  checkOverrides(overrides);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code ?? error.message})`;
    throw new ConfigError([{ where: undefined, path: file, message }], { cause: error });
  });
  // Loaded here, so that a gateway without a configuration file does not pay for a YAML parser and a validator.
  const { parseConfig, placeOf } = await import('./parse.ts');
  const config = parseConfig(text, { file, overrides, ...options });

  const problems: ConfigProblem[] = [];
  for (const [path, target] of namedFiles(config)) {
    await access(target, constants.R_OK).catch(() => {
      const where = placeOf(text, file, path);
      problems.push({ where, path: path.join('.'), message: `cannot read ${shorter(target)}` });
    });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** A path as it is shortest to read from here. */
function shorter(path: string): string {
  const near = relative('.', resolve(path));
  return near.length < path.length ? near : path;
}

/** The files that a configuration names, with the paths of the keys that name them. */
function* namedFiles(config: Config): Generator<[path: string[], file: string]> {
  for (const [key, file] of Object.entries(config.listen.tls ?? {})) {
    if (typeof file === 'string') yield [['listen', 'tls', key], file];
  }
  for (const [name, agent] of config.agents) {
    if (agent.kind === 'module') yield [['agents', name, 'path'], agent.path];
  }
}
