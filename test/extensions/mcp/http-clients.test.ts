import { beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { freePort } from '../../support/peer.ts';
import { startTools, type ToolGateway } from '../../support/tools/gateway.ts';
import { mcpScript, type ScriptedServer, startScripted, type ToolRequest } from '../../support/tools/http-server.ts';

/** Servers over HTTP that say what they like: MCP's, and those with a method for each tool. */

async function start(script: (request: ToolRequest) => void, settings: object = {}, path = '/mcp') {
  const server = await startScripted(script);
  const gateway = await startTools({ servers: { it: { url: `${server.origin}${path}`, ...settings } } });
  return { server, gateway };
}

const anything = { inputSchema: { type: 'object' } };
const tools = [{ name: 'go', ...anything }];

async function startMcp(
  script: (request: ToolRequest) => void,
  settings: object = {},
  list: readonly object[] = tools,
) {
  const started = await start(mcpScript(list, script), settings);
  await started.gateway.ready();
  return started;
}

async function call(gateway: ToolGateway, tool = 'go', args: object = {}, server = 'it'): Promise<Task> {
  const client = await connect(gateway.origin);
  const data = { target_mcp_server_id: server, tool_name: tool, arguments: args };
  const { task } = await client.send([{ data }]);
  return task ?? expect.fail('no task');
}

const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';
const outputOf = (task: Task): unknown => task.artifacts?.[0]?.parts[0]?.data;
const fine = { content: [{ type: 'text', text: 'fine' }] };
/** The answer of AgentVault's runner of code. */
const codeOutput = { content: [{ type: 'code_output', stdout: 'hi', stderr: '' }] };

/** One server and one gateway for many scripts, each of which is the tool of that name. Returns what calls one. */
function sharing(
  scripts: readonly (readonly [name: string, script: (request: ToolRequest) => void])[],
  style: 'mcp' | 'method-per-tool',
): (name: string) => Promise<Task> {
  const byName = new Map(scripts);
  let gateway: ToolGateway;
  beforeAll(async () => {
    const list = scripts.map(([name]) => ({ name, ...anything }));
    const run = (request: ToolRequest): void =>
      byName.get(style === 'mcp' ? request.params.name : request.method)?.(request);
    const server = await startScripted(style === 'mcp' ? mcpScript(list, run) : run);
    const it = { url: `${server.origin}/mcp`, style };
    gateway = await startTools({ servers: { it, hasty: { ...it, timeout: '200ms' } } });
    await gateway.ready();
  });
  return (name) => call(gateway, name, {}, name === 'nothing at all' ? 'hasty' : 'it');
}

describe('an MCP server over streamable HTTP', () => {
  const refused: readonly (readonly [string, string, (request: ToolRequest) => void])[] = [
    [
      'an error',
      '[MCP_PROTOCOL/-32050] no',
      ({ json, id }) => json({ jsonrpc: '2.0', id, error: { code: -32050, message: 'no' } }),
    ],
    [
      'no JSON',
      '[A2A_PROXY/MCP_INVALID_RESPONSE]',
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    ],
    [
      'HTML',
      '[A2A_PROXY/MCP_INVALID_RESPONSE]',
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ],
    ['another id', '[A2A_PROXY/MCP_INVALID_RESPONSE]', ({ json }) => json({ jsonrpc: '2.0', id: 4711, result: {} })],
    [
      'HTTP 500',
      '[A2A_PROXY/MCP_CONNECTION_ERROR] The server answered with HTTP status 500',
      ({ json }) => json({}, 500),
    ],
    ['HTTP 403', '[A2A_PROXY/MCP_UNAUTHORIZED]', ({ json }) => json({}, 403)],
    ['nothing, and hangs up', '[A2A_PROXY/MCP_CONNECTION_ERROR]', ({ response }) => void response.destroy()],
    [
      'an empty stream',
      '[A2A_PROXY/MCP_INVALID_RESPONSE] The server ended its answer without a result',
      (request) => {
        request.stream();
        request.response.end();
      },
    ],
    [
      'a stream that breaks',
      '[A2A_PROXY/MCP_CONNECTION_ERROR]',
      (request) => {
        request.stream();
        setTimeout(() => request.response.destroy(), 20);
      },
    ],
    ['nothing at all', '[A2A_PROXY/MCP_TIMEOUT]', () => {}],
  ];

  describe('fails the call with a reason when it answers with', () => {
    const shared = sharing(
      refused.map(([name, , script]) => [name, script]),
      'mcp',
    );
    it.each(refused)('a call fails with a reason when the MCP server answers with %s: %s', async (name, words) => {
      const task = await shared(name);
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(said(task)).toContain(words);
    });
  });

  describe('may send the request id back as', () => {
    const spelled = (spell: (id: unknown) => unknown) => (request: ToolRequest) =>
      request.json({ jsonrpc: '2.0', id: spell(request.id), result: fine });
    const spellings: readonly (readonly [string, (request: ToolRequest) => void])[] = [
      ['a text', spelled(String)],
      ['a text with zeros before it', spelled((id) => `00${id}`)],
      ['a text with a fraction', spelled((id) => `${id}.0`)],
      [
        'a number with a fraction',
        ({ response, id }) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(`{"jsonrpc":"2.0","id":${id}.0,"result":${JSON.stringify(fine)}}`);
        },
      ],
    ];
    const shared = sharing(spellings, 'mcp');
    it.each(spellings)('an MCP server may send the request id back as %s', async (name) => {
      expect(outputOf(await shared(name))).toEqual({ success: true, mcp_result: fine });
    });
  });

  it.each([
    [
      'JSON',
      ({ response, id }: ToolRequest) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
        pour(response.write.bind(response));
      },
    ],
    [
      'one event',
      (request: ToolRequest) => {
        request.stream();
        request.response.write('data: ');
        pour(request.response.write.bind(request.response));
      },
    ],
  ])('an answer of 100 MB of %s is cut', async (_, script) => {
    const { gateway } = await startMcp(script, { maxResult: '1MiB' });
    expect(said(await call(gateway))).toMatch(/MCP_RESULT_TOO_LARGE\] The result is larger than 1\d{6} bytes/);
  });

  it('an MCP server over streamable HTTP may send a long stream of small events', async () => {
    const { gateway } = await startMcp(
      (request) => {
        request.stream();
        const token = request.params._meta.progressToken;
        const params = { progressToken: token, progress: 1, message: 'x'.repeat(100_000) };
        for (let i = 0; i < 20; i += 1) request.event({ method: 'notifications/progress', params });
        request.event({ id: request.id, result: fine });
        request.response.end();
      },
      { maxResult: '512KiB' },
    );
    expect(outputOf(await call(gateway))).toEqual({ success: true, mcp_result: fine });
  });

  it('an MCP server over streamable HTTP is not named by its address in errors for callers when it is unreachable', async () => {
    const { gateway, server } = await startMcp(({ result }) => result(fine));
    const { origin } = server;
    await server.close();
    const task = await call(gateway);
    expect(said(task)).toContain('[A2A_PROXY/MCP_CONNECTION_ERROR]');
    expect(JSON.stringify(task)).not.toContain(origin.slice('http://'.length));
  });

  it('an MCP server over streamable HTTP gets a new session and the call again after it has lost the session', async () => {
    let forgotten = false;
    const { gateway, server } = await startMcp((request) => {
      if (forgotten) request.result(fine);
      else request.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
      forgotten = true;
    });
    expect(outputOf(await call(gateway))).toEqual({ success: true, mcp_result: fine });
    expect(server.requests.filter(({ method }) => method === 'initialize')).toHaveLength(2);
  });

  it('an MCP server over streamable HTTP gets an interrupted call again only if it declares the tool read-only or idempotent', async () => {
    const list = [
      { name: 'read', ...anything, annotations: { readOnlyHint: true } },
      { name: 'write', ...anything },
    ];
    const { gateway, server } = await startMcp(({ response }) => void response.destroy(), {}, list);
    await call(gateway, 'read');
    await call(gateway, 'write');
    const calls = server.requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name);
    expect(calls).toEqual(['read', 'read', 'write']);
  });

  it('an MCP server over streamable HTTP is notified of a cancellation and of a timeout', async () => {
    const server = await startScripted(mcpScript(tools, (request) => request.stream()));
    const it = { url: `${server.origin}/mcp` };
    const gateway = await startTools({ servers: { it, hasty: { ...it, timeout: '500ms' } } });
    const client = await connect(gateway.origin);
    const { task } = await client.send([{ data: { tool_name: 'it.go' } }], { returnImmediately: true });
    const sent = (wanted: string) => server.requests.filter(({ method }) => method === wanted);
    await expect.poll(() => sent('tools/call')).toHaveLength(1);
    await client.cancelTask({ id: task?.id ?? '' });
    const canceled = () => sent('notifications/cancelled');
    await expect.poll(() => canceled()).toHaveLength(1);
    expect(said(await call(gateway, 'go', {}, 'hasty'))).toContain('MCP_TIMEOUT');
    await expect.poll(() => canceled()).toHaveLength(2);
    const ids = sent('tools/call').map(({ id }) => id);
    expect(canceled().map(({ params }) => params.requestId)).toEqual(ids);
  });

  it('an MCP server over streamable HTTP continues a call when its task gets another message', async () => {
    const held: ToolRequest[] = [];
    const { gateway } = await startMcp((request) => held.push(request));
    const client = await connect(gateway.origin);
    const { task } = await client.send([{ data: { tool_name: 'go' } }], { returnImmediately: true });
    const taskId = task?.id ?? '';
    await expect.poll(() => held).toHaveLength(1);
    const { task: current } = await client.send('faster!', { taskId, returnImmediately: true });
    expect(current?.status.state).toBe('TASK_STATE_WORKING');
    held[0]?.result(fine);
    const states = async () => (await client.getTask({ id: taskId })).status.state;
    await expect.poll(states).toBe('TASK_STATE_COMPLETED');
    expect(outputOf(await client.getTask({ id: taskId }))).toEqual({ success: true, mcp_result: fine });
  });

  it('an MCP server over streamable HTTP receives hops and trace context in headers and in _meta, and the configured credentials', async () => {
    const auth = { type: 'bearer', token: 'for-the-tools' };
    const { gateway, server } = await startMcp(({ result }) => result(fine), { auth });
    const response = await fetch(`${gateway.origin}/message:send`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        'a2a-hops': '3',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { tool_name: 'go' } }] } }),
    });
    expect(response.status).toBe(200);
    const { headers, params } = server.requests.at(-1) ?? expect.fail('nothing was asked');
    expect(headers).toMatchObject({ 'a2a-hops': '4', authorization: 'Bearer for-the-tools' });
    expect(headers.traceparent).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(params._meta).toMatchObject({ 'a2a-gateway/hops': 4 });
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer for-the-tools')).toBe(true);
  });

  it('an MCP server over streamable HTTP has a session for each caller when credentials are forwarded', async () => {
    const { gateway, server } = await startMcp(({ result }) => result(fine), { auth: { type: 'forward' } });
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { tool_name: 'go' } }] };
    for (const authorization of ['Bearer alice', 'Bearer bob', 'Bearer alice']) {
      await fetch(`${gateway.origin}/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', authorization },
        body: JSON.stringify({ message }),
      });
    }
    const seen = (wanted: string) =>
      server.requests.filter(({ method }) => method === wanted).map(({ headers }) => headers.authorization);
    expect(seen('tools/call')).toEqual(['Bearer alice', 'Bearer bob', 'Bearer alice']);
    expect(seen('initialize')).toEqual(['Bearer alice', 'Bearer bob']);
    expect(seen('tools/list')).toEqual(['Bearer alice', 'Bearer bob']);
    expect((await connect(gateway.origin)).card.skills.map(({ id }) => id)).toEqual(['call-tool']);
  });

  it.each<[string, string, (request: ToolRequest) => void]>([
    ['is not there', 'CONNECTION_ERROR] There is no MCP server at this URL (HTTP 404)', ({ json }) => json({}, 404)],
    ['denies access', 'UNAUTHORIZED] The server denies the gateway access (HTTP 401)', ({ json }) => json({}, 401)],
    [
      'speaks an unsupported version',
      "CONNECTION_ERROR] Cannot open a session: Server's protocol version is not supported: 1999-01-01",
      ({ result }) =>
        result({ protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'old', version: '0' } }),
    ],
  ])('an MCP server that %s is reported', async (_, words, script) => {
    const { gateway } = await start(script);
    expect(said(await call(gateway))).toContain(words);
  });

  it('an MCP server over streamable HTTP is not called when the call came in a circle', async () => {
    const { gateway, server } = await startMcp(({ result }) => result(fine));
    const response = await fetch(`${gateway.origin}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'a2a-hops': '8' },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { tool_name: 'go' } }] } }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('more than 8 gateways');
    expect(server.requests.map(({ method }) => method)).not.toContain('tools/call');
  });

  it('an MCP server over streamable HTTP is reconnected after a restart', async () => {
    const script = mcpScript(tools, ({ result }) => result(fine));
    const port = await freePort();
    const first = await startScripted(script, port);
    const gateway = await startTools({ servers: { it: { url: `${first.origin}/mcp` } } });
    await gateway.ready();
    await first.close();
    expect(said(await call(gateway))).toContain('MCP_CONNECTION_ERROR');
    await startScripted(script, port);
    expect((await call(gateway)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

/** Writes 100 MB, or less if the reader closes the connection. */
function pour(write: (text: string) => boolean): void {
  const chunk = 'x'.repeat(1024 * 1024);
  let left = 100;
  const timer = setInterval(() => {
    write(chunk);
    left -= 1;
    if (left === 0) clearInterval(timer);
  });
}

describe('a JSON-RPC server with a method for each tool', () => {
  const style = { style: 'method-per-tool' };

  it('a JSON-RPC server with a method for each tool is called without a handshake, as the proxy pattern documents', async () => {
    const { gateway, server } = await start(({ result }) => result(fine), style, '/base');
    const task = await call(gateway, 'filesystem.readFile', { path: '/data' });
    expect(outputOf(task)).toEqual({ success: true, mcp_result: fine });
    expect(server.requests).toEqual([
      expect.objectContaining({ method: 'filesystem.readFile', params: { path: '/data' }, path: '/base/rpc' }),
    ]);
    expect(server.requests[0]?.id).toMatch(/^mcp-req-[0-9a-f]{8}$/);
  });

  /** In the order in which the conditions are looked at: a row that meets several is refused for the first. */
  const refused: readonly (readonly [string, string, object | undefined, (request: ToolRequest) => void])[] = [
    [
      'HTTP 404 and an error',
      'MCP_PROTOCOL/-32601',
      { http_status: 404 },
      ({ json }) => json({ error: { code: -1 } }, 404),
    ],
    ['HTTP 404 and a result', 'MCP_PROTOCOL/-32601', { http_status: 404 }, ({ json }) => json({ result: fine }, 404)],
    [
      'HTTP 500 and no JSON',
      'A2A_PROXY/MCP_INVALID_RESPONSE',
      { http_status: 500 },
      ({ response }) => void response.writeHead(500).end('<h1>'),
    ],
    ['no JSON', 'A2A_PROXY/MCP_INVALID_RESPONSE', { http_status: 200 }, ({ response }) => void response.end('no')],
    ['a list', 'A2A_PROXY/MCP_INVALID_RESPONSE', { http_status: 200 }, ({ json }) => json([])],
    [
      'an error, whatever the status',
      'MCP_PROTOCOL/-32602',
      { mcp_protocol_error_data: { why: 1 } },
      ({ json, id }) => json({ jsonrpc: '2.0', id, error: { code: -32602, message: 'bad', data: { why: 1 } } }, 400),
    ],
    [
      'an error without a code',
      'MCP_PROTOCOL/MCP_UNKNOWN_PROTOCOL_ERROR',
      undefined,
      ({ json }) => json({ error: {} }),
    ],
    [
      'an error whose code is a text, beside a result',
      'MCP_PROTOCOL/E_NO',
      undefined,
      ({ json }) => json({ error: { code: 'E_NO' }, result: fine }),
    ],
    ['neither', 'A2A_PROXY/MCP_INVALID_RESPONSE', { http_status: 200 }, ({ json, id }) => json({ jsonrpc: '2.0', id })],
    [
      'another id',
      'A2A_PROXY/MCP_INVALID_RESPONSE',
      { http_status: 200 },
      ({ json }) => json({ id: 'x', result: fine }),
    ],
    [
      "the tool's own error",
      'MCP_TOOL/TOOL_EXECUTION_FAILED',
      { mcp_tool_error_content: fine.content },
      ({ result }) => result({ isError: true, ...fine }),
    ],
    ['nothing at all', 'A2A_PROXY/MCP_TIMEOUT', undefined, () => {}],
    ['a closed connection', 'A2A_PROXY/MCP_CONNECTION_ERROR', undefined, ({ response }) => void response.destroy()],
  ];

  const passed: readonly (readonly [string, object, (request: ToolRequest) => void])[] = [
    ['a result of HTTP 500', fine, ({ json }) => json({ result: fine }, 500)],
    ['an error that is none', fine, ({ json }) => json({ error: null, result: fine })],
    ['isError that is not true', { isError: 'no' }, ({ result }) => result({ isError: 'no' })],
    ['content of no kind of MCP', codeOutput, ({ result }) => result(codeOutput)],
    ['a bare text', { content: [{ type: 'text', text: 'words' }] }, ({ result }) => result('words')],
    ['bare content', fine, ({ result }) => result(fine.content)],
    ['a list of values', { content: [], structuredContent: [1, { a: 2 }] }, ({ result }) => result([1, { a: 2 }])],
    ['a number', { content: [], structuredContent: 7 }, ({ result }) => result(7)],
    ['null', { content: [] }, ({ result }) => result(null)],
  ];

  const shared = sharing(
    [
      ...refused.map(([name, , , script]) => [name, script] as const),
      ...passed.map(([name, , script]) => [name, script] as const),
    ],
    'method-per-tool',
  );

  it.each(passed)('the answer %s of a JSON-RPC server is a result', async (name, result) => {
    expect(outputOf(await shared(name))).toEqual({ success: true, mcp_result: result });
  });

  it.each(refused)('the answer %s of a JSON-RPC server is an error: %s', async (name, code, details) => {
    const task = await shared(name);
    expect(said(task)).toMatch(new RegExp(`^\\[${code}\\] .`));
    const [source, number] = code.split('/');
    const error = { source, code: number, message: expect.any(String), ...(details && { details }) };
    expect(outputOf(task)).toEqual({ success: false, error });
  });

  it('a JSON-RPC server with a method for each tool is shown as unreachable on the readiness page until it starts', async () => {
    const port = await freePort();
    const gateway = await startTools({
      servers: { it: { url: `http://127.0.0.1:${port}`, style: 'method-per-tool' } },
    });
    const state = async (): Promise<string> => (await gateway.health())['server it'] ?? '';
    await expect.poll(state).toMatch(/^unreachable: Cannot connect to the server: .*ECONNREFUSED/);
    await startScripted(({ result }) => result(fine), port);
    await expect.poll(state).toBe('ok');
  });

  it('a JSON-RPC server with a method for each tool offers the configured tools with their schemas', async () => {
    const inputSchema = { type: 'object', required: ['code'] };
    const { gateway, server } = await start(({ result }) => result(fine), {
      ...style,
      tools: ['plain', { name: 'run', description: 'Runs it', inputSchema }],
      deny: ['secret*'],
    });
    const { card } = await connect(gateway.origin);
    expect(card.skills.map(({ id }) => id)).toEqual(['it.plain', 'it.run']);
    expect(said(await call(gateway, 'run'))).toContain('arguments.code is required');
    expect(said(await call(gateway, 'it.secretTool'))).toContain('MCP_TOOL_DENIED');
    expect(server.requests).toEqual([]);
    expect((await call(gateway, 'untold')).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('a JSON-RPC server with a method for each tool is configured by the variables MCP_SERVER_MAP and MCP_CALL_TIMEOUT', async () => {
    const server: ScriptedServer = await startScripted(({ method, result }) => method === 'a.go' && result(fine));
    const env = { MCP_SERVER_MAP: JSON.stringify({ a: server.origin, b: server.origin }) };
    expect((await call(await startTools({ env }), 'a.go', {}, 'a')).status.state).toBe('TASK_STATE_COMPLETED');
    const hasty = await startTools({ env: { ...env, MCP_CALL_TIMEOUT: '0.3' } });
    expect(said(await call(hasty, 'b.go', {}, 'b'))).toMatch(/MCP_TIMEOUT.* 300 ms/);
  });
});
