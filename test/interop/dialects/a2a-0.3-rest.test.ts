import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { decodeSse } from '../../support/sse.ts';

/** A2A 0.3 over HTTP+JSON as its clients write it, from fetch alone. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

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

interface Frame {
  readonly event?: string;
  readonly data: Json;
}

async function* stream(verb: string, path: string, body?: unknown): AsyncGenerator<Frame, void> {
  const response = await fetch(gateway.origin + path, {
    method: verb,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  for await (const { event, data } of decodeSse(response.body as AsyncIterable<Uint8Array>)) {
    yield { ...(event && { event }), data: JSON.parse(data) as Json };
  }
}

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'm-1', role: 'ROLE_USER', content: [{ text }], ...more },
});

interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly { readonly parts: readonly Json[] }[];
  readonly history?: readonly Json[];
}

async function send(text: string, more: object = {}, path = '/v1/message:send'): Promise<Task> {
  const { status, body } = await call('POST', path, { ...message(text), ...more });
  expect(status).toBe(201);
  return body.task as Task;
}

/** What the JavaScript client writes for `blocking: false`. */
const atOnce = { configuration: {} };

describe('messages of A2A 0.3 over HTTP+JSON', () => {
  it('are answered with 201, in the shape of the proto', async () => {
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

  it('may be answered with a direct message', async () => {
    const { body } = await call('POST', '/v1/message:send', message('say hello'));
    expect(body.message).toMatchObject({ role: 'ROLE_AGENT', content: [{ text: 'hello' }] });
  });

  it('carry files, data and metadata in both directions', async () => {
    const content = [
      { text: 'look', metadata: { lang: 'en' } },
      { file: { fileWithBytes: 'aGVsbG8=', mimeType: 'text/plain', name: 'hello.txt' } },
      { file: { fileWithUri: 'https://example.com/a.png', mimeType: 'image/png' } },
      { data: { data: { answer: 42, list: [1, null] } } },
    ];
    const python = { 'user-agent': 'python-httpx/0.28.1' };
    const encoded = structuredClone(content) as [unknown, { file: { fileWithBytes: string } }];
    encoded[1].file.fileWithBytes = Buffer.from('aGVsbG8=').toString('base64');
    const { body } = await call('POST', '/v1/message:send', message('', { content: encoded }), python);
    expect((body.task as Task).artifacts?.[0]?.parts).toEqual(encoded);
    // Others are written to as the schema of 0.3.0 has it: it has neither metadata of parts nor names of files.
    const id = (body.task as Task).id;
    const answer = await call('GET', `/v1/tasks/${id}`);
    const [text, file, ...more] = content;
    expect((answer.body as unknown as Task).artifacts?.[0]?.parts).toEqual([
      { text: text?.text },
      { file: { fileWithBytes: file?.file?.fileWithBytes, mimeType: 'text/plain' } },
      ...more,
    ]);
    expect(answer.headers.get('a2a-gateway-loss')).toMatch(/artifacts\.parts\.metadata.*artifacts\.parts\.filename/);
  });

  it('are read with the field names of the proto', async () => {
    const { status, body } = await call('POST', '/v1/message:send', {
      request: { message_id: 'm', role: 'ROLE_USER', content: [{ text: 'say snake' }], context_id: 'c' },
      unknown_field: 1,
    });
    expect([status, body]).toMatchObject([201, { message: { content: [{ text: 'snake' }], contextId: 'c' } }]);
  });

  it.each([
    ['nothing', {}, 'TASK_STATE_COMPLETED'],
    ['blocking', { configuration: { blocking: true } }, 'TASK_STATE_COMPLETED'],
    ['not blocking', { configuration: { blocking: false } }, 'TASK_STATE_WORKING'],
    ['not blocking as printers of ProtoJSON write it', atOnce, 'TASK_STATE_WORKING'],
  ])('wait for the task as the configuration says: %s', async (_, configuration, state) => {
    expect((await send('slow 300', configuration)).status.state).toBe(state);
  });

  it.each(['/as/a2a-0.3', '/demo', '/demo/as/a2a-0.3', ''])('are served below %j', async (base) => {
    expect((await send('hi', {}, `${base}/v1/message:send`)).status.state).toBe('TASK_STATE_COMPLETED');
    const hello = await call('POST', '/hello/v1/message:send', message('I am Ada'));
    expect(JSON.stringify(hello.body)).toContain('Hello, Ada!');
  });
});

describe('streams of A2A 0.3 over HTTP+JSON', () => {
  const collect = async (frames: AsyncIterable<Frame>): Promise<Frame[]> => {
    const all: Frame[] = [];
    for await (const frame of frames) all.push(frame);
    return all;
  };

  it('are unnamed frames of bare events, the last one final', async () => {
    const frames = await collect(stream('POST', '/v1/message:stream', message('stream 3 0')));
    expect(frames.map(({ event, data }) => [event, Object.keys(data)[0]])).toEqual([
      [undefined, 'task'],
      [undefined, 'statusUpdate'],
      [undefined, 'artifactUpdate'],
      [undefined, 'artifactUpdate'],
      [undefined, 'artifactUpdate'],
      [undefined, 'statusUpdate'],
    ]);
    expect(frames[2]?.data.artifactUpdate).not.toHaveProperty('append');
    expect(frames[4]?.data.artifactUpdate).toMatchObject({ append: true, lastChunk: true });
    expect(frames[1]?.data.statusUpdate).not.toHaveProperty('final');
    expect(frames[5]?.data.statusUpdate).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, final: true });
  });

  it.each(['GET', 'POST'])('are resumed by %s', async (verb) => {
    const { id } = await send('wait', atOnce);
    const frames = stream(verb, `/v1/tasks/${id}:subscribe`);
    expect((await frames.next()).value).toMatchObject({ data: { task: { id } } });
    const canceled = await call('POST', `/v1/tasks/${id}:cancel`);
    expect([canceled.status, canceled.body]).toMatchObject([202, { id, status: { state: 'TASK_STATE_CANCELLED' } }]);
    const rest = await collect(frames);
    expect(rest.at(-1)?.data.statusUpdate).toMatchObject({ status: { state: 'TASK_STATE_CANCELLED' }, final: true });
  });

  it.each(['GET', 'POST'])('contain the finished task and end when resumed by %s', async (verb) => {
    const { id } = await send('hello');
    const frames = await collect(stream(verb, `/v1/tasks/${id}:subscribe`));
    expect(frames).toMatchObject([{ data: { task: { id, status: { state: 'TASK_STATE_COMPLETED' } } } }]);
  });

  it('are refused with a plain error response', async () => {
    const { status, body } = await call('POST', '/v1/message:stream', message('hi', { taskId: 'nope' }));
    expect([status, body]).toMatchObject([404, { code: -32001, message: 'Task not found: nope' }]);
  });
});

describe('tasks of A2A 0.3 over HTTP+JSON', () => {
  it('are returned with the requested length of history', async () => {
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

  it('are canceled with or without their name in the body', async () => {
    for (const body of [undefined, {}, 'null', 'by name'] as const) {
      const { id } = await send('wait', atOnce);
      const given = body === 'by name' ? { name: `tasks/${id}` } : body;
      expect((await call('POST', `/v1/tasks/${id}:cancel`, given)).status).toBe(202);
      const again = await call('POST', `/v1/tasks/${id}:cancel`);
      expect([again.status, again.body.code]).toEqual([409, -32002]);
    }
  });

  it('of A2A 1.0 clients are returned in the shape of 0.3', async () => {
    const sent = await fetch(`${gateway.origin}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'data' }] } }),
    });
    const { task } = (await sent.json()) as { task: Task };
    const { body } = await call('GET', `/v1/tasks/${task.id}`);
    expect(body).toMatchObject({
      contextId: task.contextId,
      artifacts: [{ parts: [{ data: { data: { answer: 42 } } }] }],
    });
  });
});

describe('push configurations of A2A 0.3 over HTTP+JSON', () => {
  const url = 'https://example.com/hook';
  const config = { id: 'cfg', url, token: 'tok', authentication: { schemes: ['Bearer'], credentials: 'secret' } };

  it.each([
    ['as the client in JavaScript', (name: string) => ({ name: `${name}/cfg`, pushNotificationConfig: config })],
    [
      'as the client in Python',
      (name: string) => ({
        parent: name.slice(0, name.lastIndexOf('/')),
        configId: 'cfg',
        config: { name: `${name}/cfg`, pushNotificationConfig: config },
      }),
    ],
    [
      'as the official kit',
      (name: string) => ({
        parent: name.slice(0, name.lastIndexOf('/')),
        config_id: 'cfg',
        config: { name: `${name}/cfg`, push_notification_config: config },
      }),
    ],
  ])('are created %s writes them, listed, read and deleted', async (_, body) => {
    const { id } = await send('ask');
    const base = `/v1/tasks/${id}/pushNotificationConfigs`;
    const name = `tasks/${id}/pushNotificationConfigs`;
    const created = await call('POST', base, body(name));
    const stored = { name: `${name}/cfg`, pushNotificationConfig: config };
    expect([created.status, created.body]).toEqual([201, stored]);
    expect((await call('GET', base)).body).toEqual({ configs: [stored] });
    expect((await call('GET', `${base}/cfg`)).body).toEqual(stored);
    expect((await call('DELETE', `${base}/cfg`)).status).toBe(204);
    expect((await call('GET', base)).body).toEqual({ configs: [] });
    expect((await call('GET', `${base}/cfg`)).status).toBe(404);
  });

  it('without an id get the id of their task', async () => {
    const { id } = await send('ask');
    const name = `tasks/${id}/pushNotificationConfigs`;
    const created = await call('POST', `/v1/${name}`, { name: `${name}/`, pushNotificationConfig: { url } });
    expect(created.body).toEqual({ name: `${name}/${id}`, pushNotificationConfig: { id, url } });
    for (const last of [id, 'undefined', 'None']) {
      expect((await call('GET', `/v1/${name}/${last}`)).body).toEqual(created.body);
    }
  });

  it('are found by the ids "undefined" and "None", which some clients send', async () => {
    const { id } = await send('ask');
    const base = `/v1/tasks/${id}/pushNotificationConfigs`;
    await call('POST', base, { id: 'cfg', url });
    for (const last of ['undefined', 'None']) {
      expect((await call('GET', `${base}/${last}`)).body).toMatchObject({ pushNotificationConfig: { id: 'cfg' } });
    }
    expect((await call('GET', `${base}/other`)).status).toBe(404);
  });

  it('are refused when their task differs from the path', async () => {
    const { id } = await send('ask');
    const body = { parent: 'tasks/other', config: { pushNotificationConfig: { url } } };
    const { status, body: refusal } = await call('POST', `/v1/tasks/${id}/pushNotificationConfigs`, body);
    expect([status, refusal.code]).toEqual([400, -32602]);
  });
});

describe('the extended card of A2A 0.3 over HTTP+JSON', () => {
  it('has the shape of the proto, with the fields that strict readers require', async () => {
    const { status, headers, body } = await call('GET', '/v1/card');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toMatchObject({
      protocolVersion: '0.3.0',
      description: expect.stringContaining('extended card'),
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true },
      defaultInputModes: expect.any(Array),
      defaultOutputModes: expect.any(Array),
      skills: [{ id: 'echo', tags: expect.any(Array) }, ...Array((body.skills as unknown[]).length - 1).fill({})],
      supportsAuthenticatedExtendedCard: true,
    });
    const transports = (body.additionalInterfaces as { transport: string }[]).map(({ transport }) => transport);
    expect(transports).toEqual(['JSONRPC', 'HTTP+JSON', 'GRPC']);
  });

  it('is refused for an agent without one', async () => {
    const { status, body } = await call('GET', '/frugal/v1/card');
    expect([status, body.code]).toEqual([400, -32004]);
  });
});

describe('errors of A2A 0.3 over HTTP+JSON', () => {
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
  ])('are objects with the status of native servers: %s %s %j', async (verb, path, body, status, code, reason) => {
    const answer = await call(verb, path, body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect(answer.body).toMatchObject({ code, message: expect.any(String) });
    const { details } = answer.body.data as { details: Json[] };
    expect(details[0]).toMatchObject({ reason, domain: 'a2a-protocol.org' });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('have the names that clients in Java and Python know', async () => {
    const { body } = await call('GET', '/v1/tasks/nope');
    expect(body).toMatchObject({ type: 'TaskNotFoundError', error: 'io.a2a.spec.TaskNotFoundError' });
    const { body: own } = await call('GET', '/hello/v1/tasks');
    expect(own).not.toHaveProperty('type');
    expect(own).not.toHaveProperty('error');
  });

  it.each([
    ['what it lacks', { message: { role: 'ROLE_USER' } }, ['message.messageId', 'message.content']],
    [
      'what the core finds',
      { ...message('hi'), configuration: { pushNotification: { url: 'ftp://a' } } },
      ['configuration.pushNotification.url'],
    ],
  ])('name fields as the client does: %s', async (_, sent, names) => {
    const { body } = await call('POST', '/v1/message:send', sent);
    const { details } = body.data as { details: { fieldViolations?: { field: string }[] }[] };
    const fields = details[1]?.fieldViolations;
    expect(fields?.map(({ field }) => field)).toEqual(names);
    expect(body.message).toContain(names[0]);
  });

  it.each([
    ['0.3', 201],
    ['0.3.0', 201],
    ['1.0', 400],
    ['99.0', 400],
  ])('depend on the header A2A-Version: %s is answered with %d', async (version, status) => {
    const answer = await call('POST', '/v1/message:send', message('hi'), { 'a2a-version': version });
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body).toMatchObject({ code: -32009, data: { details: [{ reason: 'VERSION_NOT_SUPPORTED' }] } });
  });
});

it('extensions are declared and listed in the header of A2A 0.3', async () => {
  const refused = await call('POST', '/demanding/v1/message:send', message('hi'));
  expect([refused.status, refused.body.code]).toEqual([400, -32008]);
  const served = await call('POST', '/demanding/v1/message:send', message('hi'), {
    'x-a2a-extensions': requiredExtension,
  });
  expect(served.status).toBe(201);
  expect(served.headers.get('x-a2a-extensions')).toBe(requiredExtension);
});
