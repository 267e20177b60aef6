import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../../../src/client/index.ts';
import type { Part, Task } from '../../../../src/core/model/a2a.ts';
import { questionOf } from '../../../../src/core/model/question.ts';
import { newFolder } from '../../../support/folders.ts';
import { freePort } from '../../../support/peer.ts';
import { startTools, type ToolGateway } from '../../../support/tools/gateway.ts';
import { startTaskServer } from '../../../support/tools/task-server.ts';

/** Tool calls that become tasks at their server (tasks extension of MCP), behind the gateway. */

let gateway: ToolGateway;
let server: Awaited<ReturnType<typeof startTaskServer>>;
const folder = newFolder();
const servers = () => ({
  it: { url: server.url },
  thinking: { url: server.url, sampling: 'model' },
  hasty: { url: server.url, taskTimeout: '300ms', timeout: '5s' },
});

beforeAll(async () => {
  server = await startTaskServer();
  const path = fileURLToPath(new URL('../agents/model.ts', import.meta.url));
  gateway = await startTools({ servers: servers(), agents: { model: { kind: 'module', path } } });
  await gateway.ready();
});
afterAll(() => server?.close());

const callPart = (tool: string, at = 'it'): Part => ({
  data: { target_mcp_server_id: at, tool_name: tool, arguments: {} },
});
async function send(parts: Part[] | string, options: object = {}, to = gateway): Promise<Task> {
  const { task } = await (await connect(to.origin)).send(parts, options);
  return task ?? expect.fail('no task');
}
const call = (tool: string, at?: string) => send([callPart(tool, at)]);
const stateOf = (task: Task) => task.status.state.slice('TASK_STATE_'.length);
const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';
const resultOf = (task: Task): string | undefined => task.artifacts?.[0]?.parts[1]?.text;
/** The requests about the last job. */
const methods = (): string[] => {
  const last = server.requests.findLastIndex(({ method }) => method === 'tools/call');
  return server.requests.slice(last + 1).map(({ method }) => method);
};

it('a tool call that becomes a task is polled, its messages are working updates, and its result is that of the call', async () => {
  const seen: unknown[] = [];
  let last = '';
  for await (const { statusUpdate } of (await connect(gateway.origin)).sendStream([callPart('job')])) {
    seen.push(statusUpdate?.status.message?.parts[0]?.text);
    last = statusUpdate?.taskId ?? last;
  }
  expect(seen).toEqual(expect.arrayContaining(['queued', 'step 1', 'step 2']));
  expect(resultOf(await (await connect(gateway.origin)).getTask({ id: last }))).toBe('done');
  const [first] = server.requests.filter(({ method }) => method === 'tasks/get');
  expect(first?.headers['mcp-name']).toBe(first?.params.taskId);
  expect(first?.params._meta['io.modelcontextprotocol/clientCapabilities'].extensions).toEqual({
    'io.modelcontextprotocol/tasks': {},
  });
});

it('a tool call that becomes a task asks, and gets the answers once', async () => {
  const task = await call('form');
  expect([stateOf(task), questionOf(task)?.text]).toEqual(['INPUT_REQUIRED', 'Who?\nHow old?']);
  const asked = await send('Ada', { taskId: task.id });
  const done = await send('36', { taskId: asked.id });
  expect(JSON.parse(resultOf(done) ?? '')).toEqual({
    who: { action: 'accept', content: { name: 'Ada' } },
    age: { action: 'accept', content: { age: 36 } },
  });
  expect(methods().filter((method) => method === 'tasks/update')).toHaveLength(1);
});

it('a tool call that becomes a task gets the answers of the agent of `sampling`', async () => {
  const { thought } = JSON.parse(resultOf(await call('think', 'thinking')) ?? '');
  expect(thought).toMatchObject({ model: 'model', content: { text: expect.stringContaining('Hello') } });
});

it.each([
  ['think', 'FAILED', 'The tool asks for sampling/createMessage, which the configuration does not allow'],
  ['error', 'FAILED', '[MCP_TOOL/TOOL_EXECUTION_FAILED] It failed.'],
  ['failed', 'FAILED', '[MCP_PROTOCOL/-32050] No more paper'],
  ['cancelled', 'CANCELED', "The tool's task was canceled at its server: closed for today"],
  [
    'forgotten',
    'FAILED',
    '[A2A_PROXY/MCP_TASK_LOST] The server no longer knows the task that it created for the call.',
  ],
  ['odd', 'FAILED', '[A2A_PROXY/MCP_INVALID_RESPONSE]'],
  ['empty', 'FAILED', '[A2A_PROXY/MCP_INVALID_RESULT]'],
  ['nameless', 'FAILED', '[A2A_PROXY/MCP_INVALID_RESPONSE]'],
])('a tool call that becomes a task of the tool `%s` ends as %s', async (tool, state, words) => {
  const task = await call(tool);
  expect([stateOf(task), said(task)]).toEqual([state, expect.stringContaining(words)]);
});

it('a tool call that becomes a task that is over when the task is created has the result of the task', async () => {
  expect(resultOf(await call('quick'))).toBe('done at once');
});

it('a tool call that becomes a task is canceled with its task, while it works and while it asks', async () => {
  const client = await connect(gateway.origin);
  for (const [tool, state] of [
    ['never', 'TASK_STATE_WORKING'],
    ['form', 'TASK_STATE_INPUT_REQUIRED'],
  ] as const) {
    const { id } = await send([callPart(tool)], { returnImmediately: true });
    await expect.poll(methods).toContain('tasks/get');
    await expect.poll(async () => (await client.getTask({ id })).status.state).toBe(state);
    expect((await client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED');
    await expect.poll(methods).toContain('tasks/cancel');
  }
});

it('a tool call that becomes a task that never ends is canceled after `taskTimeout`', async () => {
  const task = await call('never', 'hasty');
  expect([stateOf(task), said(task)]).toEqual(['FAILED', expect.stringContaining('did not end within 300 ms')]);
  await expect.poll(methods).toContain('tasks/cancel');
});

it('a server that is away for a while is polled on, and one that stays away fails the task', async () => {
  const port = await freePort();
  let away = await startTaskServer(port);
  const own = await startTools({ servers: { it: { url: away.url, timeout: '3s' } } });
  const client = await connect(own.origin);
  const { id } = await send([callPart('job')], { returnImmediately: true }, own);
  await expect.poll(() => away.requests.some(({ method }) => method === 'tasks/get')).toBe(true);
  await away.close();
  away = await startTaskServer(port, away.jobs);
  const done = async () => stateOf(await client.getTask({ id }));
  await expect.poll(done).toBe('COMPLETED');
  expect(away.begun).toBe(0);
  const { id: other } = await send([callPart('never')], { returnImmediately: true }, own);
  await expect.poll(() => away.begun).toBe(1);
  await away.close();
  await expect.poll(async () => said(await client.getTask({ id: other }))).toMatch(/CONNECTION/);
});

it('a gateway that was stopped polls on after its restart, asks again what was asked, and calls nothing twice', async () => {
  const store = `sqlite:${join(folder, 'tasks.db')}`;
  const { it: only } = servers();
  const settings = { servers: { it: only }, store };
  let own = await startTools(settings);
  const begun = server.begun;
  const form = await send([callPart('form')], {}, own);
  const job = await send([callPart('never')], { returnImmediately: true }, own);
  await expect.poll(methods).toContain('tasks/get');
  await own.close();
  own = await startTools(settings);
  const client = await connect(own.origin);
  const done = await send([{ data: { who: { name: 'Ada' }, age: { age: 36 } } }], { taskId: form.id }, own);
  expect(resultOf(done)).toContain('Ada');
  const looks = methods().length;
  await expect.poll(() => methods().length).toBeGreaterThan(looks);
  expect((await client.cancelTask({ id: job.id })).status.state).toBe('TASK_STATE_CANCELED');
  expect(server.begun).toBe(begun + 2);
});
