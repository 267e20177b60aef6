import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { startTools } from '../../support/tools/gateway.ts';
import { mcpScript, startScripted, type ToolRequest } from '../../support/tools/http-server.ts';

/** Tool servers that mix what MCP 2026-07-28 has with what 2025-11-25 has, or change from one to the other. */

const tools = [{ name: 'go', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

/** Handles the methods that only a server of 2026-07-28 has; the script answers calls of tools. */
const modernScript = (script: (request: ToolRequest) => void) => (request: ToolRequest) => {
  const { method, params, id } = request;
  const complete = (result: object): void => request.result({ resultType: 'complete', ...result });
  if (method === 'server/discover') complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  else if (!params?._meta?.['io.modelcontextprotocol/protocolVersion'])
    request.json({ jsonrpc: '2.0', id, error: { code: -32600, message: 'The envelope is missing' } }, 400);
  else if (method === 'tools/list') complete({ tools, ttlMs: 0, cacheScope: 'private' });
  else script(request);
};

async function gatewayBefore(script: (request: ToolRequest) => void) {
  const server = await startScripted(script);
  const gateway = await startTools({ servers: { it: { url: `${server.origin}/mcp`, timeout: '5s' } } });
  await gateway.ready();
  return {
    server,
    async call(): Promise<Task> {
      const { task } = await (await connect(gateway.origin)).send([{ data: { tool_name: 'go' } }]);
      return task ?? expect.fail('no task');
    },
  };
}
const said = (task: Task): string => task.status.message?.parts[0]?.text ?? task.artifacts?.[0]?.parts[1]?.text ?? '';

it('a session of 2025-11-25 takes no result that asks as 2026-07-28 does', async () => {
  const { call } = await gatewayBefore(
    mcpScript(tools, ({ result }) =>
      result({ resultType: 'input_required', inputRequests: {}, requestState: 'x', content: [] }),
    ),
  );
  expect(said(await call())).toMatch(/answers as MCP 2026-07-28 does, in a session of an older version/);
});

it('a server of 2026-07-28 sends no requests', async () => {
  const { call } = await gatewayBefore(
    modernScript((request) => {
      request.stream();
      request.event({ id: 'own', method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } });
    }),
  );
  expect(said(await call())).toMatch(/sent the request elicitation\/create, which MCP 2026-07-28 does not have/);
});

it('a result of 2026-07-28 without its type reaches the caller, since the tool has run', async () => {
  const { call } = await gatewayBefore(modernScript(({ result }) => result(text('done'))));
  expect(said(await call())).toBe('done');
});

it.each(['2025-11-25 to 2026-07-28', '2026-07-28 to 2025-11-25'])(
  'a server that changes from %s is called on',
  async (change) => {
    const modern = modernScript(({ result }) => result({ resultType: 'complete', ...text('in 2026') }));
    const legacy = mcpScript(tools, ({ result }) => result(text('in 2025')));
    /** Refuses requests without a session as the official SDK 1 does. */
    const strict = (request: ToolRequest): void => {
      const opens = request.method === 'initialize' || request.method === 'server/discover';
      if (opens || request.headers['mcp-session-id']) legacy(request);
      else request.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No session' } }, 400);
    };
    const [before, after] = change.startsWith('2025') ? [strict, modern] : [modern, strict];
    let current = before;
    const { call } = await gatewayBefore((request) => current(request));
    expect(said(await call())).toBe(before === modern ? 'in 2026' : 'in 2025');
    current = after;
    await expect.poll(async () => said(await call()), { interval: 300 }).toBe(after === modern ? 'in 2026' : 'in 2025');
  },
);
