import type { Agent } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import { isObject } from '../core/model/json.ts';
import { agentOf } from './define.ts';
import { loadUserModule, makeFromModule, type UserModule } from './user-module.ts';

/** The argument of the function or class that a module exports. */
export interface AgentSettings<Config = unknown> {
  /** The agent's name in the configuration. */
  readonly name: string;
  /** `config` of the agent, as the module's `configSchema` returns it; undefined if there is none. */
  readonly config: Config;
  /** `env` of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Loads the agent in the default export of a user's file, which is JavaScript, or TypeScript with erasable syntax. The export is
 * an agent, a definition, an instance of a class, or a class or function that makes an agent from its settings. Rejects with an
 * A2AError that describes the fault in the file or its settings.
 *
 * @param path absolute
 * @param load loads the file again, with its imports; default: only if it has changed
 */
export async function loadModuleAgent(path: string, settings: AgentSettings, load?: string): Promise<Agent> {
  const what = `The agent ${path}`;
  return agentOfModule(what, await loadUserModule(what, path, load), settings);
}

/**
 * The agent that a loaded module exports by default. Rejects as `loadModuleAgent` does.
 *
 * @param what names the agent, for errors
 */
export async function agentOfModule(what: string, loaded: UserModule, settings: AgentSettings): Promise<Agent> {
  const exported = await loaded.default;
  if (exported === undefined) throw new A2AError('internal', `${what} exports nothing by default${adviceFor(loaded)}`);
  const made = typeof exported === 'function' ? await makeFromModule(what, loaded, settings) : exported;
  const hasSettings = settings.config !== undefined || Object.keys(settings.env).length > 0;
  if (hasSettings && made === exported) {
    const advice = 'export a function by default: it is called with { name, config, env }, and returns defineAgent(…)';
    throw new A2AError('internal', `${what} takes no config and no env; ${advice}.`);
  }
  try {
    if (made !== exported) requireMade(made);
    return agentOf(made);
  } catch (cause) {
    throw new A2AError('internal', `${what} cannot be made: ${(cause as Error).message}`, { cause });
  }
}

/** @throws TypeError if the exported function is the agent's `execute` itself */
function requireMade(made: unknown): void {
  const isAnswer = typeof made === 'string' || Array.isArray(made) || (isObject(made) && Symbol.asyncIterator in made);
  if (!isAnswer && made !== undefined) return;
  const returned = made === undefined ? 'nothing' : 'an answer';
  throw new TypeError(
    `Its function returned ${returned}. It is called once, with { name, config, env }, and returns an agent: ` +
      'write `export default defineAgent({ name, description }, execute)`.',
  );
}

/** Advice for the author of a module without a default export. */
function adviceFor(loaded: UserModule): string {
  const name = Object.keys(loaded).find((each) => isObject(loaded[each]) && 'execute' in loaded[each]);
  return name === undefined
    ? '; write `export default defineAgent({ name, description, execute })`.'
    : `, but ${name}; write \`export default ${name}\`.`;
}
