import { parseTarget } from '../../client/choose.ts';
import { openPool } from '../../client/connection.ts';
import { credentialHeaders } from '../../client/credentials.ts';
import { A2AError, type ConnectOptions } from '../../client/index.ts';
import { isObject, parsedJson } from '../../core/model/json.ts';
import { trimEnd } from '../../core/model/text.ts';
import type { Output } from '../output.ts';
import { type ConnectionFlags, connectOptions } from '../target.ts';

interface AgentsOptions extends ConnectionFlags {
  readonly json?: boolean;
}

/** `a2a-gateway agents`: lists the agents of a gateway that the caller may call. */
export async function agents(target: string, options: AgentsOptions, output: Output): Promise<void> {
  const found = await readAgentList(target, await connectOptions(options, output));
  if (options.json === true) return output.json(found);
  const rows = found.map(({ name, url = '', title = '', description = '' }) => {
    const about = [title, description].filter(Boolean).join(': ');
    return [{ text: name, color: 'cyan' } as const, url, about];
  });
  output.table(['agent', 'base URL', 'description'], rows);
  if (found.length === 0) output.note('no agents');
}

interface ListedAgent {
  readonly name: string;
  /** The name on the agent's card. */
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
}

/** Largest list, in bytes. */
const maxList = 1 << 20;

/**
 * Returns the agents that a gateway lists for the caller.
 *
 * @param target base URL of the gateway
 * @throws A2AError; `agentNotFound` if there is no list
 */
export async function readAgentList(target: string, options: ConnectOptions): Promise<readonly ListedAgent[]> {
  const url = parseTarget(target);
  url.pathname = `${trimEnd(url.pathname, '/')}/agents`;
  const { http, close } = openPool(url, options);
  try {
    const headers = { ...(await credentialHeaders(options)()), accept: 'application/json' };
    const { signal = new AbortController().signal, cardTimeout: timeout = 15_000 } = options;
    const answer = await http.request({ method: 'GET', url, headers, signal, timeout });
    if (answer.status !== 200) {
      answer.discard();
      throw refusal(url, answer.status);
    }
    const agents = agentsIn((await answer.read(maxList)).toString());
    if (agents) return agents;
    throw new A2AError('agentNotFound', `${url.href} is not a list of agents; expected the base URL of a gateway`);
  } finally {
    close();
  }
}

function refusal({ href }: URL, status: number): A2AError {
  if (status === 401) return new A2AError('unauthenticated', `${href} asks for credentials (HTTP 401)`);
  if (status === 403) return new A2AError('permissionDenied', `${href} denies access (HTTP 403)`);
  const what = `no list of agents at ${href} (HTTP ${status}); expected the base URL of a gateway`;
  return new A2AError(status === 503 ? 'unavailable' : 'agentNotFound', what);
}

function agentsIn(text: string): readonly ListedAgent[] | undefined {
  const list = parsedJson(text);
  if (!isObject(list) || !Array.isArray(list.agents)) return undefined;
  return list.agents.every((agent) => isObject(agent) && typeof agent.name === 'string') ? list.agents : undefined;
}
