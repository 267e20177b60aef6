import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cors } from '../http/cors.ts';
import { send } from '../http/headers.ts';
import { mountOf } from '../http/request-facts.ts';
import { tokenPath } from './oauth-token.ts';

/** Where clients learn who grants tokens for a resource (RFC 9728 section 3): followed by the resource's path. */
const resourcePath = '/.well-known/oauth-protected-resource';
/** Where clients learn how the gateway itself grants them (RFC 8414 section 3). */
const serverPath = '/.well-known/oauth-authorization-server';

export interface OAuthMetadataOptions {
  /** Issuer of the tokens of an identity provider, where one is configured. */
  readonly issuer: string | undefined;
  /** Whether the gateway grants tokens itself. */
  readonly grants: boolean;
  /** Scheme and authority that the client of a request calls the gateway by. */
  readonly origin: (req: IncomingMessage) => string;
  readonly cors: Cors;
}

/** Tells clients of MCP where they get tokens, as its authorization asks for (MCP 2025-11-25). */
export interface OAuthMetadata {
  /** Answers a request for metadata; false for any other, untouched. */
  readonly serve: (req: IncomingMessage, res: ServerResponse) => boolean;
  /**
   * URL of what is told of a resource; undefined where nobody grants tokens.
   *
   * @param path of the resource, below what the gateway is mounted at
   */
  readonly urlFor: (req: IncomingMessage, path: string) => string | undefined;
}

/** Paths of resources: everything, and what MCP is served at. */
const resource = /^(?:(?:\/[a-z0-9][a-z0-9-]*)?\/mcp)?$/;

/** Makes the documents. They say nothing that the challenge of a refused request does not. */
export function createOAuthMetadata({ issuer, grants, origin, cors }: OAuthMetadataOptions): OAuthMetadata {
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
      bearer_methods_supported: ['header'],
    };
  }

  return {
    urlFor: (req, path) => `${baseOf(req)}${resourcePath}${path}`,
    serve(req, res) {
      const { url = '', method = '' } = req;
      if (!url.startsWith('/.well-known/oauth-')) return false;
      const document = documentAt(url.split('?', 1)[0] ?? '', req);
      if (!document) return false;
      cors.apply(req, res);
      if (method === 'OPTIONS') cors.options(req, res, ['GET', 'HEAD']);
      else if (method !== 'GET' && method !== 'HEAD') return false;
      else send(res, 200, ['Cache-Control', 'max-age=300'], 'application/json', JSON.stringify(document));
      return true;
    },
  };
}

/** Without response types there is nothing to be had at the authorization endpoint, which MCP's clients want named. */
const serverMetadata = (base: string): object => ({
  issuer: base,
  authorization_endpoint: base + tokenPath,
  token_endpoint: base + tokenPath,
  response_types_supported: [],
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
});
