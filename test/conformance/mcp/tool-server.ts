import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  type CallToolResult,
  createMcpHandler,
  isInitializeRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { noValidator } from '../../../src/extensions/mcp/validator.ts';
import { callTool, listTools, onToolsChanged } from './tools.ts';

/** A server with the tools whose names begin with a prefix, and go on after it: a gateway puts the two together again. */
function newServer(prefix: string): Server {
  const server = new Server(
    { name: 'scenarios', version: '1' },
    { capabilities: { tools: { listChanged: true }, logging: {} }, jsonSchemaValidator: noValidator },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: listTools().flatMap(({ name, ...tool }) =>
      name.startsWith(prefix) ? { ...tool, name: name.slice(prefix.length) } : [],
    ),
  }));
  server.setRequestHandler(
    'tools/call',
    async ({ params }, context) => (await callTool(prefix + params.name, context)) as CallToolResult,
  );
  return server;
}

/** Serves MCP 2026-07-28 alone. */
function modern(prefix: string): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(() => newServer(prefix), { legacy: 'reject' });
  onToolsChanged.add(() => handler.notify.toolsChanged());
  return (request) => handler.fetch(request);
}

/** Serves MCP 2025-11-25 alone, in sessions. */
function legacy(prefix: string): (request: Request) => Promise<Response> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const parsedBody = request.method === 'POST' ? await request.json() : undefined;
    let transport = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (!transport) {
      if (!isInitializeRequest(parsedBody)) return new Response(null, { status: 400 });
      transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport as WebStandardStreamableHTTPServerTransport),
      });
      const server = newServer(prefix);
      await server.connect(transport);
      onToolsChanged.add(() => void server.sendToolListChanged().catch(() => undefined));
    }
    return transport.handleRequest(request, { parsedBody });
  };
}

/** Serves the tools of the scenarios in both eras on a loopback port: at `/modern/PREFIX` and `/legacy/PREFIX`. */
export async function startToolServer(prefixes: readonly string[]) {
  const routes = new Map<string, (request: Request) => Promise<Response>>(
    prefixes.flatMap((prefix) => [
      [`/modern/${prefix}`, modern(`${prefix}_`)] as const,
      [`/legacy/${prefix}`, legacy(`${prefix}_`)] as const,
    ]),
  );
  const fetch = (request: Request) =>
    routes.get(new URL(request.url).pathname)?.(request) ?? new Response(null, { status: 404 });
  const server = serve({ fetch, hostname: '127.0.0.1', port: 0 });
  if (!server.listening) await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
