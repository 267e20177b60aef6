import type { IncomingMessage } from 'node:http';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { originOf } from './request-facts.ts';

/**
 * Scheme and authority by which clients reach an agent that has the request's Host for its own; undefined for any other
 * Host. Of the request only the name counts, which the configuration knows: scheme and port are those of the public URL,
 * or the port that is configured with the host.
 */
export function ownOriginOf(req: IncomingMessage, agents: AgentDirectory, publicUrl?: string): string | undefined {
  const { host = '' } = req.headers;
  const asked = agents.forHost(host) === undefined ? null : URL.parse(`http://${host}`);
  if (asked === null) return undefined;
  const url = new URL(publicUrl ?? originOf(req));
  url.hostname = asked.hostname;
  if (agents.forHost(asked.hostname) === undefined) url.port = asked.port;
  return url.origin;
}
