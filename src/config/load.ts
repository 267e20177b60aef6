import { statSync } from 'node:fs';
import { access, constants, readdir } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { isObject } from '../core/model/json.ts';
import { FileRefused, kindOf, readFileText, requireRegular } from '../net/read-file.ts';
import type { ToolServerAuthSettings } from '../net/tool-server-settings.ts';
import { expectedUpstreamUrl, readUrlWithUser } from './addresses.ts';
import { splitIssues } from './issues.ts';
import type { ConfigSource, ConfigSources, ParseOptions } from './parse.ts';
import { ConfigError, type ConfigProblem, protoRefused } from './report.ts';
import { resolveConfig } from './resolve.ts';
import { type ConfigInput, fileSchema, readOnce, settingsSchema } from './schema.ts';
import { type AgentConfig, agentNameOf } from './sections/agents.ts';
import { storeFault } from './sections/store.ts';
import type { Config, ConfigOverrides } from './types.ts';

const flagError = (flag: string, message: string): ConfigError =>
  new ConfigError([{ where: undefined, path: flag, message }]);

function checkOverrides(overrides: ConfigOverrides): void {
  const fault = overrides.store === undefined ? undefined : storeFault(overrides.store);
  if (fault !== undefined) throw flagError('--store', fault);
}

/** Flags of a gateway without a configuration file. */
export interface ServeFlags extends ConfigOverrides {
  /** URL of an agent to serve instead of the reference agent, under the name `upstream`. */
  readonly upstream?: string;
  /** Path of a module with an agent to serve instead of the reference agent, under the name of the file. */
  readonly agent?: string;
  /**
   * Path of a module with an agent to serve for development: tasks are kept in memory, and everything is logged in
   * readable form.
   */
  readonly dev?: string;
}

/**
 * Returns the configuration without a file: the reference agent on http://localhost:8080, tasks in ./data/gateway.db,
 * anonymous access from this machine.
 *
 * @param flags values of the command line
 * @throws ConfigError if the flags require a file, for example to listen on a non-loopback address
 */
export function defaultConfig(flags: ServeFlags = {}): Config {
  checkOverrides(flags);
  const problems: ConfigProblem[] = [];
  const cwd = process.cwd();
  const config = resolveConfig(
    inputOf(flags),
    flags,
    { file: undefined, folder: cwd, cwd, env: process.env },
    (path, message) => {
      const key = path.join('.');
      problems.push(
        Object.hasOwn(flags, key)
          ? { where: undefined, path: `--${key}`, message }
          : { where: undefined, path: key, message: `${message} (in a file given with --config)` },
      );
    },
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Returns the configuration for the settings of a program. Unlike those of a file, they add no demo agent, and paths
 * are relative to the working directory.
 *
 * @throws ConfigError that names every problem with its path
 */
export function configOfSettings(settings: unknown): Config {
  const problems: ConfigProblem[] = [];
  const report = (path: readonly PropertyKey[], message: string): void => {
    problems.push({ where: undefined, path: path.map(String).join('.'), message });
  };
  refuseProto(settings, report);
  if (problems.length > 0) throw new ConfigError(problems);
  const parsed = settingsSchema.safeParse(settings, readOnce);
  if (!parsed.success) {
    for (const { path, message } of splitIssues(parsed.error)) report(path, message);
    throw new ConfigError(problems);
  }
  const cwd = process.cwd();
  const config = resolveConfig(parsed.data, {}, { file: undefined, folder: cwd, cwd, env: process.env }, report);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Reports keys named `__proto__` in settings, which the schema would drop silently. */
function refuseProto(settings: unknown, report: (path: readonly string[], message: string) => void): void {
  const seen = new Set<unknown>();
  const look = (value: unknown, path: readonly string[]): void => {
    if (!isPlain(value) || seen.has(value)) return;
    seen.add(value);
    if (Object.hasOwn(value, '__proto__')) report([...path, '__proto__'], protoRefused);
    else for (const [key, member] of Object.entries(value)) look(member, [...path, key]);
  };
  look(settings, []);
}

/** Whether a value is a list, or an object without a class. */
const isPlain = (value: unknown): value is object =>
  Array.isArray(value) || (isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value)));

/** Returns the content of a configuration file that is equivalent to the flags. */
function inputOf({ upstream, agent, dev }: ServeFlags): ConfigInput {
  if (upstream !== undefined) {
    if (readUrlWithUser(upstream) === undefined) throw flagError('--upstream', `expected ${expectedUpstreamUrl}`);
    return fileSchema.parse({ agents: { upstream: { kind: 'upstream', url: upstream } } }, readOnce);
  }
  const path = agent ?? dev;
  if (path === undefined) return fileSchema.parse({}, readOnce);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw flagError(dev === undefined ? '--agent' : '--dev', `there is no file ${path}`);
  }
  const forDevelopment = { store: 'memory:', log: { level: 'debug', requests: true, format: 'text' } };
  const agents = { [agentNameOf(path)]: { kind: 'module', path } };
  return fileSchema.parse({ agents, ...(dev !== undefined && forDevelopment) }, readOnce);
}

/** Environment variables for the file, instead of those of the process. */
export type LoadOptions = Pick<ParseOptions, 'env'>;

/**
 * Reads a configuration file and the agents in `agents.d/*.yaml` in its folder, and checks that the files named in them
 * are readable. An empty file is refused: a file that is being written may be empty for a moment, and the defaults
 * could admit other callers.
 *
 * @param file path of a YAML file; relative paths in it are relative to its folder
 * @param overrides values of the command line, which override those of the file
 * @throws ConfigError that names every problem with its file, line and path
 */
export async function loadConfig(
  file: string,
  overrides: ConfigOverrides = {},
  options: LoadOptions = {},
): Promise<Config> {
  checkOverrides(overrides);
  const sources = await readSources(file);
  const { text } = sources.main;
  if (!text.split('\n').some((line) => /^\s*[^\s#]/.test(line))) {
    const message = 'the file is empty; write settings into it, or start without a configuration file';
    throw new ConfigError([{ where: undefined, path: file, message }]);
  }
  // Loaded here, so that a gateway without a configuration file does not load a YAML parser and a validator.
  const { parseConfig, placeOf } = await import('./parse.ts');
  const config = parseConfig(text, { file, agentFiles: sources.agentFiles, overrides, ...options });

  const problems: ConfigProblem[] = [];
  for (const [path, target] of namedFiles(config)) {
    const readable = async (): Promise<void> => {
      requireRegular(target);
      await access(target, constants.R_OK);
    };
    await readable().catch((error: NodeJS.ErrnoException) => {
      const where = placeOf(sources, path);
      const relatively = 'no such file; paths are relative to the configuration file';
      const why =
        error.code === 'ENOENT' ? relatively : error instanceof FileRefused ? `it is ${error.code}` : 'not permitted';
      problems.push({ where, path: path.join('.'), message: `cannot read ${shorter(target)} (${why})` });
    });
  }
  const fault = storeFileFault(config.store);
  if (fault !== undefined) problems.push({ where: placeOf(sources, ['store']), path: 'store', message: fault });
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/**
 * Returns the stats of a file. Undefined if it does not exist, or cannot be examined; the store then reports the error
 * when it is opened.
 */
function statIfThere(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Returns the reason why a path cannot be the file of a store. Undefined if it can, or if the file does not exist yet.
 */
function storeFileFault(url: string): string | undefined {
  if (!url.startsWith('sqlite:')) return undefined;
  const path = url.slice('sqlite:'.length);
  const stats = statIfThere(path);
  const kind = stats && kindOf(stats);
  if (kind === undefined) return undefined;
  const hint = kind === 'a folder' ? `; name a file in it, such as sqlite:${join(shorter(path), 'gateway.db')}` : '';
  return `${shorter(path)} is ${kind}, not a database file${hint}`;
}

/** Returns the folder next to a configuration file that contains files with further agents. */
export const agentFolderOf = (file: string): string => join(dirname(file), 'agents.d');

/**
 * Reads the texts of a configuration file and of `agents.d/*.yaml` in its folder.
 *
 * @throws ConfigError for a file that cannot be read
 */
export async function readSources(file: string): Promise<ConfigSources> {
  const fail = (path: string, error: NodeJS.ErrnoException): never => {
    const why = error instanceof FileRefused ? `it is ${error.code}` : (error.code ?? error.message);
    const message = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${why})`;
    throw new ConfigError([{ where: undefined, path, message }], { cause: error });
  };
  const read = (path: string): ConfigSource => {
    try {
      return { file: path, text: readFileText(path) };
    } catch (error) {
      return fail(path, error as NodeJS.ErrnoException);
    }
  };
  const main = read(file);
  const folder = agentFolderOf(file);
  const found = await readdir(folder).catch((error) => (error.code === 'ENOENT' ? [] : fail(folder, error)));
  // Files whose names begin with a dot belong to editors, or to the system that mounts the folder.
  const names = found.filter((name) => !name.startsWith('.') && ['.yaml', '.yml'].includes(extname(name)));
  return { main, agentFiles: names.toSorted().map((name) => read(join(folder, name))) };
}

/** Returns the path relative to the working directory if that is shorter. */
function shorter(path: string): string {
  const relativePath = relative('.', resolve(path));
  return relativePath.length < path.length ? relativePath : path;
}

/** Yields the gateway's credentials at an agent's servers, with the paths of the sections that contain them. */
function* credentialsOf(agent: AgentConfig): Generator<[path: string[], auth: ToolServerAuthSettings | undefined]> {
  if (agent.kind === 'upstream') yield [[], agent.auth];
  if (agent.kind !== 'mcp') return;
  for (const [id, server] of agent.servers) if (server.type !== 'stdio') yield [['servers', id], server.auth];
}

/** Returns the files with credentials, by the keys that name them. */
function filesOf(auth: ToolServerAuthSettings | undefined): Readonly<Record<string, string | undefined>> {
  if (auth?.type === 'oauth2Discovery' || auth?.type === 'jwtBearer') return { privateKey: auth.privateKey };
  return auth?.type === 'mtls' ? { cert: auth.cert, key: auth.key, ca: auth.ca } : {};
}

/** Yields the files that a configuration names, with the paths of the keys that name them. */
export function* namedFiles(config: Config): Generator<[path: string[], file: string]> {
  for (const [key, file] of Object.entries(config.listen.tls ?? {})) {
    if (typeof file === 'string') yield [['listen', 'tls', key], file];
  }
  const { module } = config.auth.hooks ?? {};
  if (module) yield [['auth', 'module'], module.path];
  for (const [name, agent] of config.agents) {
    if (agent.kind === 'module') yield [['agents', name, 'path'], agent.path];
    for (const [path, auth] of credentialsOf(agent)) {
      for (const [role, file] of Object.entries(filesOf(auth))) {
        if (file !== undefined) yield [['agents', name, ...path, 'auth', role], file];
      }
    }
  }
}
