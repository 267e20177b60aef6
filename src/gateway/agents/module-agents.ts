import { setTimeout as sleep } from 'node:timers/promises';
import { loadModuleAgent } from '../../agents/module.ts';
import { asConfigError, atConfigPath } from '../../config/error-path.ts';
import type { Config } from '../../config/index.ts';
import type { ModuleConfig } from '../../config/sections/agents.ts';
import { api } from '../../core/model/a2a.ts';
import type { Agent } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { violationsOf } from '../../wire/validate.ts';
import { loadAuthModule } from '../access/auth-hooks.ts';

/** Placeholder for the interfaces, which the gateway adds to every card. */
const supportedInterfaces = [{ url: 'http://localhost', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];

/** Loads an agent from a user's file and validates its cards. Rejects with an A2AError that names the problem. */
export async function loadModule(
  name: string,
  { path, config, env = new Map() }: ModuleConfig,
  load?: string,
): Promise<Agent> {
  const revealed = Object.fromEntries([...env].map(([key, secret]) => [key, secret.reveal()]));
  const agent = await loadModuleAgent(path, { name, config, env: revealed }, load);
  requireValidCards(agent, path);
  return agent;
}

/** @param from path or name of the agent, for the error */
export function requireValidCards(agent: Agent, from: string): void {
  for (const [which, card] of [['a card', agent.card] as const, ['an extended card', agent.extendedCard] as const]) {
    if (card === undefined) continue;
    const faults = violationsOf(api, 'lf.a2a.v1.AgentCard', { ...card, supportedInterfaces });
    if (faults.length === 0) continue;
    const problems = faults.map(({ field, description }) => `${field} ${description}`).join(', ');
    throw new A2AError('internal', `The agent ${from} has ${which} that is not valid: ${problems}`);
  }
}

/** A logger without output: a check reports errors itself. */
const noLog: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Milliseconds for loading modules in a check. */
const loadTimeout = 10_000;

/**
 * Loads every module of a configuration to check that it can be loaded. Its code runs.
 *
 * @throws ConfigError for the first module that cannot be loaded, or is not loaded within ten seconds
 */
export async function checkModules(config: Config): Promise<void> {
  const late = async (path: string): Promise<never> => {
    await sleep(loadTimeout, undefined, { ref: false });
    throw new A2AError('internal', `The module ${path} is still being loaded after ${loadTimeout / 1_000} s`);
  };
  try {
    await Promise.all(
      [...config.agents].map(([name, agent]) => {
        if (agent.kind !== 'module') return undefined;
        const loading = () => Promise.race([loadModule(name, agent), late(agent.path)]);
        return atConfigPath(['agents', name, 'path'], loading);
      }),
    );
    const { module } = config.auth.hooks ?? {};
    if (module)
      await atConfigPath(['auth', 'module'], () => Promise.race([loadAuthModule(module, noLog), late(module.path)]));
  } catch (thrown) {
    throw await asConfigError(thrown, config.file);
  }
}
