import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { A2AError } from '../../src/core/errors.ts';
import { detect } from '../../src/dialects/detect.ts';
import type { CodecContext, Dialect, Method } from '../../src/dialects/dialect.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { api } from '../../src/gen/a2a-v1/index.ts';
import type { StreamResponse, Task } from '../../src/gen/a2a-v1/types.ts';
import { wireCards } from '../support/a2a-0.3-values.ts';
import { type Definitions, valuesOf } from '../support/arbitrary-schema.ts';
import { describeIdentity, type WireFrame } from '../support/legacy-identity.ts';

const dialects = createDialects(api);
const dialect = dialects.byName.get('a2a-php-0.3') as Dialect;
const face = dialect.jsonrpc as NonNullable<Dialect['jsonrpc']>;
const { definitions } = JSON.parse(
  readFileSync(new URL('../../codegen/schemas/a2a-php-0.3.json', import.meta.url), 'utf8'),
) as { definitions: Definitions };

type Json = Record<string, unknown>;

const context = (): CodecContext => ({ losses: new Set() });
const method = (name: string): Method => face.methods.get(name) as Method;
const request = (name: string, params: unknown) => method(name).request.decode(params, context());
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Spellings of the states and the one that is written. */
const states: Readonly<Record<string, string>> = {
  submitted: 'submitted',
  working: 'working',
  'input-required': 'input-required',
  'auth-required': 'auth-required',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  rejected: 'rejected',
  unknown: 'unknown',
  cancelled: 'canceled',
  CANCELLED: 'canceled',
  input_required: 'input-required',
  awaiting_input: 'input-required',
  authentication_required: 'auth-required',
  'in-progress': 'working',
  processing: 'working',
  received: 'submitted',
  done: 'completed',
  success: 'completed',
  processed: 'completed',
  error: 'failed',
  frobnicated: 'unknown',
};
const spellings = Object.keys(states);

const sizeOf = (value: unknown): number => JSON.stringify(value ?? null).length;
const opaque: ReadonlySet<string> = new Set(['data', 'from', 'sessionId', 'pushNotification']);

/** What the schema's language cannot say: what belongs together in a part, ids, base64. */
function arranged(value: unknown, name = ''): unknown {
  if (name === 'metadata') return Array.isArray(value) ? [] : value;
  if (opaque.has(name)) return value;
  if (name === 'parts' && Array.isArray(value)) return value.map(arrangedPart);
  if (Array.isArray(value)) return value.map((item) => arranged(item));
  if (name === 'state') return spellings[sizeOf(value) % spellings.length];
  if (!isObject(value)) return value;
  const { kind: _, ...others } = value;
  const object = Object.fromEntries(Object.entries(others).map(([key, item]) => [key, arranged(item, key)]));
  // Parts alone have a kind that counts. An id that is left out is made up, and a last event that does not say so is one by its state.
  if ('role' in object) object.messageId = object.messageId || 'm';
  if ('status' in object && 'taskId' in object) object.final = object.final === true;
  return object;
}

/** A part that is one thing, by `kind`, by `type` or by its shape. */
function arrangedPart(value: unknown): unknown {
  const { text, content, file, data, metadata } = value as Json;
  const kept = metadata === undefined ? {} : { metadata: arranged(metadata, 'metadata') };
  const say = (kind: string) => [{ kind }, { type: kind }, {}][sizeOf(value) % 3];
  if (isObject(file) && [file.bytes, file.uri, file.url, file.href].some((part) => typeof part === 'string')) {
    const bytes = typeof file.bytes === 'string' ? { bytes: Buffer.from(file.bytes).toString('base64') } : {};
    return { ...say('file'), file: { ...file, ...bytes }, ...kept };
  }
  if (data) return { ...say('data'), data, ...kept };
  const said = content === undefined ? { text: text ?? '' } : { content: String(content) };
  return { ...say('text'), ...said, ...kept };
}

/** As it is written, without nulls and what is empty. */
function canonical(value: unknown, name = ''): unknown {
  if (name === 'parts' && Array.isArray(value)) return value.map(canonicalPart);
  if (Array.isArray(value)) return value.map((item) => canonical(item));
  if (name === 'state') return states[String(value)];
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => !(key === 'kind' || (key === 'blocking' && item === true)))
    .filter(([key, item]) => !((key === 'append' || key === 'lastChunk' || key === 'required') && item === false))
    .map(([key, item]) => [key, canonical(item, opaque.has(key) || key === 'metadata' ? '' : key)] as const)
    .filter(([, item]) => item !== null && item !== undefined && item !== '')
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .filter(([, item]) => !(isObject(item) && Object.keys(item).length === 0));
  return Object.fromEntries(entries);
}

function canonicalPart(value: unknown): unknown {
  const { kind: _, type: __, text, content, file, ...rest } = value as Json;
  if (isObject(file)) {
    const { bytes, uri, url, href, mimeType, name } = file;
    const where = typeof bytes === 'string' ? { bytes } : { uri: uri ?? url ?? href };
    return canonical({ ...rest, file: { ...where, mimeType, name } });
  }
  const said = text ?? content;
  return canonical(said === undefined ? rest : { ...rest, text: String(said) });
}

const values = (name: string): fc.Arbitrary<unknown> => valuesOf(definitions, name).map((value) => arranged(value));
const events = fc.oneof(
  values('Task').map((task) => ({ ...(task as Json), kind: 'task' })),
  values('TaskStatusUpdateEvent').map((update) => ({ ...(update as Json), kind: 'status-update' })),
  values('TaskArtifactUpdateEvent').map((update) => ({ ...(update as Json), kind: 'artifact-update' })),
  values('Message').map((message) => ({ ...(message as Json), kind: 'message' })),
);
const names: Readonly<Record<string, string>> = { 'status-update': 'task-status', message: 'message' };
const frame = (data: Json): WireFrame => ({ event: names[String(data.kind)] ?? 'event', data });
const close: WireFrame = { event: 'close', data: '' };

const streams = fc.oneof(
  values('Message').map((message) => [frame({ ...(message as Json), kind: 'message' }), close]),
  fc
    .tuple(values('Task'), fc.array(events, { maxLength: 4 }))
    .map(([task, rest]) => [frame({ ...(task as Json), kind: 'task' }), ...rest.map(frame), close]),
);
const replays = values('Task').map((value): WireFrame[] => {
  const task = value as Json;
  const messages = (task.history ?? []) as Json[];
  return [...messages.map((data) => ({ event: 'message', data })), { event: 'task-status', data: task }, close];
});

/** Parameters with ids that a caller may choose, and one name for the task. */
function params(name: string, own: 'id' | 'taskId' | undefined): fc.Arbitrary<unknown> {
  return values(name).map((value) => {
    const { id, taskId, message, configuration, historyLength, ...rest } = value as Json;
    const alias = own && sizeOf(value) % 2 === 0 ? 'taskId' : own;
    const length = historyLength === undefined || name === 'TaskSendParams' ? {} : { historyLength: sizeOf(rest) % 3 };
    return {
      ...rest,
      ...length,
      ...(own && { [name === 'TaskSendParams' ? 'id' : (alias as string)]: `t-${sizeOf(id ?? taskId)}` }),
      ...(isObject(message) && {
        message: {
          ...message,
          taskId: message.taskId ? 't-1' : null,
          parts: [{ text: 'x' }, ...((message.parts ?? []) as unknown[])],
        },
      }),
      ...(configuration !== undefined && { configuration: isObject(configuration) ? { blocking: false } : [] }),
    };
  });
}

/** Both names of the task are one, and the message of tasks/send need not repeat it. */
function canonicalParams(value: unknown): unknown {
  const plain = canonical(value);
  if (!isObject(plain)) return plain;
  const { id, taskId, ...rest } = plain;
  const named = id ?? taskId;
  if (rest.historyLength === 0) delete rest.historyLength;
  if (id !== undefined && isObject(rest.message)) delete rest.message.taskId;
  return named === undefined ? rest : { ...rest, id: named };
}

const oneScheme = (value: unknown): unknown => {
  const config = value as { taskId: string; pushNotificationConfig: Json | null };
  const { authentication, id, ...unnamed } = config.pushNotificationConfig ?? { url: 'https://example.com' };
  // A label that repeats the task's id says nothing.
  const rest = id === undefined || id === config.taskId ? unnamed : { ...unnamed, id };
  const schemes = authentication ? { authentication: { ...(authentication as Json), schemes: ['Bearer'] } } : {};
  return { ...config, pushNotificationConfig: { ...rest, ...schemes } };
};
const configs = values('TaskPushNotificationConfig').map(oneScheme);

describeIdentity(dialect, {
  types: {
    message: values('Message'),
    task: values('Task'),
    event: events,
    card: wireCards('a2a-0.3').map((card) => ({ ...(card as Json), signatures: null })),
  },
  params: {
    'message/send': params('MessageSendParams', undefined),
    'message/stream': params('MessageSendParams', undefined),
    'tasks/send': params('TaskSendParams', 'id'),
    'tasks/get': params('TaskQueryParams', 'id'),
    'tasks/cancel': params('TaskIdParams', 'id'),
    'tasks/resubscribe': params('TaskIdParams', 'id'),
    'tasks/pushNotificationConfig/set': params('SetPushNotificationConfigParams', 'id'),
  },
  results: {
    'message/send': events.filter((event) => 'role' in (event as Json) || 'id' in (event as Json)),
    'tasks/send': values('Task'),
    'tasks/get': values('Task'),
    'tasks/cancel': values('Task'),
    'tasks/pushNotificationConfig/set': configs,
    'tasks/pushNotificationConfig/get': configs,
    'tasks/pushNotificationConfig/list': fc.array(configs, { maxLength: 3 }),
  },
  streams: { 'message/stream': streams, 'tasks/resubscribe': replays },
  canonical: (wire) => (Array.isArray(wire) ? canonical(wire) : canonicalParams(wire)),
  numRuns: 100,
});

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
  ])('%j', (wire, v1) => {
    expect(part(wire)).toEqual(v1);
  });

  test.each<[Json, RegExp]>([
    [{ kind: 'odd', text: 'a' }, /parts\[0\]\.kind/],
    [{ kind: 'file' }, /parts\[0\]\.file/],
    [{ kind: 'file', file: {} }, /parts\[0\]\.file/],
    [{ kind: 'data' }, /parts\[0\]\.data/],
    [{ type: 'text', content: { a: 1 } }, /parts\[0\]\.content/],
    [{ kind: 'text', text: 'a', metadata: [1] }, /parts\[0\]\.metadata/],
  ])('%j is refused', (wire, where) => {
    expect(() => part(wire)).toThrow(where);
  });

  test.each(Object.entries(states))('the state %s', (name, written) => {
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

  test('the task by either name', () => {
    for (const name of ['id', 'taskId']) {
      expect(request('tasks/get', { [name]: 't' })).toEqual({ request: { id: 't' } });
      expect(request('tasks/cancel', { [name]: 't' })).toEqual({ request: { id: 't' } });
      expect(request('tasks/resubscribe', { [name]: 't' })).toMatchObject({ request: { id: 't' } });
      expect(request('tasks/pushNotificationConfig/get', { [name]: 't' })).toMatchObject({ request: { taskId: 't' } });
      const set = { [name]: 't', pushNotificationConfig: { url: 'https://x.example' } };
      expect(request('tasks/pushNotificationConfig/set', set)).toMatchObject({ request: { taskId: 't', id: 't' } });
    }
  });

  test('how much of the history', () => {
    const length = (historyLength: unknown) => request('tasks/get', { id: 't', historyLength }).request;
    expect(length('5')).toEqual({ id: 't', historyLength: 5 });
    expect(length(2)).toEqual({ id: 't', historyLength: 2 });
    // The server's own answer to 0 is the whole of it.
    expect(length(0)).toEqual({ id: 't' });
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

  test('whatever the caller says besides is kept', () => {
    const params = { from: 'me', message, trace: { a: 1 } };
    const decoded = request('message/send', params);
    expect(decoded).toMatchObject({
      request: { metadata: { 'a2a-gateway/a2a-php-0.3': { params: { from: 'me', trace: { a: 1 } } } } },
      implied: { namesTask: true },
    });
    expect(method('message/send').request.encode(decoded, context())).toEqual(params);
    expect(method('message/stream').request.decode(params, context())).toEqual(decoded);
  });

  test('tasks/send chooses the id, and leaves out what its server does not heed', () => {
    const params = { id: 'mine', message, sessionId: 's', historyLength: 0, metadata: { a: 1 } };
    const decoded = request('tasks/send', params);
    expect(decoded).toMatchObject({
      request: { message: { taskId: 'mine' }, metadata: { a: 1 } },
      implied: { namesTask: true, tasksOnly: true },
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

  test('the rest', () => {
    expect(request('tasks/resubscribe', { id: 't' }).implied).toEqual({ replay: 'snapshot' });
    expect(request('tasks/pushNotificationConfig/list', undefined)).toMatchObject({
      request: { taskId: '' },
      implied: { everyTask: true },
    });
    expect(request('tasks/pushNotificationConfig/list', { id: 't' })).not.toHaveProperty('implied');
    expect(request('tasks/pushNotificationConfig/delete', { id: 't' })).toEqual({
      request: { taskId: 't', id: 't' },
      implied: { mustExist: true },
    });
    expect(request('agent/getAuthenticatedExtendedCard', undefined).implied).toEqual({ authenticated: true });
  });

  test('no configuration is null, and no task has none', () => {
    const instead = (name: string, error: A2AError) => method(name).result?.fromError?.(error);
    const none = new A2AError('taskNotFound', undefined, { metadata: { taskId: 't', pushNotificationConfigId: 't' } });
    expect(instead('tasks/pushNotificationConfig/get', none)).toEqual({ taskId: 't', pushNotificationConfig: null });
    expect(instead('tasks/pushNotificationConfig/get', A2AError.taskNotFound('t'))).toBeUndefined();
    expect(instead('tasks/pushNotificationConfig/list', A2AError.taskNotFound('t'))).toEqual([]);
    expect(instead('tasks/pushNotificationConfig/delete', none)).toBeUndefined();
  });

  test('two are answered on the spot', () => {
    const card = { name: 'an agent' };
    expect(face.local?.get('ping')?.({ card: () => card })).toEqual({ status: 'pong' });
    expect(face.local?.get('get_agent_card')?.({ card: () => card })).toBe(card);
  });
});

describe('faults in the words of the server', () => {
  const fault = (name: string, params: unknown) => {
    try {
      request(name, params);
    } catch (thrown) {
      const { code, message } = face.error.encode(A2AError.from(thrown), context());
      return { code, message };
    }
    throw new Error('was accepted');
  };

  test.each<[string, unknown, number, string]>([
    ['tasks/get', {}, -32006, 'Missing task ID'],
    ['tasks/get', undefined, -32006, 'Missing task ID'],
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
  ])('%s %j', (name, params, code, message) => {
    expect(fault(name, params)).toEqual({ code, message });
  });

  test('a task without an id is a fault of the parameters, whatever its code', () => {
    const back = face.error.decode({ code: -32006, message: 'Missing task ID' }, context());
    expect(back).toMatchObject({ kind: 'invalidParams', violations: [{ field: 'id' }] });
    expect(face.error.decode({ code: -32006, message: 'Nonsense' }, context()).kind).toBe('invalidAgentResponse');
  });

  test('callers who are not known', () => {
    expect(face.error.encode(new A2AError('unauthenticated'), context()).code).toBe(-32007);
    expect([401, 403].some((status) => face.errorStatuses.has(status))).toBe(false);
    expect(face.unauthenticated?.(false, 'agent/getAuthenticatedExtendedCard')).toEqual({
      challenge: 'Bearer realm="A2A"',
      message: 'Authentication required for authenticated extended card',
    });
    expect(face.unauthenticated?.(true, undefined)).toEqual({
      challenge: 'Bearer realm="A2A", error="invalid_token"',
      message: 'Invalid authentication credentials',
    });
    expect(face.unauthenticated?.(false, 'message/send')).toEqual({ challenge: 'Bearer realm="A2A"' });
  });
});

describe('streams', () => {
  const status = (state: string) => ({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } });
  const framesOf = (name: string, list: readonly unknown[]) => {
    const encoder = method(name).stream?.encoder(context());
    const frames = list.flatMap((event, at) => [
      ...(encoder?.encode({ seq: at + 1, at: 0, event: event as StreamResponse, json: '' }) ?? []),
    ]);
    return [...frames, ...(encoder?.end?.() ?? [])];
  };

  test('events have names, and the last one is empty', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a' }] };
    const artifactUpdate = { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'a' }] } };
    const task = { id: 't', status: { state: 'TASK_STATE_SUBMITTED' } };
    const frames = framesOf('message/stream', [
      { task },
      status('TASK_STATE_WORKING'),
      { artifactUpdate },
      { message },
    ]);
    expect(frames.map(({ event }) => event)).toEqual(['event', 'task-status', 'event', 'message', 'close']);
    expect(frames.at(-1)).toEqual({ event: 'close', data: '' });
  });

  test('a replay tells every message, then the whole task', () => {
    const history = ['a', 'b'].map((text) => ({ messageId: text, role: 'ROLE_USER', parts: [{ text }] }));
    const task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, history } as Task;
    const frames = framesOf('tasks/resubscribe', [{ task }]);
    expect(frames.map(({ event }) => event)).toEqual(['message', 'message', 'task-status', 'close']);
    expect(JSON.parse(frames[2]?.data ?? '')).toMatchObject({ kind: 'task', history: [{ messageId: 'a' }, {}] });
  });

  test('an error is an event, and the end follows', () => {
    const frames = face.stream.error(A2AError.taskNotFound('t'), 7);
    expect(frames.map(({ event }) => event)).toEqual(['error', 'close']);
    expect(JSON.parse(frames[0]?.data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32001 } });
  });

  test('what an executor publishes of its own is left out', () => {
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

  test('is claimed by what only the PHP SDK says', () => {
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

  test('is found by methods that are answered on the spot, pinned or not', () => {
    const found = (input: { pinned?: Dialect }, name: string) =>
      detect(dialects, { ...input, method: name, params: undefined, id: 1 });
    for (const name of ['ping', 'get_agent_card']) {
      expect(found({}, name)).toMatchObject({ dialect: { name: 'a2a-php-0.3' }, local: expect.any(Function) });
      expect(found({ pinned: dialect }, name)).toMatchObject({ local: expect.any(Function) });
    }
    const other = dialects.byName.get('a2a-0.3') as Dialect;
    expect(found({ pinned: other }, 'ping')).toMatchObject({ error: { kind: 'methodNotFound' } });
  });

  test('is theirs alone where no other dialect has the shape', () => {
    const sent = { id: 't', message: { ...message, kind: 'message', messageId: 'm' } };
    expect(detect(dialects, { method: 'tasks/send', params: sent, id: 1 })).toMatchObject({
      dialect: { name: 'a2a-php-0.3' },
    });
    expect(detect(dialects, { method: 'message/send', params: { message: sent.message }, id: 1 })).toMatchObject({
      dialect: { name: 'a2a-0.3' },
    });
  });
});

describe('the card', () => {
  test('is read with the empty lists that PHP writes for objects', () => {
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
});
