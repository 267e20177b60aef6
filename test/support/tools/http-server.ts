import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { bodyOf, listenOn } from '../peer.ts';

/** A request of JSON-RPC as it came, and what can be done with it. */
export interface ToolRequest {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly params: any;
  readonly id: unknown;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Answers with a body of JSON. */
  json(body: unknown, status?: number): void;
  /** Answers with a result. */
  result(result: unknown): void;
  /** Begins a stream of server-sent events. */
  stream(): void;
  /** Sends an event. */
  event(message: object, id?: string): void;
}

export interface ScriptedServer {
  readonly origin: string;
  /** Every request that came, in order. */
  readonly requests: readonly ToolRequest[];
  close(): Promise<void>;
}

/** Serves JSON-RPC over HTTP as the script says, on a free port where none is named. Requests other than POST get 405. */
export async function startScripted(script: (request: ToolRequest) => void, port = 0): Promise<ScriptedServer> {
  const requests: ToolRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const { method, params, id } = JSON.parse(await bodyOf(request));
    const json: ToolRequest['json'] = (body, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const one: ToolRequest = {
      method,
      params,
      id,
      path: request.url ?? '',
      headers: request.headers,
      response,
      json,
      result: (result) => json({ jsonrpc: '2.0', id, result }),
      stream: () => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
      event: (message, eventId) =>
        void response.write(
          `${eventId ? `id: ${eventId}\n` : ''}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`,
        ),
    };
    requests.push(one);
    script(one);
  });
  const { origin, close } = await listenOn(server, port);
  return { origin, requests, close };
}

/** The handshake of MCP 2025-11-25 and a list of tools; the script answers all other requests. */
export function mcpScript(
  tools: readonly object[],
  script: (request: ToolRequest) => void,
): (request: ToolRequest) => void {
  return (request) => {
    const { method, params, response, id } = request;
    if (method === 'server/discover') {
      request.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    } else if (method === 'initialize') {
      response.setHeader('mcp-session-id', 'one');
      const { protocolVersion } = params;
      request.result({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } });
    } else if (method === 'tools/list') request.result({ tools });
    else if (method.startsWith('notifications/')) response.writeHead(202).end();
    else script(request);
  };
}
