import { access, constants, readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { OutboundAuthSettings } from '../net/outbound-settings.ts';
import type { ParseOptions } from './parse.ts';
import { ConfigError, type ConfigProblem } from './report.ts';
import { resolveConfig } from './resolve.ts';
import type { ConfigFile } from './schema.ts';
import { storeFault } from './sections/store.ts';
import { expectedUpstreamUrl, readUpstreamUrl } from './sections/upstream-url.ts';
import { type AgentConfig, type Config, type ConfigOverrides, defaults } from './types.ts';

const flagError = (flag: string, message: string): ConfigError =>
  new ConfigError([{ where: undefined, path: flag, message }]);

function checkOverrides(overrides: ConfigOverrides): void {
  const fault = overrides.store === undefined ? undefined : storeFault(overrides.store);
  if (fault !== undefined) throw flagError('--store', fault);
}

/** Values of the command line that make a file unnecessary. */
export interface FlagsAlone extends ConfigOverrides {
  /** URL of an agent to serve in the place of the reference agent, under the name `upstream`. */
  readonly upstream?: string;
}

/**
 * The configuration that there is without a file: the reference agent on http://localhost:8080, tasks in
 * ./data/gateway.db, anonymous access for this machine.
 *
 * @param flags values of the command line
 * @throws ConfigError when they ask for what needs a file, such as listening off loopback
 */
export function defaultConfig({ upstream, ...overrides }: FlagsAlone = {}): Config {
  checkOverrides(overrides);
  const problems: ConfigProblem[] = [];
  const cwd = process.cwd();
  const config = resolveConfig(
    inputOf(upstream),
    overrides,
    { file: undefined, folder: cwd, cwd, env: process.env },
    (path, message) => {
      problems.push({ where: undefined, path: path.join('.'), message: `${message} (in a file given with --config)` });
    },
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** What a file would say that says the same as the flags. */
function inputOf(upstream: string | undefined): ConfigFile {
  if (upstream === undefined) return {};
  const url = readUpstreamUrl(upstream);
  if (url === undefined) throw flagError('--upstream', `expected ${expectedUpstreamUrl}`);
  return { agents: { [defaults.upstream]: { kind: 'upstream', url } } };
}

export interface LoadOptions extends Pick<ParseOptions, 'env'> {
  /**
   * Whether a gateway runs with what the file said before. Then a file that says nothing is refused: it would let in
   * whoever is let in without a configuration, and a file that is being written looks like that. Default false.
   */
  readonly again?: boolean;
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
  { again = false, ...options }: LoadOptions = {},
): Promise<Config> {
  checkOverrides(overrides);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code ?? error.message})`;
    throw new ConfigError([{ where: undefined, path: file, message }], { cause: error });
  });
  if (again && !text.split('\n').some((line) => /^\s*[^\s#]/.test(line))) {
    throw new ConfigError([{ where: undefined, path: file, message: 'says nothing; is it being written?' }]);
  }
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

/** What an agent shows of the gateway to others, with the paths of the sections that say so. */
function* credentialsOf(agent: AgentConfig): Generator<[path: string[], auth: OutboundAuthSettings | undefined]> {
  if (agent.kind === 'upstream') yield [[], agent.auth];
  if (agent.kind !== 'mcp') return;
  for (const [id, server] of agent.servers) if (server.type !== 'stdio') yield [['servers', id], server.auth];
}

/** The files that a configuration names, with the paths of the keys that name them. */
function* namedFiles(config: Config): Generator<[path: string[], file: string]> {
  for (const [key, file] of Object.entries(config.listen.tls ?? {})) {
    if (typeof file === 'string') yield [['listen', 'tls', key], file];
  }
  for (const [name, agent] of config.agents) {
    if (agent.kind === 'module') yield [['agents', name, 'path'], agent.path];
    for (const [path, auth] of credentialsOf(agent)) {
      if (auth?.type !== 'mtls') continue;
      const { cert, key, ca } = auth;
      for (const [role, file] of Object.entries({ cert, key, ca })) {
        if (file !== undefined) yield [['agents', name, ...path, 'auth', role], file];
      }
    }
  }
}
