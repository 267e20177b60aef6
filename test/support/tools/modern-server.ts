import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { bodyOf, endAfterTest, listenOn } from '../peer.ts';

/** A tool server on the official SDK 2. As a program it speaks MCP 2026-07-28 alone, over standard input and output. */

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

const sampling = {
  systemPrompt: 'Be brief.',
  messages: [
    { role: 'user' as const, content: { type: 'text' as const, text: 'One and one?' } },
    { role: 'assistant' as const, content: { type: 'text' as const, text: 'Two.' } },
    { role: 'user' as const, content: { type: 'text' as const, text: 'And two and two?' } },
  ],
  maxTokens: 10,
};

/** Names of tools that were added while the server ran. Tests of one process share them, and a tool can be added once only. */
const added = new Set<string>();

function newServer(onChange: (server: McpServer) => void): McpServer {
  const server = new McpServer(
    { name: 'modern', version: '1' },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, async ({ message }, { mcpReq }) => ({
    ...text(`Echo: ${message}`),
    structuredContent: { meta: mcpReq._meta },
  }));
  server.registerTool('steps', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 3 && progressToken !== undefined; progress += 1) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      await sleep(150);
    }
    return text('done');
  });
  const region = z.string().meta({ 'x-mcp-header': 'Region' });
  server.registerTool('place', { inputSchema: z.object({ region }) }, async (given, { http }) =>
    text(`${given.region} in ${http?.req?.headers.get('mcp-param-region') ?? 'no header'}`),
  );
  server.registerTool('list', {}, async () => ({ ...text('[1,2]'), structuredContent: [1, 2] }));
  const asks = (message: string, requestedSchema: z.ZodObject) => inputRequired.elicit({ message, requestedSchema });
  const who = asks('Who?', z.object({ name: z.string() }));
  const age = asks('How old?', z.object({ age: z.int() }));
  server.registerTool('book', {}, async ({ mcpReq: { inputResponses, requestState } }) =>
    inputResponses
      ? text(JSON.stringify({ ...inputResponses, state: requestState() }))
      : inputRequired({ inputRequests: { who, age }, requestState: 'opaque' }),
  );
  server.registerTool('address', {}, async ({ mcpReq: { inputResponses } }) =>
    inputResponses
      ? text(JSON.stringify(inputResponses))
      : inputRequired({
          inputRequests: {
            address: asks('Where?', z.object({ note: z.string().optional(), street: z.string(), zip: z.string() })),
          },
        }),
  );
  server.registerTool('visit', {}, async ({ mcpReq: { inputResponses } }) =>
    inputResponses
      ? text(JSON.stringify(inputResponses))
      : inputRequired({
          inputRequests: {
            login: inputRequired.elicitUrl({ message: 'Log in', url: 'https://example.com/in' }),
          },
        }),
  );
  server.registerTool('endless', {}, async () => inputRequired({ inputRequests: { who } }));
  server.registerTool('huge', {}, async () => {
    const note = z.string().describe('x'.repeat(10_000_000));
    return inputRequired({ inputRequests: { huge: asks('Much?', z.object({ note })) } });
  });
  server.registerTool('where', {}, async ({ mcpReq: { inputResponses } }) =>
    inputResponses
      ? text(JSON.stringify(inputResponses))
      : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
  );
  server.registerTool('think', {}, async ({ mcpReq: { inputResponses } }) =>
    inputResponses
      ? text(JSON.stringify(inputResponses))
      : inputRequired({ inputRequests: { thought: inputRequired.createMessage(sampling) } }),
  );
  server.registerTool('talk', {}, async ({ mcpReq }) => {
    await mcpReq.log('info', 'looking closely');
    await sleep(150);
    return text('seen');
  });
  server.registerTool('fail', {}, async () => ({ ...text('It failed.'), isError: true }));
  server.registerTool('wait', {}, async ({ mcpReq: { signal, _meta, notify } }) => {
    const progressToken = _meta?.progressToken ?? 0;
    await notify({ method: 'notifications/progress', params: { progressToken, progress: 1, message: 'waiting' } });
    await sleep(60_000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) added.add('canceled');
    onChange(server);
    return text('waited');
  });
  server.registerTool('grow', {}, async () => {
    added.add('grown');
    onChange(server);
    return text('grown');
  });
  for (const name of added) server.registerTool(name, {}, async () => text('yes'));
  return server;
}

/** The server over HTTP, on a free loopback port. */
export async function startModern(legacy: 'reject' | 'stateless' = 'reject') {
  const handler = createMcpHandler(() => newServer(() => handler.notify.toolsChanged()), { legacy });
  const requests: { method: string; authorization: string | undefined }[] = [];
  const server = createServer(async (req, res) => {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const { method = 'GET' } = req;
    const body = method === 'POST' ? await bodyOf(req) : null;
    const { authorization } = req.headers;
    if (body) requests.push({ method: JSON.parse(body).method, authorization });
    const headers = Object.entries(req.headers) as [string, string][];
    const url = new URL(req.url ?? '/', 'http://localhost');
    const answer = await handler.fetch(new Request(url, { method, headers, body, signal: gone.signal }));
    res.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
    for await (const chunk of answer.body ?? []) res.write(chunk);
    res.end();
  });
  const { origin, close } = await listenOn(server);
  return {
    url: `${origin}/mcp`,
    /** Every request, in order. */
    requests: requests as readonly (typeof requests)[number][],
    close: endAfterTest(async () => {
      await handler.close();
      await close();
    }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  serveStdio(
    () => newServer((server) => server.registerTool([...added].at(-1) as string, {}, async () => text('yes'))),
    {
      legacy: 'reject',
    },
  );
}
