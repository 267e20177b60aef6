import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CreateMessageResultSchema, UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

/** A tool server of MCP 2025-11-25 on the official SDK 1 that asks during a call, over standard input and output. */

const server = new McpServer({ name: 'asking', version: '1' }, { capabilities: { logging: {} } });
const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const timeout = { timeout: 3_600_000 };

let orders = 0;
server.registerTool('order', {}, async ({ sendNotification, _meta }) => {
  orders += 1;
  const requestedSchema = {
    type: 'object' as const,
    properties: { size: { type: 'integer' as const } },
    required: ['size'],
  };
  const answer = await server.server.elicitInput({ message: 'Which size?', requestedSchema }, timeout);
  const progressToken = _meta?.progressToken ?? 0;
  await sendNotification({
    method: 'notifications/progress',
    params: { progressToken, progress: 1, message: 'packing' },
  });
  return text({ orders, answer });
});
server.registerTool('orders', {}, async () => text(orders));
server.registerTool('visit', {}, async () => {
  const url = { mode: 'url' as const, message: 'Pay', url: 'https://example.com/pay', elicitationId: 'one' };
  return text(await server.server.elicitInput(url, timeout));
});
let hasRefused = false;
server.registerTool('login', {}, async () => {
  const url = { mode: 'url' as const, message: 'Log in', url: 'https://example.com/in', elicitationId: 'two' };
  if (hasRefused) return text('in');
  hasRefused = true;
  throw new UrlElicitationRequiredError([url]);
});
server.registerTool('where', {}, async () => text(await server.server.listRoots()));
const think = { inputSchema: { say: z.string().optional(), times: z.number().optional() } };
server.registerTool('think', think, async ({ say = 'Hello', times = 1 }, { sendRequest }) => {
  const params = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: say } }], maxTokens: 1 };
  const thoughts: unknown[] = [];
  while (thoughts.length < times) {
    const request = sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
    thoughts.push(await request.catch((error: Error) => error.message));
  }
  return text(times === 1 ? thoughts[0] : thoughts);
});
let heard: unknown;
server.registerTool('odd', {}, async () => {
  const requestedSchema = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } as never;
  heard = await server.server.elicitInput({ message: 'Odd?', requestedSchema }, timeout).catch(String);
  return text(heard);
});
server.registerTool('heard', {}, async () => text(heard ?? null));
server.registerTool('talk', {}, async ({ sendNotification }) => {
  await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'looking closely' } });
  await new Promise((resolve) => setTimeout(resolve, 150));
  return text('seen');
});
await server.connect(new StdioServerTransport());
