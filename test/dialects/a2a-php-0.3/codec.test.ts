import { describe, expect, test } from 'vitest';
import type { StreamResponse, Task, TaskState } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { detect } from '../../../src/dialects/kernel/detect.ts';
import type { Dialect } from '../../../src/dialects/kernel/dialect.ts';
import { states } from '../../support/a2a-php-0.3-states.ts';
import { context, dialects, type Json, legacyDialect } from '../../support/legacy-dialect.ts';

const { dialect, jsonrpc, method, decode: request, frames: framesOf } = legacyDialect('a2a-php-0.3');

describe('other spellings are read', () => {
  const part = (wire: Json) => {
    const message = { messageId: 'm', role: 'user', parts: [wire] };
    const v1 = dialect.types.message?.decode(message, context()) as { parts: Json[] } | undefined;
    return v1?.parts[0];
  };

  test.each<[Json, Json]>([
    [{ kind: 'text', text: 'a' }, { text: 'a' }],
    [{ type: 'text', content: 'a' }, { text: 'a' }],
    [{ content: 'a' }, { text: 'a' }],
    [{ text: 7 }, { text: '7' }],
    [{}, { text: '' }],
    [{ kind: 'file', file: { uri: 'https://x.example' } }, { url: 'https://x.example' }],
    [
      { type: 'file', file: { url: 'https://x.example', name: 'n' } },
      { url: 'https://x.example', filename: 'n' },
    ],
    [{ file: { href: 'https://x.example', mimeType: 'a/b' } }, { url: 'https://x.example', mediaType: 'a/b' }],
    [{ kind: 'file', file: { bytes: 'aGk=', uri: 'https://x.example' } }, { raw: 'aGk=' }],
    [{ kind: 'data', data: [] }, { data: {} }],
    [{ kind: 'data', data: [1, 2], metadata: [] }, { data: [1, 2] }],
    [
      { data: { a: 1 }, metadata: { b: 2 } },
      { data: { a: 1 }, metadata: { b: 2 } },
    ],
  ])('the spelling %j is read', (wire, v1) => {
    expect(part(wire)).toEqual(v1);
  });

  test.each<[Json, RegExp]>([
    [{ kind: 'odd', text: 'a' }, /parts\[0\]\.kind/],
    [{ kind: 'file' }, /parts\[0\]\.file/],
    [{ kind: 'file', file: {} }, /parts\[0\]\.file/],
    [{ kind: 'data' }, /parts\[0\]\.data/],
    [{ type: 'text', content: { a: 1 } }, /parts\[0\]\.content/],
    [{ kind: 'text', text: 'a', metadata: [1] }, /parts\[0\]\.metadata/],
  ])('the spelling %j is refused', (wire, where) => {
    expect(() => part(wire)).toThrow(where);
  });

  test.each(Object.entries(states))('the state %s is written as the server writes it', (name, written) => {
    const task = { id: 't', contextId: 'c', status: { state: name } };
    const v1 = dialect.types.task?.decode(task, context());
    expect(dialect.types.task?.encode(v1, context())).toMatchObject({ status: { state: written } });
  });

  test('a state that only another dialect knows is unknown, which the enumeration of real clients has', () => {
    const task = {
      id: 't',
      status: { state: 'TASK_STATE_UNSPECIFIED' },
      metadata: { 'a2a-gateway/a2a-0.3': { state: 'dreaming' } },
    };
    expect(dialect.types.task?.encode(task, context())).toMatchObject({ status: { state: 'unknown' } });
  });

  test('the task is read by either name', () => {
    for (const name of ['id', 'taskId']) {
      expect(request('tasks/get', { [name]: 't' })).toEqual({ request: { id: 't' } });
      expect(request('tasks/cancel', { [name]: 't' })).toEqual({ request: { id: 't' } });
      expect(request('tasks/resubscribe', { [name]: 't' })).toMatchObject({ request: { id: 't' } });
      expect(request('tasks/pushNotificationConfig/get', { [name]: 't' })).toMatchObject({ request: { taskId: 't' } });
      const set = { [name]: 't', pushNotificationConfig: { url: 'https://x.example' } };
      expect(request('tasks/pushNotificationConfig/set', set)).toMatchObject({ request: { taskId: 't', id: 't' } });
    }
  });

  test('the length of the history is read in each spelling', () => {
    const length = (historyLength: unknown) => request('tasks/get', { id: 't', historyLength }).request;
    expect(length('5')).toEqual({ id: 't', historyLength: 5 });
    expect(length(2)).toEqual({ id: 't', historyLength: 2 });
    expect(length(0)).toEqual({ id: 't', historyLength: 0 });
    expect(length(null)).toEqual({ id: 't' });
    for (const bad of [-1, '-1'])
      expect(() => length(bad)).toThrow('historyLength must be greater than or equal to zero');
    for (const bad of ['many', '', '99999999999'])
      expect(() => length(bad)).toThrow('historyLength must be an integer');
    for (const bad of [1.5, true, {}]) expect(() => length(bad)).toThrow(/historyLength/);
  });
});

describe('methods and what they mean', () => {
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };

  test('members that the caller adds are kept', () => {
    const params = { from: 'me', message, trace: { a: 1 } };
    const decoded = request('message/send', params);
    expect(decoded).toMatchObject({
      request: { metadata: { 'a2a-gateway/a2a-php-0.3': { params: { from: 'me', trace: { a: 1 } } } } },
      semantics: { namesTask: true },
    });
    expect(method('message/send').request.encode(decoded, context())).toEqual(params);
    expect(method('message/stream').request.decode(params, context())).toEqual(decoded);
  });

  test('tasks/send chooses the id, and leaves out what its server does not heed', () => {
    const params = { id: 'mine', message, sessionId: 's', historyLength: 0, metadata: { a: 1 } };
    const decoded = request('tasks/send', params);
    expect(decoded).toMatchObject({
      request: { message: { taskId: 'mine' }, metadata: { a: 1 } },
      semantics: { namesTask: true, tasksOnly: true },
    });
    expect(decoded.request).not.toHaveProperty('configuration');
    expect(method('tasks/send').request.encode(decoded, context())).toEqual(params);
  });

  test('ids that cannot be chosen are refused', () => {
    for (const id of ['a b', 'ä', 'x'.repeat(129), 'a/b']) {
      expect(() => request('tasks/send', { id, message })).toThrow(/id/);
      expect(() => request('message/send', { message: { ...message, taskId: id } })).toThrow(/message\.taskId/);
    }
  });

  test('each other method means its operation', () => {
    expect(request('tasks/resubscribe', { id: 't' }).semantics).toEqual({ replay: 'snapshot' });
    expect(request('tasks/pushNotificationConfig/list', undefined)).toMatchObject({
      request: { taskId: '' },
      semantics: { everyTask: true, wholeList: true },
    });
    expect(request('tasks/pushNotificationConfig/list', { id: 't' }).semantics).toEqual({ wholeList: true });
    expect(request('tasks/pushNotificationConfig/delete', { id: 't' })).toEqual({
      request: { taskId: 't', id: 't' },
      semantics: { mustExist: true },
    });
    expect(request('agent/getAuthenticatedExtendedCard', undefined).semantics).toEqual({ authenticated: true });
  });

  test('no configuration is null, and no task has none', () => {
    const instead = (name: string, error: A2AError) => method(name).result?.fromError?.(error);
    const none = new A2AError('taskNotFound', undefined, { metadata: { taskId: 't', pushNotificationConfigId: 't' } });
    expect(instead('tasks/pushNotificationConfig/get', none)).toEqual({ taskId: 't', pushNotificationConfig: null });
    expect(instead('tasks/pushNotificationConfig/get', A2AError.taskNotFound('t'))).toBeUndefined();
    expect(instead('tasks/pushNotificationConfig/list', A2AError.taskNotFound('t'))).toEqual([]);
    expect(instead('tasks/pushNotificationConfig/delete', none)).toBeUndefined();
  });

  test('two methods are answered on the spot', () => {
    const card = { name: 'an agent' };
    expect(jsonrpc.local?.get('ping')?.({ card: () => card })).toEqual({ status: 'pong' });
    expect(jsonrpc.local?.get('get_agent_card')?.({ card: () => card })).toBe(card);
  });
});

describe('faults in the words of the server', () => {
  const fault = (name: string, params: unknown) => {
    try {
      request(name, params);
    } catch (thrown) {
      const { code, message } = jsonrpc.error.encode(A2AError.from(thrown), context());
      return { code, message };
    }
    throw new Error('was accepted');
  };

  test.each<[string, unknown, number, string]>([
    ['tasks/get', {}, -32602, 'Missing task ID'],
    ['tasks/get', undefined, -32602, 'Missing task ID'],
    ['tasks/cancel', { id: '' }, -32006, 'Missing task ID'],
    ['tasks/resubscribe', {}, -32602, 'Task ID is required for resubscription'],
    ['tasks/send', { message: {} }, -32602, 'Task ID and message are required'],
    ['tasks/send', { id: 't' }, -32602, 'Task ID and message are required'],
    ['message/send', {}, -32602, 'Invalid or missing message payload'],
    ['message/send', { message: 'hi' }, -32602, 'Invalid or missing message payload'],
    [
      'message/send',
      { message: { messageId: 'm', role: 'user', parts: [] } },
      -32602,
      'Message parts must be a non-empty array',
    ],
    ['tasks/pushNotificationConfig/set', { taskId: 't' }, -32602, 'Missing required parameters'],
    ['tasks/pushNotificationConfig/get', {}, -32602, 'Missing task ID'],
    ['tasks/pushNotificationConfig/delete', {}, -32602, 'Task ID is required'],
  ])('the fault of %s %j has the words of the server', (name, params, code, message) => {
    expect(fault(name, params)).toEqual({ code, message });
  });

  test('a task without an id is a fault of the parameters, whatever its code', () => {
    const back = jsonrpc.error.decode({ code: -32006, message: 'Missing task ID' }, context());
    expect(back).toMatchObject({ kind: 'invalidParams', violations: [{ field: 'id' }] });
    expect(jsonrpc.error.decode({ code: -32006, message: 'Nonsense' }, context()).kind).toBe('invalidAgentResponse');
  });

  test("callers who are not known get the server's refusal", () => {
    expect(jsonrpc.error.encode(new A2AError('unauthenticated'), context()).code).toBe(-32007);
    expect([401, 403].some((status) => jsonrpc.errorStatuses.has(status))).toBe(false);
    expect(jsonrpc.unauthenticated?.(false, 'agent/getAuthenticatedExtendedCard')).toEqual({
      challenge: 'Bearer realm="A2A"',
      message: 'Authentication required for authenticated extended card',
    });
    expect(jsonrpc.unauthenticated?.(true, undefined)).toEqual({
      challenge: 'Bearer realm="A2A", error="invalid_token"',
      message: 'Invalid authentication credentials',
    });
    expect(jsonrpc.unauthenticated?.(false, 'message/send')).toEqual({ challenge: 'Bearer realm="A2A"' });
  });
});

describe('streams', () => {
  const status = (state: TaskState): StreamResponse => ({
    statusUpdate: { taskId: 't', contextId: 'c', status: { state } },
  });
  test('events have names, and the last one is empty', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'a' }] };
    const artifactUpdate = { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'a' }] } };
    const task: Task = { id: 't', status: { state: 'TASK_STATE_SUBMITTED' } };
    const frames = framesOf('message/stream', [
      { task },
      status('TASK_STATE_WORKING'),
      { artifactUpdate },
      { message },
    ]);
    expect(frames.map(({ event }) => event)).toEqual(['event', 'task-status', 'event', 'message', 'close']);
    expect(frames.at(-1)).toEqual({ event: 'close', data: '' });
  });

  test('a task that rests and that no status follows has its status at the end', () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' as const } };
    const update = { statusUpdate: { taskId: 't', contextId: 'c', status: task.status } };
    const frames = framesOf('message/stream', [{ task }], context());
    expect(frames.map(({ event }) => event)).toEqual(['event', 'task-status', 'close']);
    expect(JSON.parse(frames[1]?.data ?? '')).toEqual({
      kind: 'status-update',
      taskId: 't',
      contextId: 'c',
      status: { state: 'completed' },
      final: true,
    });
    const other = framesOf('message/stream', [{ task }, update], context());
    expect(other.map(({ event }) => event)).toEqual(['event', 'task-status', 'close']);
  });

  test('a replay has every message, then the whole task', () => {
    const history = ['a', 'b'].map((text) => ({ messageId: text, role: 'ROLE_USER', parts: [{ text }] }));
    const task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, history } as Task;
    const frames = framesOf('tasks/resubscribe', [{ task }]);
    expect(frames.map(({ event }) => event)).toEqual(['message', 'message', 'task-status', 'close']);
    expect(JSON.parse(frames[2]?.data ?? '')).toMatchObject({ kind: 'task', history: [{ messageId: 'a' }, {}] });
  });

  test('an error is an event, and the end follows', () => {
    const frames = jsonrpc.stream.error(A2AError.taskNotFound('t'), 7);
    expect(frames.map(({ event }) => event)).toEqual(['error', 'close']);
    expect(JSON.parse(frames[0]?.data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32001 } });
  });

  describe('a message before the task', () => {
    const said = (role: string, messageId: string) => ({
      kind: 'message',
      role,
      messageId,
      parts: [{ kind: 'text', text: messageId }],
    });
    const snapshot = { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' } };
    const update = { kind: 'status-update', taskId: 't', contextId: 'c', status: { state: 'working' }, final: false };

    /** Decodes a stream; the events in words. */
    function read(...frames: readonly object[]): string[] {
      const decoder = method('message/stream').stream?.decoder(context({ sent: 'mine' }));
      const events = [...frames.flatMap((data) => decoder?.decode({ data }) ?? []), ...(decoder?.end?.() ?? [])];
      return events.map(({ task, statusUpdate, message }) => {
        if (message) return `message ${message.messageId}`;
        const ids = [...(task?.history ?? []), statusUpdate?.status.message].map((one) => one?.messageId ?? '');
        return `${task ? 'task' : 'status'} ${ids.join(' ')}`.trim();
      });
    }

    test.each<[string, readonly object[], readonly string[]]>([
      ["the user's is history", [said('user', 'u'), snapshot], ['task']],
      ['the one that was sent is history, whatever its role', [said('agent', 'mine'), snapshot], ['task']],
      [
        'the whole history, then the task',
        [said('user', 'u'), said('agent', 'a'), said('user', 'mine'), snapshot],
        ['task'],
      ],
      [
        "the agent's is part of the task that follows",
        [said('user', 'mine'), said('agent', 'a'), snapshot],
        ['task a'],
      ],
      ['which may hold it itself', [said('agent', 'a'), { ...snapshot, history: [said('agent', 'a')] }], ['task a']],
      ['or goes before the status that follows', [said('agent', 'a'), update], ['status a', 'status']],
      ["the agent's alone is the answer", [said('user', 'mine'), said('agent', 'a')], ['message a']],
    ])('a message before the task: %s', (_, frames, expected) => expect(read(...frames)).toEqual(expected));
  });

  test('events that an executor publishes of its own are left out', () => {
    const decoder = method('message/stream').stream?.decoder(context());
    for (const data of ['text', 7, null, [1], { custom: true }, { kind: 'progress' }]) {
      expect(decoder?.decode({ event: 'event', data })).toEqual([]);
    }
    expect(() => decoder?.decode({ data: { kind: 'task' } })).toThrow(/id/);
  });
});

describe('the dialect of a request', () => {
  const claim = (name: string, params?: unknown) => dialect.claim?.(name, params, 1);
  const message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

  test('the dialect of a request is claimed by what only the PHP SDK says', () => {
    expect(claim('ping')).toBe(2);
    expect(claim('get_agent_card')).toBe(2);
    expect(claim('tasks/send', { id: 't', message })).toBe(0);
    expect(claim('tasks/send', { id: 't', message: { ...message, messageId: 'm' } })).toBe(2);
    expect(claim('tasks/send', { id: 't', message: { role: 'user', parts: [{ kind: 'text' }] } })).toBe(2);
    expect(claim('message/send', { message })).toBe(0);
    expect(claim('message/send', { from: 'me', message })).toBe(2);
    expect(claim('message/stream', { from: 'me', message })).toBe(2);
    expect(claim('tasks/get', { id: 't' })).toBe(0);
    for (const junk of [undefined, null, 7, [], 'x', { message: 7 }]) expect(claim('tasks/send', junk)).toBe(0);
  });

  test('the dialect of a request is found by methods that are answered on the spot, pinned or not', () => {
    const found = (input: { pinned?: Dialect }, name: string) =>
      detect(dialects, { ...input, method: name, params: undefined, id: 1 });
    for (const name of ['ping', 'get_agent_card']) {
      expect(found({}, name)).toMatchObject({ dialect: { name: 'a2a-php-0.3' }, local: expect.any(Function) });
      expect(found({ pinned: dialect }, name)).toMatchObject({ local: expect.any(Function) });
    }
    const other = dialects.byName.get('a2a-0.3') as Dialect;
    expect(found({ pinned: other }, 'ping')).toMatchObject({ error: { kind: 'methodNotFound' } });
  });

  test('the dialect of a request is theirs alone where no other dialect has the shape', () => {
    const sent = { id: 't', message: { ...message, kind: 'message', messageId: 'm' } };
    expect(detect(dialects, { method: 'tasks/send', params: sent, id: 1 })).toMatchObject({
      dialect: { name: 'a2a-php-0.3' },
    });
    expect(detect(dialects, { method: 'message/send', params: { message: sent.message }, id: 1 })).toMatchObject({
      dialect: { name: 'a2a-0.3' },
    });
  });
});

test('the card is read with the empty lists that PHP writes for objects', () => {
  const wire = {
    name: 'n',
    description: 'd',
    url: 'https://x.example/',
    version: '1',
    protocolVersion: '0.3.0',
    capabilities: { streaming: true, extensions: [{ uri: 'urn:x', params: [] }] },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    securitySchemes: [],
    security: [[]],
  };
  expect(dialect.card.decode(wire, context())).toMatchObject({
    supportedInterfaces: [{ url: 'https://x.example/', protocolBinding: 'JSONRPC', protocolVersion: 'a2a-php-0.3' }],
    capabilities: { streaming: true },
  });
  expect(
    dialects.default.card.decode({ ...wire, securitySchemes: {}, security: [], capabilities: {} }, context()),
  ).toMatchObject({
    supportedInterfaces: [{ protocolVersion: '0.3' }],
  });
});
