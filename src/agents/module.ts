import type { Agent } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import { loadUserModule, makeFromModule } from './user-module.ts';

/** What the configuration gives to the function that a module exports. */
export interface AgentSettings<Config = unknown> {
  /** The agent's name in the configuration. */
  readonly name: string;
  /** `config` of the agent, as the module's `configSchema` returns it; undefined where there is none. */
  readonly config: Config;
  /** `env` of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Loads the agent that a user's file exports by default: JavaScript, or TypeScript with erasable syntax. Rejects with an
 * A2AError that says what is wrong with the file or its settings.
 *
 * @param path absolute
 * @param anew loads the file again if it was loaded before, but not its imports. Node keeps the old module in memory
 */
export async function loadModuleAgent(path: string, settings: AgentSettings, anew = false): Promise<Agent> {
  const what = `The agent ${path}`;
  const loaded = await loadUserModule(what, path, anew);
  const exported = loaded.default;
  const agent = typeof exported === 'function' ? await makeFromModule(what, loaded, settings) : exported;
  if (!isAgent(agent)) {
    throw new A2AError(
      'internal',
      `${what} must export by default what defineAgent(…) returns, or a function that returns it.`,
    );
  }
  const hasSettings = settings.config !== undefined || Object.keys(settings.env).length > 0;
  if (hasSettings && agent === exported) {
    const advice = 'export a function by default: it is called with { name, config, env }, and returns defineAgent(…)';
    throw new A2AError('internal', `${what} takes no config and no env; ${advice}.`);
  }
  return agent;
}

const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && 'card' in value && 'execute' in value;
