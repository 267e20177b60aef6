import { pathToFileURL } from 'node:url';
import type { Agent } from '../core/model/agent.ts';
import { A2AError } from '../core/model/errors.ts';
import { describeModuleFault } from './module-fault.ts';

/**
 * Loads the agent that a user's file exports by default: JavaScript, or TypeScript with erasable syntax. Rejects with
 * an A2AError that says what is wrong with the file.
 *
 * @param path absolute.
 * @param anew reads the file again that was read before. What it imports in turn is not read again, and what was read
 *   before stays in memory: that is how Node keeps modules.
 */
export async function loadModuleAgent(path: string, anew = false): Promise<Agent> {
  const url = pathToFileURL(path);
  if (anew) url.searchParams.set('reload', String(++readings));
  const loaded: { default?: unknown } = await import(url.href).catch(async (cause: unknown) => {
    const why = await describeModuleFault(url, cause);
    throw new A2AError('internal', `The agent ${path} cannot be loaded: ${why}`, { cause });
  });
  if (isAgent(loaded.default)) return loaded.default;
  throw new A2AError('internal', `The agent ${path} must export by default what defineAgent(…) returns.`);
}

/** Modules with different URLs are different ones. */
let readings = 0;

const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' && value !== null && 'card' in value && 'execute' in value;
