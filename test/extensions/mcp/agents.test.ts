import { beforeAll, expect, it } from 'vitest';
import { type Running, startGateway } from '../../support/gateway.ts';
import { startTools } from '../../support/tools/gateway.ts';
import { programs } from '../../support/tools/servers.ts';
import { type Tools, toolsAt } from './client.ts';

/** Agents of other kinds as tools. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway({
    settings: `
  slow-talker: { kind: module, path: ../extensions/mcp/agents/slow-talker.ts }
  quiet: { kind: module, path: ../extensions/mcp/agents/quiet-agent.ts }
  filer: { kind: module, path: ../extensions/mcp/agents/filer.ts }
`,
  });
});

const tools = (agent: string): Promise<Tools> => toolsAt(`${gateway.origin}/${agent}/mcp`);

it('an agent whose first word comes late answers within the call that waits for it', async () => {
  const { call } = await tools('slow-talker');
  const { structured } = await call('send_message', { message: 'hello' });
  expect(structured).toMatchObject({ state: 'completed', text: 'You said: hello' });
});

it('an agent whose first word comes late is a task for the call that does not', async () => {
  const { call } = await tools('slow-talker');
  const { structured } = await call('send_message', { message: 'hello', wait_seconds: 0 });
  expect(structured).toMatchObject({ state: 'submitted', task_id: expect.any(String) });
  const done = await call('get_task', { task_id: structured.task_id, wait_seconds: 10 });
  expect(done.structured).toMatchObject({ state: 'completed', text: 'You said: hello' });
});

it('an agent that does not stream is polled, and its skills have unique names', async () => {
  const { call, names, client } = await tools('quiet');
  const [, , , , ...skills] = await names();
  expect(new Set(skills).size).toBe(4);
  expect(skills[0]).toMatch(/^measure_length_[\da-f]{8}$/);
  expect(skills[1]).toMatch(/^measure_length_[\da-f]{8}$/);
  expect(skills[2]).toMatch(/^send_message_[\da-f]{8}$/);
  expect(skills[3]).toMatch(/^(long-)+\w+$/);
  expect(skills[3]?.length).toBe(64);
  const listed = await client.listTools();
  expect(listed.tools[4]?.description).toContain('Examples: "How long is it?"');
  const { structured, progress } = await call(skills[1] as string, { message: 'a rope' });
  expect(structured).toMatchObject({ state: 'completed', text: 'a rope: "measure/length"' });
  expect(progress[0]?.message).toBe('working: measuring');
});

it('an agent that does not stream is given its answer', async () => {
  const { call } = await tools('quiet');
  const { structured } = await call('send_message', { message: 'ask' });
  expect(structured).toMatchObject({ state: 'input-required', text: 'How long?' });
  const answered = await call('send_message', { message: '3 m', task_id: structured.task_id, wait_seconds: 0 });
  expect(answered.structured).toMatchObject({ state: 'working', task_id: structured.task_id });
  const done = await call('get_task', { task_id: structured.task_id, wait_seconds: 10 });
  expect(done.structured).toMatchObject({ state: 'completed' });
});

it('files come as they are, as resources or as links', async () => {
  const { call } = await tools('filer');
  const { result, structured } = await call('send_message', { message: 'small' });
  const [text, note, sound, bytes, link] = result.content;
  expect(text).toEqual({ type: 'text', text: 'Here you are.' });
  expect(note).toMatchObject({ type: 'resource', resource: { mimeType: 'text/plain', text: 'a note' } });
  expect(note).toMatchObject({ resource: { uri: `a2a://filer/tasks/${structured.task_id}/note.txt` } });
  expect(sound).toEqual({ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' });
  expect(bytes).toMatchObject({ resource: { mimeType: 'application/octet-stream', blob: 'AAAA' } });
  expect(link).toEqual({ type: 'resource_link', uri: 'https://example.com/a/b.pdf?x=1', name: 'b.pdf' });
  expect(structured.files).toHaveLength(4);
});

it('files become links to the gateway when they are large', async () => {
  const { call } = await tools('filer');
  const { result, structured } = await call('send_message', { message: 'large' });
  const [link] = result.content;
  if (link?.type !== 'resource_link') return expect.fail('no link');
  expect(link).toMatchObject({ name: 'large.bin', mimeType: 'application/octet-stream' });
  expect(structured.files).toEqual([{ name: 'large.bin', media_type: 'application/octet-stream', url: link.uri }]);
  const answer = await fetch(link.uri);
  expect((await answer.arrayBuffer()).byteLength).toBe(2 << 20);
});

it('files and data can be sent', async () => {
  const { call } = await tools('demo');
  const files = [
    { name: 'a.png', media_type: 'image/png', base64: 'AAAA' },
    { name: 'b.txt', media_type: 'text/plain', url: 'https://example.com/b.txt' },
  ];
  const { result, structured } = await call('send_message', { data: { city: 'Paris' }, files });
  expect(result.content.slice(1, 3)).toEqual([
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource_link', uri: 'https://example.com/b.txt', name: 'b.txt', mimeType: 'text/plain' },
  ]);
  expect(structured).toMatchObject({ state: 'completed', data: [{ city: 'Paris' }] });
});

it('an agent that needs an extension says so', async () => {
  const { call } = await tools('demanding');
  const { result, text } = await call('send_message', { message: 'hello' });
  expect(result.isError).toBe(true);
  expect(text).toContain('requires the extension');
});

it("an agent of tools has its tools' own schemas, results and errors", async () => {
  const behind = await startTools({ servers: { every: { command: process.execPath, args: [programs.everything] } } });
  await behind.ready();
  const { client, call, names } = await toolsAt(`${behind.origin}/mcp`);
  expect(await names()).toContain('tools__every_echo');
  const { tools: listed } = await client.listTools();
  const sum = listed.find(({ name }) => name === 'tools__every_get-sum');
  expect(sum?.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] });
  expect((await call('tools__every_get-sum', { a: 1, b: 2 })).text).toContain('3');
  const image = await call('tools__every_get-tiny-image');
  expect(image.result.content.map(({ type }) => type)).toContain('image');
  const weather = await call('tools__every_get-structured-content', { location: 'New York' });
  expect(weather.structured).toMatchObject({ humidity: 82 });
  const bad = await call('tools__every_get-sum', { a: 'one' });
  expect(bad.result.isError).toBe(true);
  expect(bad.text).toBe('[MCP_PROTOCOL/-32602] Invalid arguments: arguments.b is required; arguments.a must be number');
  const data = { target_mcp_server_id: 'every', tool_name: 'get-structured-content' };
  const given = { agent: 'tools', data: { ...data, arguments: { location: 'New York' } } };
  const { structured } = await call('send_message', given);
  expect(structured).toMatchObject({ state: 'completed', data: [{ humidity: 82 }] });
  expect((await call('get_task', { agent: 'tools', task_id: structured.task_id })).structured).toEqual(structured);
  const long = await call('tools__every_trigger-long-running-operation', { duration: 0.6, steps: 3 });
  // Reports that arrive together are joined.
  expect(long.progress.map(({ message }) => message).join('\n')).toMatch(/[1-3] of 3/);
});
