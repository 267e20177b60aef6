import type { IncomingMessage } from 'node:http';
import { type Cors, withCors } from '../http/cors.ts';
import { type PageHandler, send } from '../http/headers.ts';
import { mountOf } from '../http/request-facts.ts';
import { tokenPath } from './oauth-token.ts';

/** Metadata of a protected resource (RFC 9728 section 3), followed by the resource's path. */
const resourcePath = '/.well-known/oauth-protected-resource';
/** Metadata of the gateway as an authorization server (RFC 8414 section 3). */
const serverPath = '/.well-known/oauth-authorization-server';

interface OAuthMetadataOptions {
  /** Issuer of the configured identity provider, if any. */
  readonly issuer: string | undefined;
  /** Whether the gateway issues tokens itself. */
  readonly grants: boolean;
  /** Scopes that clients ask the identity provider for. Empty: as the provider decides. */
  readonly scopes: readonly string[];
  /** Scheme and authority under which the client of a request reaches the gateway. */
  readonly origin: (req: IncomingMessage) => string;
  readonly cors: () => Cors;
}

/** Metadata that tells MCP clients where to get tokens (authorization of MCP 2025-11-25). */
export interface OAuthMetadata {
  readonly serve: PageHandler;
  /**
   * URL of a resource's metadata; undefined if there is no token issuer.
   *
   * @param path path of the resource, below the gateway's mount point
   */
  readonly urlFor: (req: IncomingMessage, path: string) => string | undefined;
}

/** Paths of resources: the whole gateway, and its MCP endpoints. */
const resource = /^(?:(?:\/[a-z0-9][a-z0-9-]*)?\/mcp)?$/;

/** The documents are public; they reveal no more than the challenge of a refused request. */
export function createOAuthMetadata({ issuer, grants, scopes, origin, cors }: OAuthMetadataOptions): OAuthMetadata {
  if (issuer === undefined && !grants) return { serve: () => false, urlFor: () => undefined };

  const baseOf = (req: IncomingMessage): string => origin(req) + mountOf(req);

  function documentAt(path: string, req: IncomingMessage): object | undefined {
    const base = baseOf(req);
    if (path === serverPath && grants) return serverMetadata(base);
    const of = path.slice(resourcePath.length).replace(/\/$/, '');
    if (!path.startsWith(resourcePath) || !resource.test(of)) return undefined;
    return {
      resource: base + of,
      authorization_servers: [...(issuer === undefined ? [] : [issuer]), ...(grants ? [base] : [])],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
    };
  }

  return {
    urlFor: (req, path) => `${baseOf(req)}${resourcePath}${path}`,
    serve(req, res) {
      const { url = '' } = req;
      if (!url.startsWith('/.well-known/oauth-')) return false;
      const document = documentAt(url.split('?', 1)[0] ?? '', req);
      if (!document) return false;
      return withCors(cors(), req, res, () =>
        send(res, 200, ['Cache-Control', 'max-age=300'], 'application/json', JSON.stringify(document)),
      );
    },
  };
}

/** MCP clients require an authorization endpoint. The empty list of response types declares that it grants nothing. */
const serverMetadata = (base: string): object => ({
  issuer: base,
  authorization_endpoint: base + tokenPath,
  token_endpoint: base + tokenPath,
  response_types_supported: [],
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
});
