import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { listedBindings } from '../../support/conversations.ts';
import { newFolder } from '../../support/folders.ts';
import { peerRow } from '../../support/peer-row.ts';
import { startTools, type ToolGateway } from '../../support/tools/gateway.ts';
import { type HttpServer, programs, startEverything } from '../../support/tools/servers.ts';
import { vaultClient } from '../../support/vault-client.ts';

peerRow({
  software: '`server-everything` of MCP',
  version: { npm: '@modelcontextprotocol/server-everything' },
  role: 'tool server',
  speaks: 'MCP: stdio, streamable HTTP, SSE',
  does: 'offers its tools to A2A clients as skills, with progress and results',
});
peerRow({
  software: '`server-filesystem` of MCP',
  version: { npm: '@modelcontextprotocol/server-filesystem' },
  role: 'tool server',
  speaks: 'MCP: stdio',
  does: 'offers its tools to A2A clients as skills, without those that the configuration denies',
});

/** The reference servers of MCP, over each of its transports, behind the gateway. */

let gateway: ToolGateway;
let folder: string;
let http: HttpServer;
let sse: HttpServer;
/** The call takes some seconds, so it starts before the tests. */
let research: Promise<Task> | undefined;

beforeAll(async () => {
  folder = await realpath(newFolder());
  await writeFile(join(folder, 'note.txt'), 'good day');
  [http, sse] = await Promise.all([startEverything('streamableHttp'), startEverything('sse')]);
  const node = process.execPath;
  gateway = await startTools({
    servers: {
      filesystem: { command: node, args: [programs.filesystem, folder], deny: ['write_*', 'move_file'] },
      stdio: { command: node, args: [programs.everything], env: { GREETING: 'hello' } },
      http: { url: `${http.origin}/mcp` },
      sse: { url: `${sse.origin}/sse` },
    },
  });
  await gateway.ready();
  research = call('http', 'simulate-research-query', { topic: 'tea' });
});

afterAll(() => Promise.all([http?.close(), sse?.close()]));

const callPart = (server: string | undefined, tool: string, args: object) => ({
  data: { ...(server && { target_mcp_server_id: server }), tool_name: tool, arguments: args },
});

/** Calls a tool and waits for the task's end. */
async function call(server: string | undefined, tool: string, args: object = {}): Promise<Task> {
  const client = await connect(gateway.origin);
  const { task } = await client.send([callPart(server, tool, args)]);
  return task ?? expect.fail('no task');
}

const outputOf = (task: Task): unknown => task.artifacts?.[0]?.parts[0]?.data;

describe.each(['stdio', 'http', 'sse'])('an agent of the MCP server `everything` over %s', (server) => {
  it(`an agent of the MCP server \`everything\` over ${server} answers with the result of the tool, as parts and as the server sent it`, async () => {
    const task = await call(server, 'echo', { message: 'hi' });
    const mcp_result = { content: [{ type: 'text', text: 'Echo: hi' }] };
    const output = { data: { success: true, mcp_result }, mediaType: 'application/json' };
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED', message: { role: 'ROLE_AGENT', parts: [output] } },
      artifacts: [{ name: 'echo', parts: [output, { text: 'Echo: hi' }] }],
    });
  });

  it(`an agent of the MCP server \`everything\` over ${server} answers with images, links, resources and structured content as parts`, async () => {
    const image = await call(server, 'get-tiny-image');
    expect(image.artifacts?.[0]?.parts).toContainEqual({ raw: expect.any(String), mediaType: 'image/png' });
    const links = await call(server, 'get-resource-links', { count: 2 });
    expect(links.artifacts?.[0]?.parts.filter(({ url }) => url?.startsWith('demo://'))).toHaveLength(2);
    const reference = await call(server, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 });
    const metadata = { uri: expect.stringContaining('demo://') };
    expect(reference.artifacts?.[0]?.parts).toContainEqual(expect.objectContaining({ metadata }));
    const structured = await call(server, 'get-structured-content', { location: 'New York' });
    expect(structured.artifacts?.[0]?.parts.at(-1)).toEqual({ data: expect.objectContaining({ humidity: 82 }) });
  });

  it(`an agent of the MCP server \`everything\` over ${server} reports progress as status updates of the task`, async () => {
    const client = await connect(gateway.origin);
    const seen: string[] = [];
    const parts = [callPart(server, 'trigger-long-running-operation', { duration: 0.6, steps: 3 })];
    for await (const { statusUpdate } of client.sendStream(parts)) {
      const { state, message } = statusUpdate?.status ?? {};
      if (state === 'TASK_STATE_WORKING' && message) seen.push(message.parts[0]?.text ?? '');
    }
    // Reports that arrive together are joined.
    expect(seen).toContainEqual(expect.stringMatching(/^Progress: [1-3] of 3$/));
  });

  it(`an agent of the MCP server \`everything\` over ${server} refuses invalid arguments by name without a request to the server`, async () => {
    const task = await call(server, 'get-sum', { a: 'one' });
    expect(task.status.message?.parts).toEqual([
      { text: '[MCP_PROTOCOL/-32602] Invalid arguments: arguments.b is required; arguments.a must be number' },
    ]);
    expect(outputOf(task)).toMatchObject({
      success: false,
      error: { details: { violations: [{ field: 'arguments.b' }, { field: 'arguments.a' }] } },
    });
  });

  it(`an agent of the MCP server \`everything\` over ${server} notifies the server when a call is canceled`, async () => {
    const client = await connect(gateway.origin);
    const parts = [callPart(server, 'trigger-long-running-operation', { duration: 60, steps: 2 })];
    const { task } = await client.send(parts, { returnImmediately: true });
    const canceled = await client.cancelTask({ id: task?.id ?? '' });
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect((await call(server, 'echo', { message: 'still there' })).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

it('an MCP server program gets only the environment variables that it needs and those of the configuration', async () => {
  vi.stubEnv('NOT_FOR_TOOLS', 'secret');
  const task = await call('stdio', 'get-env');
  expect(JSON.stringify(task)).toContain('GREETING');
  expect(JSON.stringify(task)).not.toContain('NOT_FOR_TOOLS');
});

describe('names of MCP tools', () => {
  const path = () => ({ path: join(folder, 'note.txt') });

  it.each([
    ['filesystem', 'read_text_file'],
    ['filesystem', 'filesystem.read_text_file'],
    ['filesystem', 'filesystem.readFile'],
    [undefined, 'filesystem.readFile'],
    [undefined, 'read_text_file'],
  ])('the names %s and %s mean the same MCP tool', async (server, tool) => {
    const task = await call(server, tool, path());
    expect(outputOf(task)).toMatchObject({ success: true, mcp_result: { content: [{ text: 'good day' }] } });
  });

  it.each([
    ['nowhere', 'x', 'A2A_PROXY/MCP_UNKNOWN_SERVER', 'the servers are filesystem, stdio, http, sse'],
    [undefined, 'echo', 'A2A_PROXY/MCP_NO_SERVER_NAMED', 'set target_mcp_server_id to one of'],
    ['filesystem', 'no_such_tool', 'MCP_PROTOCOL/-32601', '"filesystem" has no tool "no_such_tool"; it has read_file'],
    ['filesystem', 'write_file', 'A2A_PROXY/MCP_TOOL_DENIED', 'is not allowed by the configuration'],
    ['filesystem', 'filesystem.moveFile', 'A2A_PROXY/MCP_TOOL_DENIED', 'is not allowed by the configuration'],
  ])('the names %s and %s are refused: %s', async (server, tool, code, words) => {
    const task = await call(server, tool);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    const [said] = task.status.message?.parts ?? [];
    expect(said?.text).toContain(`[${code}]`);
    expect(said?.text).toContain(words);
    const [source, number] = code.split('/');
    expect(outputOf(task)).toMatchObject({ success: false, error: { source, code: number } });
  });

  it("names of MCP tools distinguish a tool's own error from other errors", async () => {
    const task = await call('filesystem', 'read_text_file', { path: '/etc/passwd' });
    expect(task.status.message?.parts[0]?.text).toMatch(/^\[MCP_TOOL\/TOOL_EXECUTION_FAILED\] .*Access denied/);
  });
});

it('an MCP agent has a skill for each permitted tool, with its schema in an extension', async () => {
  const { card } = await connect(gateway.origin);
  const ids = card.skills.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['filesystem.read_text_file', 'stdio.echo', 'http.echo', 'sse.echo']));
  expect(ids).not.toContain('filesystem.write_file');
  const extension = card.capabilities.extensions?.find(({ uri }) => uri === 'urn:a2a-gateway-extension:mcp-tools');
  const { tools = [] } = (extension?.params ?? {}) as { tools?: { skill: string; inputSchema: object }[] };
  expect(tools.map(({ skill }) => skill)).toEqual(ids);
  expect(tools.find(({ skill }) => skill === 'http.echo')?.inputSchema).toMatchObject({ required: ['message'] });
});

it('an MCP agent explains what it expects when a message is no tool call', async () => {
  const client = await connect(gateway.origin);
  await expect(client.send('read my note')).rejects.toMatchObject({
    kind: 'invalidParams',
    message: expect.stringMatching(/message\.parts: .*"tool_name": TOOL.*filesystem\.read_file/),
  });
  const bad = { data: { tool_name: 'echo', arguments: [1] } };
  await expect(client.send([bad])).rejects.toMatchObject({
    violations: [{ field: 'message.parts[0].data.arguments' }],
  });
});

it.each(listedBindings)(
  'every dialect and binding calls a tool of an MCP agent: %s over %s',
  async (dialect, binding) => {
    const client = await connect(`${gateway.origin}/as/${dialect}`, { as: dialect, via: binding });
    const outputs: unknown[] = [];
    let last: StreamResponse | undefined;
    for await (const event of client.sendStream([callPart('http', 'echo', { message: dialect })])) {
      last = event;
      for (const { data } of event.artifactUpdate?.artifact.parts ?? []) outputs.push(data);
    }
    const mcp_result = { content: [{ type: 'text', text: `Echo: ${dialect}` }] };
    expect(outputs).toContainEqual({ success: true, mcp_result });
    expect(last?.statusUpdate?.status.state ?? last?.task?.status.state).toBe('TASK_STATE_COMPLETED');
  },
);

describe('an AgentVault client of the MCP server `filesystem`', () => {
  const client = () => vaultClient(`${gateway.origin}/`);
  const message = (content: object) => ({
    role: 'user',
    parts: [{ type: 'data', mediaType: 'application/json', content }],
    metadata: null,
  });
  const reading = (path: string) =>
    message({ target_mcp_server_id: 'filesystem', tool_name: 'filesystem.readFile', arguments: { path } });

  it('an AgentVault client of the MCP server `filesystem` sends, follows and reads the result', async () => {
    const id = await client().send(reading(join(folder, 'note.txt')));
    const frames = await client().follow(id);
    const said = frames.filter(({ event }) => event === 'task_message').map(({ data }) => data.message);
    const content = {
      success: true,
      mcp_result: expect.objectContaining({ content: [{ type: 'text', text: 'good day' }] }),
    };
    expect(said).toEqual([
      expect.objectContaining({
        role: 'assistant',
        parts: [{ type: 'data', content, mediaType: 'application/json' }],
      }),
    ]);
    expect(frames.at(-1)).toMatchObject({ event: 'task_status', data: { state: 'COMPLETED' } });
    const task = await client().get(id);
    expect(task.state).toBe('COMPLETED');
    expect(JSON.stringify(task.messages)).toContain('good day');
  });
});

it('an MCP agent runs tools that the server offers only as MCP tasks', async () => {
  const task = await research;
  expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task && outputOf(task)).toMatchObject({ success: true });
  // One of its stages, of which a look may miss some.
  expect(JSON.stringify(task?.history)).toMatch(/Gathering|Analyzing|Synthesizing|Generating/);
});
