import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { startTools, type ToolGateway } from '../../support/tools/gateway.ts';
import { startScripted, type ToolRequest } from '../../support/tools/http-server.ts';
import { startModern } from '../../support/tools/modern-server.ts';
import { programs } from '../../support/tools/servers.ts';
import { modernTools } from './client.ts';

/** Tool servers that speak MCP 2026-07-28, on the official SDK 2, behind the gateway. */

let gateway: ToolGateway;
let http: Awaited<ReturnType<typeof startModern>>;
let both: Awaited<ReturnType<typeof startModern>>;

beforeAll(async () => {
  [http, both] = await Promise.all([startModern('reject'), startModern('stateless')]);
  gateway = await startTools({
    servers: {
      http: { url: http.url },
      both: { url: both.url },
      stdio: { command: process.execPath, args: [programs.modern] },
    },
  });
  await gateway.ready();
});
afterAll(() => Promise.all([http.close(), both.close()]));

async function call(server: string, tool: string, args: object = {}): Promise<Task> {
  const client = await connect(gateway.origin);
  const { task } = await client.send([{ data: { target_mcp_server_id: server, tool_name: tool, arguments: args } }]);
  return task ?? expect.fail('no task');
}

const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';
// biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
const outputOf = (task: Task): any => task.artifacts?.[0]?.parts[0]?.data;

describe.each(['http', 'stdio'])('a server of 2026-07-28 alone over %s', (server) => {
  it(`a server of 2026-07-28 alone over ${server} is called, with hops and trace context in _meta`, async () => {
    const { mcp_result } = outputOf(await call(server, 'echo', { message: 'hi' }));
    expect(mcp_result.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
    expect(mcp_result.structuredContent.meta).toMatchObject({ 'a2a-gateway/hops': 1 });
  });

  it(`a server of 2026-07-28 alone over ${server} reports progress as status updates of the task`, async () => {
    const client = await connect(gateway.origin);
    const seen: unknown[] = [];
    const parts = [{ data: { target_mcp_server_id: server, tool_name: 'steps' } }];
    for await (const { statusUpdate } of client.sendStream(parts))
      seen.push(statusUpdate?.status.message?.parts[0]?.text);
    // Reports that arrive together are joined.
    expect(seen).toContainEqual(expect.stringMatching(/^Progress: [1-3] of 3$/));
  });

  it(`a server of 2026-07-28 alone over ${server} may answer with structured content that is no object`, async () => {
    expect(outputOf(await call(server, 'list')).mcp_result.structuredContent).toEqual([1, 2]);
  });

  it(`a server of 2026-07-28 alone over ${server} fails the task with the tool's own error, and with the protocol's`, async () => {
    expect(said(await call(server, 'fail'))).toBe('[MCP_TOOL/TOOL_EXECUTION_FAILED] It failed.');
    expect(said(await call(server, 'nothing'))).toContain(`[MCP_PROTOCOL/-32601] "${server}" has no tool "nothing"`);
  });

  it(`a server of 2026-07-28 alone over ${server} learns that a call was canceled, and its changed tools appear on the card`, async () => {
    const client = await connect(gateway.origin);
    const skills = async () => (await connect(gateway.origin)).card.skills.map(({ id }) => id);
    await call(server, 'grow');
    await expect.poll(skills).toContain(`${server}.grown`);
    const parts = [{ data: { target_mcp_server_id: server, tool_name: 'wait' } }];
    for await (const { statusUpdate } of client.sendStream(parts)) {
      const isWaiting = statusUpdate?.status.message?.parts[0]?.text?.includes('waiting') === true;
      if (isWaiting) await client.cancelTask({ id: statusUpdate.taskId });
    }
    await expect.poll(skills).toContain(`${server}.canceled`);
  });
});

it('arguments that a tool wants as headers are sent as both', async () => {
  expect(outputOf(await call('http', 'place', { region: 'north' })).mcp_result.content[0].text).toBe('north in north');
});

it('clients of the gateway send them as headers too, and are refused without', async () => {
  const { client, call: callTool } = await modernTools(`${gateway.origin}/tools/mcp`);
  const { tools } = await client.listTools();
  const place = tools.find(({ title }) => title === 'place') ?? expect.fail('no tool');
  expect(place).toMatchObject({ inputSchema: { properties: { region: { 'x-mcp-header': 'Region' } } } });
  expect((await callTool(place.name, { region: 'south' })).text).toBe('south in south');
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: place.name, arguments: { region: 'south' }, _meta: meta };
  const answer = await fetch(`${gateway.origin}/tools/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': place.name,
      'Mcp-Param-Region': 'north',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: -32020 } });
});

it('a server of both eras is called in the newer one, without a handshake', () => {
  const methods = both.requests.map(({ method }) => method);
  expect(methods).toContain('server/discover');
  expect(methods).not.toContain('initialize');
});

it('a server of both eras is called in the older one where `protocol` says so', async () => {
  const asked = both.requests.length;
  const kept = await startTools({ servers: { both: { url: both.url, protocol: '2025-11-25' } } });
  await kept.ready();
  await kept.close();
  const methods = both.requests.slice(asked).map(({ method }) => method);
  expect(methods).toEqual(expect.arrayContaining(['initialize', 'tools/list']));
  expect(methods).not.toContain('server/discover');
});

it('a server that gets the credentials of callers gets them with every request', async () => {
  const server = await startModern();
  const own = await startTools({ servers: { it: { url: server.url, auth: { type: 'forward' } } } });
  try {
    const client = await connect(own.origin, { bearer: 'alice' });
    await client.send([{ data: { tool_name: 'echo', arguments: { message: 'hi' } } }]);
    const wanted = ['server/discover', 'subscriptions/listen', 'tools/list', 'tools/call'];
    await expect.poll(() => server.requests.map(({ method }) => method)).toEqual(expect.arrayContaining(wanted));
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer alice']));
  } finally {
    await own.close();
    await server.close();
  }
});

it('a program that ends when it is asked for its era is started again as one of 2025-11-25', async () => {
  const program = `
    let begun = false;
    const results = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
      'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'gone' }] },
    };
    require('node:readline').createInterface(process.stdin).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      begun ||= method === 'initialize';
      if (!begun) process.exit(1);
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
    });`;
  const own = await startTools({ servers: { it: { command: process.execPath, args: ['-e', program] } } });
  const { task } = await (await connect(own.origin)).send([{ data: { tool_name: 'go' } }]);
  expect(task && outputOf(task)).toMatchObject({ success: true, mcp_result: { content: [{ text: 'gone' }] } });
});

describe('a server that cannot be opened is reported in its own words', () => {
  const refusal = (code: number, message: string, data?: object) => (request: ToolRequest) =>
    request.json({ jsonrpc: '2.0', id: request.id, error: { code, message, data } }, 400);

  it.each<[string, string, (request: ToolRequest) => void]>([
    [
      'of a later version alone',
      '[MCP_PROTOCOL/-32022] Only 2099-01-01 is spoken here',
      refusal(-32022, 'Only 2099-01-01 is spoken here', { supported: ['2099-01-01'] }),
    ],
    [
      'that refuses every version',
      '[A2A_PROXY/MCP_CONNECTION_ERROR] The server answered with HTTP status 400: No, thanks',
      refusal(-32600, 'No, thanks'),
    ],
  ])('a server that cannot be opened is reported in its own words: %s', async (_, words, script) => {
    const server = await startScripted(script);
    const own = await startTools({ servers: { it: { url: `${server.origin}/mcp` } } });
    try {
      const client = await connect(own.origin);
      const { task } = await client.send([{ data: { tool_name: 'go' } }]);
      expect(task && said(task)).toBe(words);
    } finally {
      await own.close();
      await server.close();
    }
  });
});
