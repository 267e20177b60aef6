import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Agent } from '../core/model/agent.ts';
import { displayLocation, isSourceLocation, sourceLocationOf } from '../core/model/agent-events.ts';
import { A2AError } from '../core/model/errors.ts';
import { checkSettings } from './settings.ts';

/** Milliseconds for finding the place of a syntax error. */
const syntaxCheckTimeout = 5_000;

/** Distinguishes the URLs of modules that are loaded again. */
let reloads = 0;

/** What the configuration gives to the function that a module exports. */
export interface AgentSettings<Config = unknown> {
  /** The agent's name in the configuration. */
  readonly name: string;
  /** `config` of the agent, as the module's `configSchema` returns it; undefined where there is none. */
  readonly config: Config;
  /** `env` of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a module exports. */
interface AgentModule {
  readonly default?: unknown;
  /** Checks `config`: a Standard Schema, such as one of Zod, or a JSON Schema. */
  readonly configSchema?: unknown;
}

/**
 * Loads the agent that a user's file exports by default: JavaScript, or TypeScript with erasable syntax. Rejects with an
 * A2AError that says what is wrong with the file or its settings.
 *
 * @param path absolute
 * @param anew loads the file again if it was loaded before, but not its imports. Node keeps the old module in memory
 */
export async function loadModuleAgent(path: string, settings: AgentSettings, anew = false): Promise<Agent> {
  const url = pathToFileURL(path);
  if (anew) url.searchParams.set('reload', String(++reloads));
  const loaded: AgentModule = await import(url.href).catch(async (cause: unknown) => {
    const why = await describeModuleFault(url, cause);
    throw new A2AError('internal', `The agent ${path} cannot be loaded: ${why}`, { cause });
  });
  const exported = loaded.default;
  const agent = typeof exported === 'function' ? await made(path, loaded, settings) : exported;
  if (!isAgent(agent)) {
    throw new A2AError(
      'internal',
      `The agent ${path} must export by default what defineAgent(…) returns, or a function that returns it.`,
    );
  }
  const hasSettings = settings.config !== undefined || Object.keys(settings.env).length > 0;
  if (hasSettings && agent === exported) {
    const advice = 'export a function by default: it is called with { name, config, env }, and returns defineAgent(…)';
    throw new A2AError('internal', `The agent ${path} takes no config and no env; ${advice}.`);
  }
  return agent;
}

/** The agent that a module's function makes. */
async function made(path: string, loaded: AgentModule, settings: AgentSettings): Promise<unknown> {
  const create = loaded.default as (settings: AgentSettings) => unknown;
  const { faults, value } = await checkSettings(loaded.configSchema, settings.config);
  if (faults.length > 0) {
    throw new A2AError('internal', `The agent ${path} has a config that is not valid: ${faults.join(', ')}`);
  }
  try {
    return await create({ ...settings, config: value });
  } catch (cause) {
    const place = sourceLocationOf(cause);
    const what = cause instanceof Error ? cause.message : String(cause);
    const where = place === undefined ? '' : ` (${place})`;
    throw new A2AError('internal', `The agent ${path} cannot be made: ${what}${where}`, { cause });
  }
}

const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && 'card' in value && 'execute' in value;

/** Why a module cannot be loaded: Node's message, the place, and advice. */
async function describeModuleFault(url: URL, thrown: unknown): Promise<string> {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const place = sourceLocationOf(thrown) ?? (thrown instanceof SyntaxError ? await placeOfSyntaxError(url) : undefined);
  const advice = esmAsCommonJs.test(message)
    ? `; Node takes this file for CommonJS, as the package.json next to it or above it says: name it ${moduleName(url)}, or set "type": "module" there`
    : '';
  return `${message}${place === undefined ? '' : ` (${place})`}${advice}`;
}

/** Node's messages about an ES module that it takes for CommonJS. */
const esmAsCommonJs = /import statement outside a module|Unexpected token 'export'|import\.meta' outside a module/;

const moduleName = ({ pathname }: URL): string =>
  decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)).replace(/\.(js|ts)$/, '.m$1');

/**
 * The place of a syntax error. Node only writes it to standard error, so another Node loads the module. None of its code
 * runs, because it cannot be parsed.
 */
async function placeOfSyntaxError(url: URL): Promise<string | undefined> {
  const args = ['--input-type=module', '--eval', `await import(${JSON.stringify(url.href)})`];
  const options = { timeout: syntaxCheckTimeout, killSignal: 'SIGKILL' } as const;
  const { stderr } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
  const line = String(stderr).split(/\r?\n/).find(isSourceLocation);
  return line === undefined ? undefined : displayLocation(line);
}
