import { dirname } from 'node:path/posix';
import type { AgentDocument } from '../http/exchange.ts';
import { keySetPath } from './key-set.ts';

export const aiCatalogPath = '/.well-known/ai-catalog.json';
export const apiCatalogPath = '/.well-known/api-catalog';

export const aiCatalogType = 'application/ai-catalog+json';
/** RFC 9727 section 4. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
export const cardType = 'application/a2a-agent-card+json';

/** Key of the signatures of an agent's card in a trust manifest. */
const signaturesExtension = 'urn:a2a-gateway-extension:card-signatures';

export interface ListedAgent {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly url: string;
  readonly card: string;
  /** Signatures of the card. Absent: it is not signed. */
  readonly signatures?: unknown;
}

/** Content of both catalogs. */
export interface CatalogContent {
  /** URL at which clients reach the gateway. */
  readonly base: string;
  readonly agents: readonly ListedAgent[];
  /** The documents of each agent and of the gateway, besides cards. */
  readonly documents: readonly Pick<AgentDocument, 'path' | 'mediaType'>[];
}

/**
 * The AI Catalog (version 1 of the specification of the Agent-Card project): an entry for each document that describes an
 * agent. Identifiers are URLs of the gateway, because only the publisher of an agent may name it by `urn:air`.
 */
export function aiCatalog({ base, agents, documents }: CatalogContent): object {
  const described = (url: string, displayName: string, description?: string) =>
    documents.map(({ path, mediaType }) => ({
      identifier: url + dirname(path),
      displayName,
      type: mediaType,
      url: url + path,
      ...(description && { description }),
    }));
  const entries = agents.flatMap(({ name, title, description, url, card, signatures }) => [
    {
      identifier: url,
      displayName: title || name,
      type: cardType,
      url: card,
      ...(description && { description }),
      ...(signatures !== undefined && {
        trustManifests: [
          { contributor: base, extensions: { [signaturesExtension]: { keySet: base + keySetPath, signatures } } },
        ],
      }),
    },
    ...described(url, title || name, description),
  ]);
  const host = { displayName: new URL(base).host };
  return { specVersion: '1.0', host, entries: [...entries, ...described(base, 'All agents')] };
}

/**
 * The API catalog (RFC 9727): a linkset (RFC 9264) of the interfaces, each with the documents that describe it.
 *
 * @param pages the gateway's own pages that are served
 */
export function apiCatalog({ base, agents, documents }: CatalogContent, pages: ReadonlySet<string>): object {
  const json = 'application/json';
  const links = (page: string, type: string) => (pages.has(page) ? [{ href: base + page, type }] : undefined);
  const described = (url: string) =>
    documents.map(({ path, mediaType }) => ({
      anchor: url + dirname(path),
      'service-desc': [{ href: url + path, type: mediaType }],
    }));
  const interfaces = [
    {
      anchor: `${base}/`,
      'service-desc': links('/openapi.json', json),
      'service-meta': links(aiCatalogPath, aiCatalogType),
      status: links('/healthz', json),
    },
    ...described(base),
    ...agents.flatMap(({ url, card }) => [
      { anchor: url, 'service-desc': [{ href: card, type: cardType }] },
      ...described(url),
    ]),
  ];
  const item = interfaces.map(({ anchor }) => ({ href: anchor }));
  return { linkset: [{ anchor: base + apiCatalogPath, item }, ...interfaces] };
}
