import { expect, it } from 'vitest';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { startGateway } from '../../support/gateway.ts';

/** The statuses, paths and queries of A2A 0.3 over HTTP+JSON, which the clients of its SDK do not show. */

const gateway = await startGateway();

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

async function call(verb: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(gateway.origin + path, {
    method: verb,
    // Real clients name the type of the body also where there is none.
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'm-1', role: 'ROLE_USER', content: [{ text }], ...more },
});

interface Task {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly history?: readonly Json[];
}

async function send(text: string, more: object = {}, path = '/v1/message:send'): Promise<Task> {
  const { status, body } = await call('POST', path, { ...message(text), ...more });
  expect(status).toBe(201);
  return body.task as Task;
}

/** The configuration that the JavaScript client writes for `blocking: false`. */
const atOnce = { configuration: {} };

it('messages of A2A 0.3 over HTTP+JSON are answered with 201, in the shape of the proto', async () => {
  const answer = await call('POST', '/v1/message:send', message('hi'));
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('a2a-version')).toBe('0.3');
  const task = answer.body.task as Task;
  expect(task).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ name: 'echo', parts: [{ text: 'hi' }] }],
    history: [{ messageId: 'm-1', role: 'ROLE_USER', content: [{ text: 'hi' }], taskId: task.id }],
  });
  expect(answer.body).not.toHaveProperty('task.kind');
});

it.each(['/as/a2a-0.3', '/demo', '/demo/as/a2a-0.3', ''])(
  'messages of A2A 0.3 over HTTP+JSON are served below %j',
  async (base) => {
    expect((await send('hi', {}, `${base}/v1/message:send`)).status.state).toBe('TASK_STATE_COMPLETED');
    const hello = await call('POST', '/hello/v1/message:send', message('I am Ada'));
    expect(JSON.stringify(hello.body)).toContain('Hello, Ada!');
  },
);

it('tasks of A2A 0.3 over HTTP+JSON are returned with the requested length of history', async () => {
  const { id } = await send('ask');
  const done = await send('', message('Ada', { taskId: id }));
  const lengths = ['', '?historyLength=0', '?historyLength=1', '?history_length=1'].map(async (query) => {
    const { status, body } = await call('GET', `/v1/tasks/${id}${query}`);
    expect([status, body.id]).toEqual([200, id]);
    return (body.history as unknown[]).length;
  });
  // 0 is the proto's default, and so the same as nothing.
  const all = done.history?.length;
  expect(await Promise.all(lengths)).toEqual([all, all, 1, 1]);
});

it('tasks of A2A 0.3 over HTTP+JSON are canceled with or without their name in the body', async () => {
  for (const body of [undefined, {}, 'null', 'by name'] as const) {
    const { id } = await send('wait', atOnce);
    const given = body === 'by name' ? { name: `tasks/${id}` } : body;
    expect((await call('POST', `/v1/tasks/${id}:cancel`, given)).status).toBe(202);
    const again = await call('POST', `/v1/tasks/${id}:cancel`);
    expect([again.status, again.body.code]).toEqual([409, -32002]);
  }
});

it.each(['GET', 'POST'])('a finished task is the only event of a subscription by %s', async (method) => {
  const { id } = await send('hello');
  const response = await fetch(`${gateway.origin}/v1/tasks/${id}:subscribe`, { method });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const [, data = ''] = /^(?:id: \d+\n)?data: (.*)\n\n$/.exec(await response.text()) ?? [];
  expect(JSON.parse(data)).toMatchObject({ task: { id, status: { state: 'TASK_STATE_COMPLETED' } } });
});

it('push configurations of A2A 0.3 over HTTP+JSON are answered with 201 when created, with 204 when deleted, and with 404 afterwards', async () => {
  const { id } = await send('ask');
  const base = `/v1/tasks/${id}/pushNotificationConfigs`;
  const config = { id: 'cfg', url: 'https://example.com/hook', token: 'tok' };
  const stored = { name: `tasks/${id}/pushNotificationConfigs/cfg`, pushNotificationConfig: config };
  const created = await call('POST', base, { config: { pushNotificationConfig: config }, configId: 'cfg' });
  expect([created.status, created.body]).toEqual([201, stored]);
  expect((await call('GET', base)).body).toEqual({ configs: [stored] });
  expect((await call('DELETE', `${base}/cfg`)).status).toBe(204);
  expect((await call('GET', `${base}/cfg`)).status).toBe(404);
});

it.each([
  ['GET', '/v1/tasks/nope', undefined, 404, -32001, 'TASK_NOT_FOUND'],
  ['POST', '/v1/message:send', '{', 400, -32700, 'PARSE_ERROR'],
  ['POST', '/v1/message:send', [], 400, -32600, 'INVALID_REQUEST'],
  ['POST', '/v1/message:send', {}, 400, -32602, 'INVALID_PARAMS'],
  ['POST', '/v1/message:send', message('', { role: 'user' }), 400, -32602, 'INVALID_PARAMS'],
  ['POST', '/v1/message:send', message('', { content: [{}] }), 400, -32602, 'INVALID_PARAMS'],
  ['GET', '/v1/tasks', undefined, 404, -32601, 'ROUTE_NOT_FOUND'],
  ['GET', '/hello/v1/tasks', undefined, 404, -32601, 'ROUTE_NOT_FOUND'],
  ['POST', '/nobody/v1/message:send', message('hi'), 404, -32601, 'AGENT_NOT_FOUND'],
  ['PUT', '/v1/message:send', {}, 405, -32600, 'METHOD_NOT_ALLOWED'],
  ['POST', '/frugal/v1/message:stream', message('hi'), 400, -32004, 'UNSUPPORTED_OPERATION'],
  ['GET', '/frugal/v1/tasks/t/pushNotificationConfigs', undefined, 400, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
])(
  'errors of A2A 0.3 over HTTP+JSON are objects with the status of native servers: %s %s %j',
  async (verb, path, body, status, code, reason) => {
    const answer = await call(verb, path, body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect(answer.body).toMatchObject({ code, message: expect.any(String) });
    const { details } = answer.body.data as { details: Json[] };
    expect(details[0]).toMatchObject({ reason, domain: 'a2a-protocol.org' });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  },
);

it('errors of A2A 0.3 over HTTP+JSON have the names that clients in Java and Python know', async () => {
  const { body } = await call('GET', '/v1/tasks/nope');
  expect(body).toMatchObject({ type: 'TaskNotFoundError', error: 'io.a2a.spec.TaskNotFoundError' });
  const { body: own } = await call('GET', '/hello/v1/tasks');
  expect(own).not.toHaveProperty('type');
  expect(own).not.toHaveProperty('error');
});

it.each([
  ['0.3', 201],
  ['0.3.0', 201],
  ['1.0', 400],
  ['99.0', 400],
])(
  'errors of A2A 0.3 over HTTP+JSON depend on the header A2A-Version: %s is answered with %d',
  async (version, status) => {
    const answer = await call('POST', '/v1/message:send', message('hi'), { 'a2a-version': version });
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body).toMatchObject({ code: -32009, data: { details: [{ reason: 'VERSION_NOT_SUPPORTED' }] } });
  },
);

it('extensions are declared and listed in the header of A2A 0.3', async () => {
  const refused = await call('POST', '/demanding/v1/message:send', message('hi'));
  expect([refused.status, refused.body.code]).toEqual([400, -32008]);
  const declared = { 'x-a2a-extensions': requiredExtension };
  const served = await call('POST', '/demanding/v1/message:send', message('hi'), declared);
  expect([served.status, served.headers.get('x-a2a-extensions')]).toEqual([201, requiredExtension]);
});
