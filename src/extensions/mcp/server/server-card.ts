import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { AuthSettings } from '../../../auth/settings.ts';
import type { AgentDescription } from '../../../core/model/agent.ts';
import { etagOf, sendDocument } from '../../../transports/http/headers.ts';

export interface ServerCardFacts {
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly version: string;
  /** Agent whose skills are the tools. Absent: all agents. */
  readonly agent?: { readonly name: string; readonly card: AgentDescription } | undefined;
  readonly auth: Pick<AuthSettings, 'apiKeys' | 'apiKeyHeader'>;
}

/** Maximum characters of a description. */
const longestDescription = 100;
/** Seconds for which clients may cache a card. */
const maxAge = 300;

/** Returns the namespace of a name: the labels of a host in reverse order. */
function namespaceOf(host: string): string {
  const labels = isIP(host) === 4 ? [host] : host.split('.').toReversed();
  return labels
    .join('.')
    .replaceAll(/[^a-zA-Z0-9.-]/g, '-')
    .slice(0, 100);
}

/**
 * Describes an MCP endpoint to clients that are not connected (SEP-2127, extension
 * `io.modelcontextprotocol/server-card`): name, URL and versions. Tools are not included, since they depend on the
 * caller.
 */
export function serverCard({ url, version, agent, auth }: ServerCardFacts): object {
  const { apiKeys, apiKeyHeader } = auth;
  const headers = [{ name: apiKeyHeader, description: 'An API key of this gateway', isSecret: true }];
  const title = agent?.card.name || 'Agents of a2a-gateway';
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${namespaceOf(new URL(url).hostname)}/a2a-gateway${agent ? `.${agent.name}` : ''}`,
    version,
    title: title.slice(0, longestDescription),
    description: (agent?.card.description || `${title} as tools`).slice(0, longestDescription),
    remotes: [
      {
        type: 'streamable-http',
        url,
        ...(apiKeys.length > 0 && { headers }),
        supportedProtocolVersions: ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS],
      },
    ],
  };
}

/**
 * @param isPublic whether the request had no credentials: every page may then read the card, and every cache may store
 * it
 */
export function sendServerCard(
  req: IncomingMessage,
  res: ServerResponse,
  { isPublic, ...facts }: ServerCardFacts & { readonly isPublic: boolean },
): void {
  if (isPublic) res.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Expose-Headers', 'ETag');
  const body = Buffer.from(JSON.stringify(serverCard(facts)));
  const document = { body, mediaType: 'application/mcp-server-card+json', etag: etagOf(body) };
  sendDocument(req, res, document, ['Cache-Control', `${isPublic ? 'public' : 'private'}, max-age=${maxAge}`]);
}
