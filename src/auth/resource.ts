import type { AgentDirectory } from '../core/ports/agent-directory.ts';

/** Where clients reach the gateway. */
export interface ResourceBase {
  /** URL of the gateway's root, without a trailing slash. */
  readonly url: string;
  /** The agent at this root, where it has a host of its own. Absent: all of them. */
  readonly agent?: string | undefined;
}

/**
 * The agents that a resource indicator is about (RFC 8707 section 2), which is the URL of the gateway, of an agent, or of one
 * of their MCP endpoints: one of them, or `all`. Undefined for the resource of another server.
 */
export function agentsOfResource(
  resource: string,
  { url, agent: atRoot }: ResourceBase,
  agents: Pick<AgentDirectory, 'get'>,
): readonly string[] | 'all' | undefined {
  if (!resource.startsWith(url)) return undefined;
  const path = resource
    .slice(url.length)
    .replace(/\/$/, '')
    .replace(/\/mcp$/, '');
  const [before, agent = atRoot, ...more] = path.split('/');
  if (before !== '' || more.length > 0) return undefined;
  if (agent === undefined) return 'all';
  return agents.get(agent) ? [agent] : undefined;
}

/** The agents that both allow. Undefined: all of them. */
export const inBoth = (
  configured: readonly string[] | undefined,
  named: readonly string[] | undefined,
): readonly string[] | undefined =>
  named === undefined ? configured : named.filter((agent) => configured === undefined || configured.includes(agent));
