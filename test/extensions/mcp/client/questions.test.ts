import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../../src/client/index.ts';
import type { Part, Task } from '../../../../src/core/model/a2a.ts';
import { questionOf } from '../../../../src/core/model/question.ts';
import { newFolder } from '../../../support/folders.ts';
import { startTools, type ToolGateway } from '../../../support/tools/gateway.ts';
import { startModern } from '../../../support/tools/modern-server.ts';
import { type HttpServer, programs, startEverything } from '../../../support/tools/servers.ts';
import { vaultClient } from '../../../support/vault-client.ts';

/** Tool servers on the official SDKs that ask during a call, behind the gateway. */

let gateway: ToolGateway;
let http: Awaited<ReturnType<typeof startModern>>;
let everything: HttpServer;
const folder = newFolder();
const program = (path: string) => ({ command: process.execPath, args: [path] });
const servers = () => ({
  http: { url: http.url },
  stdio: { ...program(programs.modern), roots: ['/data'] },
  old: program(programs.asking),
  hasty: { ...program(programs.asking), answerTimeout: '300ms' },
  oldHttp: { url: `${everything.origin}/mcp` },
  rooted: { ...program(programs.asking), roots: ['/data', 'file:///more'] },
});

beforeAll(async () => {
  [http, everything] = await Promise.all([startModern(), startEverything('streamableHttp')]);
  gateway = await startTools({ servers: servers() });
  await gateway.ready();
});
afterAll(() => Promise.all([http?.close(), everything?.close()]));

const callPart = (server: string, tool: string): Part => ({
  data: { target_mcp_server_id: server, tool_name: tool, arguments: {} },
});
async function send(parts: Part[] | string, taskId?: string, to = gateway): Promise<Task> {
  const { task } = await (await connect(to.origin)).send(parts, taskId ? { taskId } : {});
  return task ?? expect.fail('no task');
}
const call = (server: string, tool: string, to?: ToolGateway) => send([callPart(server, tool)], undefined, to);
const answer = (task: Task, given: string | object, to?: ToolGateway): Promise<Task> =>
  send(typeof given === 'string' ? given : [{ data: given as NonNullable<Part['data']> }], task.id, to);
const stateOf = (task: Task) => task.status.state.slice('TASK_STATE_'.length);
const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';
/** The JSON in the text that a tool answered with. */
function resultOf(task: Task): unknown {
  expect(said(task)).toBe('');
  return JSON.parse(task.artifacts?.[0]?.parts[1]?.text ?? 'null');
}

describe.each(['http', 'stdio'])('a tool of MCP 2026-07-28 over %s', (server) => {
  const accepted = {
    who: { action: 'accept', content: { name: 'Ada' } },
    age: { action: 'accept', content: { age: 36 } },
  };

  it(`a tool of MCP 2026-07-28 over ${server} asks several questions at once, which data answers by name`, async () => {
    const task = await call(server, 'book');
    expect(stateOf(task)).toBe('INPUT_REQUIRED');
    expect(questionOf(task)).toMatchObject({
      text: 'Who?\nHow old?',
      by: server,
      schema: { properties: { who: { properties: { name: {} } }, age: { properties: { age: {} } } } },
    });
    await expect(answer(task, { who: { name: 'Ada' }, age: { age: 'old' } })).rejects.toMatchObject({
      violations: [expect.objectContaining({ field: expect.stringContaining('age') })],
    });
    const done = await answer(task, { who: { name: 'Ada' }, age: { age: 36 } });
    expect(resultOf(done)).toEqual({ ...accepted, state: 'opaque' });
  });

  // Questions and answers take the same path over both transports, so HTTP alone tests the rest.
  if (server !== 'http') return;

  it(`a tool of MCP 2026-07-28 over ${server} gets texts for one question after the other`, async () => {
    const task = await answer(await call(server, 'book'), 'Ada');
    expect([stateOf(task), questionOf(task)?.text]).toEqual(['INPUT_REQUIRED', 'How old?']);
    expect(resultOf(await answer(task, '36'))).toEqual({ ...accepted, state: 'opaque' });
  });

  it(`a tool of MCP 2026-07-28 over ${server} gets the required fields of one form from texts`, async () => {
    const task = await call(server, 'address');
    expect(said(task)).toBe('Where?\nFirst: street');
    const next = await answer(task, 'Main Street');
    expect(said(next)).toBe('Where?\nFirst: zip');
    const content = { street: 'Main Street', zip: '12345' };
    expect(resultOf(await answer(next, '12345'))).toEqual({ address: { action: 'accept', content } });
  });

  it.each(['decline', 'cancel'])(`a tool of MCP 2026-07-28 over ${server} learns of %s`, async (action) => {
    const done = await answer(await call(server, 'book'), { action });
    expect(resultOf(done)).toMatchObject({ who: { action }, age: { action } });
  });

  it(`a tool of MCP 2026-07-28 over ${server} asks for a visit of a URL, which any message answers`, async () => {
    const task = await call(server, 'visit');
    expect(stateOf(task)).toBe('AUTH_REQUIRED');
    const url = 'https://example.com/in';
    expect(task.status.message?.parts).toEqual([{ text: `Log in\n${url}` }, { url }]);
    expect(resultOf(await answer(task, 'done'))).toEqual({ login: { action: 'accept' } });
  });

  it(`a tool of MCP 2026-07-28 over ${server} may ask twenty times, and no more`, async () => {
    let task = await call(server, 'endless');
    for (let round = 1; round <= 20; round += 1) {
      expect(stateOf(task)).toBe('INPUT_REQUIRED');
      task = await answer(task, 'Ada');
    }
    expect([stateOf(task), said(task)]).toEqual(['FAILED', expect.stringContaining('has asked 20 times')]);
  });

  it(`a tool of MCP 2026-07-28 over ${server} fails with a question of ten megabytes`, async () => {
    const task = await call(server, 'huge');
    expect([stateOf(task), said(task)]).toEqual(['FAILED', expect.stringContaining('it exceeds 65536 characters')]);
  });

  it(`a tool of MCP 2026-07-28 over ${server} reports its log messages as progress of the task`, async () =>
    expect(await reports(server)).toContain('looking closely'));
});

/** The texts of the working updates while a tool talks. */
async function reports(server: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { statusUpdate } of (await connect(gateway.origin)).sendStream([callPart(server, 'talk')]))
    seen.push(statusUpdate?.status.message?.parts[0]?.text);
  return seen;
}

it('a tool of MCP 2026-07-28 learns of the configured roots, and is refused where there are none', async () => {
  expect(resultOf(await call('stdio', 'where'))).toEqual({ roots: { roots: [{ uri: 'file:///data' }] } });
  expect(said(await call('http', 'where'))).toMatch(/roots/);
});

it('a tool of MCP 2025-11-25 waits in its session for the answer, and continues with progress and result', async () => {
  const task = await call('old', 'order');
  expect(questionOf(task)).toMatchObject({ text: 'Which size?', by: 'old', until: expect.any(String) });
  const seen: string[] = [];
  const client = await connect(gateway.origin);
  for await (const { statusUpdate } of client.sendStream('7', { taskId: task.id }))
    seen.push(statusUpdate?.status.message?.parts[0]?.text ?? '');
  expect(seen).toContain('packing (1)');
  const done = await client.getTask({ id: task.id });
  expect(resultOf(done)).toEqual({ orders: expect.any(Number), answer: { action: 'accept', content: { size: 7 } } });
});

it('a tool of MCP 2025-11-25 waits for `answerTimeout`, and the task fails with an answer after that', async () => {
  const began = Date.now();
  const task = await call('hasty', 'order');
  const until = Date.parse(String(questionOf(task)?.until));
  expect(until).toBeGreaterThanOrEqual(began + 300);
  expect(until).toBeLessThanOrEqual(Date.now() + 300);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const late = await answer(task, '7');
  expect([stateOf(late), said(late)]).toEqual(['FAILED', expect.stringContaining('was not answered in time')]);
});

it('a tool of MCP 2025-11-25 waits over streamable HTTP, too', async () => {
  const task = await call('oldHttp', 'trigger-elicitation-request');
  expect(stateOf(task)).toBe('INPUT_REQUIRED');
  expect(JSON.stringify(await answer(task, { action: 'decline' }))).toContain('declined');
});

it('a tool of MCP 2025-11-25 asks for a visit of a URL during the call, or by refusing it', async () => {
  const visit = await call('old', 'visit');
  expect([stateOf(visit), said(visit)]).toEqual(['AUTH_REQUIRED', 'Pay\nhttps://example.com/pay']);
  expect(resultOf(await answer(visit, 'paid'))).toEqual({ action: 'accept' });
  const login = await call('old', 'login');
  expect([stateOf(login), said(login)]).toEqual(['AUTH_REQUIRED', 'Log in\nhttps://example.com/in']);
  expect(resultOf(await answer(login, 'done'))).toBe('in');
});

it('a tool of MCP 2025-11-25 learns of the configured roots, and why anything else is refused', async () => {
  const roots = [{ uri: 'file:///data' }, { uri: 'file:///more' }];
  expect(resultOf(await call('rooted', 'where'))).toEqual({ roots });
  expect(said(await call('old', 'where'))).toMatch(/roots/);
  const why = 'The configuration of this gateway does not allow sampling/createMessage';
  expect(resultOf(await call('old', 'think'))).toContain(why);
});

it('a tool of MCP 2025-11-25 whose schema cannot be used gets a cancellation, and the task fails', async () => {
  const task = await call('old', 'odd');
  expect([stateOf(task), said(task)]).toEqual(['FAILED', expect.stringContaining('cannot be used')]);
  await expect.poll(async () => resultOf(await call('old', 'heard'))).toMatchObject({ action: 'cancel' });
});

it('a tool of MCP 2025-11-25 reports its log messages as progress of the task', async () =>
  expect(await reports('old')).toContain('looking closely'));

it('questions outlive the gateway where the protocol can; an open call is not made twice', async () => {
  const store = `sqlite:${join(folder, 'tasks.db')}`;
  let own = await startTools({ servers: servers(), store });
  const [task, held] = [await call('stdio', 'book', own), await call('old', 'order', own)];
  await own.close();
  own = await startTools({ servers: servers(), store });
  const asked = await answer(task, 'Ada', own);
  expect(said(asked)).toBe('How old?');
  expect(resultOf(await answer(asked, '36', own))).toMatchObject({ state: 'opaque' });
  const lost = await answer(held, '7', own);
  expect([stateOf(lost), said(lost)]).toEqual(['FAILED', expect.stringContaining('The call was not repeated')]);
  expect(resultOf(await call('old', 'orders', own))).toBe(0);
});

it('a question of a tool is answered over A2A 0.1', async () => {
  const sendLegacy = async (data: unknown): Promise<{ status: { state: string } }> => {
    const params = { id: 'a-0.1-task', message: { role: 'user', parts: [{ type: 'data', data }] } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/send', params });
    const response = await fetch(gateway.origin, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return ((await response.json()) as { result: { status: { state: string } } }).result;
  };
  expect((await sendLegacy(callPart('old', 'order').data)).status.state).toBe('input-required');
  expect((await sendLegacy({ size: 7 })).status.state).toBe('completed');
});

it('a question of a tool is answered over AgentVault 0.2', async () => {
  const client = vaultClient(`${gateway.origin}/`);
  const data = callPart('stdio', 'book').data;
  const id = await client.send({
    role: 'user',
    parts: [{ type: 'data', content: data, mediaType: 'application/json' }],
  });
  await expect.poll(async () => (await client.get(id)).state).toBe('INPUT_REQUIRED');
  const content = { who: { name: 'Ada' }, age: { age: 36 } };
  await client.send({ role: 'user', parts: [{ type: 'data', content, mediaType: 'application/json' }] }, { id });
  await expect.poll(async () => (await client.get(id)).state).toBe('COMPLETED');
});
