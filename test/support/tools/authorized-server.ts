import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterTest, bodyOf, listenOn } from '../peer.ts';

/** An authorization server for client credentials, and an MCP server on the official SDK 2 that wants its tokens. */

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  return (await listenOn(server)).origin;
}

/** A request for a token. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

interface Granted {
  readonly resource: string | null;
  readonly scope: string;
}

export interface Issuer {
  readonly issuer: string;
  readonly requests: readonly TokenRequest[];
  /** The valid tokens. */
  readonly granted: Map<string, Granted>;
}

/**
 * @param claims what its metadata says instead of the truth
 * @param lifetime seconds for which tokens are valid
 */
export async function startIssuer({ claims = {}, lifetime = 3_600 } = {}): Promise<Issuer> {
  const requests: TokenRequest[] = [];
  const granted = new Map<string, Granted>();
  const issuer = await listen(async (req, res) => {
    const send = (body: object, status = 200) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (req.url === '/.well-known/oauth-authorization-server') {
      const endpoints = { token_endpoint: `${issuer}/token`, authorization_endpoint: `${issuer}/authorize` };
      return send({ issuer, ...endpoints, response_types_supported: ['code'], ...claims });
    }
    if (req.url !== '/token') return res.writeHead(404).end();
    const form = new URLSearchParams(await bodyOf(req));
    requests.push({ authorization: req.headers.authorization, form });
    if (form.get('grant_type') !== 'client_credentials') return send({ error: 'unsupported_grant_type' }, 400);
    const scope = form.get('scope') ?? '';
    const token = randomUUID();
    granted.set(token, { resource: form.get('resource'), scope });
    send({ access_token: token, token_type: 'Bearer', expires_in: lifetime, ...(scope && { scope }) });
  });
  return { issuer, requests, granted };
}

function newServer(): McpServer {
  const server = new McpServer({ name: 'authorized', version: '1' }, { capabilities: { tools: {} } });
  const said = async () => ({ content: [{ type: 'text' as const, text: 'done' }] });
  for (const name of ['read', 'write']) server.registerTool(name, {}, said);
  return server;
}

/**
 * An MCP server that wants a token with the scope `read`, and `write` for its tool of this name.
 *
 * @param claims what its metadata says instead of the truth
 * @param metadata where its metadata is instead
 */
export async function startAuthorized({ issuer, granted }: Issuer, claims: object = {}, metadata?: string) {
  const handler = createMcpHandler(newServer, { legacy: 'reject' });
  afterTest(() => handler.close());
  let unauthorized = 0;
  const path = '/.well-known/oauth-protected-resource/mcp';
  const origin = await listen(async (req, res) => {
    if (req.url === path) {
      const document = { resource: url, authorization_servers: [issuer], scopes_supported: ['read'], ...claims };
      return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    }
    const body = await bodyOf(req);
    const refuse = (status: number, error: string) => {
      const where = `resource_metadata="${metadata ?? origin + path}"`;
      res.writeHead(status, { 'www-authenticate': `Bearer ${where}, ${error}` }).end();
    };
    const token = granted.get(req.headers.authorization?.slice('Bearer '.length) ?? '');
    if (token?.resource !== url) {
      unauthorized += 1;
      return refuse(401, 'error="invalid_token", scope="read"');
    }
    const wants = req.headers['mcp-name'] === 'write' ? 'write' : 'read';
    if (!token.scope.split(' ').includes(wants)) return refuse(403, `error="insufficient_scope", scope="${wants}"`);
    const answer = await handler.fetch(requestOf(req, body));
    res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  const url = `${origin}/mcp`;
  return {
    url,
    /** Returns the number of requests without a valid token. */
    get unauthorized() {
      return unauthorized;
    },
  };
}

const requestOf = ({ method = 'POST', headers }: IncomingMessage, body: string): Request =>
  new Request('http://localhost/mcp', {
    method,
    headers: Object.entries(headers) as [string, string][],
    ...(method === 'POST' && { body }),
  });
