import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamResponse, TaskState } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { shapes } from '../../../src/gen/a2a-0.3/shapes.ts';
import { readWith } from '../../../src/wire/validate.ts';
import { canonical, wireCards, wireValues } from '../../support/a2a-0.3-values.ts';
import { context, invalid, type Json, legacyDialect } from '../../support/legacy-dialect.ts';
import { describeIdentity } from '../../support/legacy-identity.ts';

const { dialect: a2a03, jsonrpc, method, decode, frames: framesOf } = legacyDialect('a2a-0.3');

const push = 'tasks/pushNotificationConfig';
const events = fc.oneof(
  ...['Task', 'Message', 'TaskStatusUpdateEvent', 'TaskArtifactUpdateEvent'].map((name) => wireValues(name)),
);
const frames = fc.array(
  events.map((data) => ({ data })),
  { maxLength: 5 },
);
/** v1 has one scheme, and no place for others. */
const oneScheme = (wire: unknown): unknown => {
  if (Array.isArray(wire)) return wire.map(oneScheme);
  const { pushNotificationConfig, ...rest } = wire as { pushNotificationConfig: Json };
  const { authentication, ...config } = pushNotificationConfig;
  const kept = authentication ? { authentication: { ...authentication, schemes: ['Bearer'] } } : {};
  return { ...rest, pushNotificationConfig: { ...config, ...kept } };
};
/** The configuration of a task that bears no name bears the task's. */
const named = (wire: unknown): unknown => {
  const params = wire as Json;
  return { ...params, pushNotificationConfigId: params.pushNotificationConfigId || params.id };
};

describeIdentity(a2a03, {
  canonical,
  types: {
    message: wireValues('Message'),
    task: wireValues('Task'),
    event: events,
    // Signatures are good for the very document that they sign: see below.
    card: wireCards('a2a-0.3').map((card) => ({ ...(card as Json), signatures: null })),
  },
  params: {
    'message/send': wireValues('MessageSendParams'),
    'message/stream': wireValues('MessageSendParams'),
    'tasks/get': wireValues('TaskQueryParams'),
    'tasks/cancel': wireValues('TaskIdParams'),
    'tasks/resubscribe': wireValues('TaskIdParams'),
    [`${push}/set`]: wireValues('TaskPushNotificationConfig'),
    [`${push}/get`]: wireValues('TaskPushNotificationConfigParams').filter((wire) => {
      const { id, pushNotificationConfigId } = wire as Json;
      return id !== pushNotificationConfigId;
    }),
    [`${push}/list`]: wireValues('TaskIdParams'),
    [`${push}/delete`]: wireValues('TaskPushNotificationConfigParams').map(named),
    'agent/getAuthenticatedExtendedCard': fc.constant(undefined),
  },
  results: {
    'message/send': fc.oneof(wireValues('Task'), wireValues('Message')),
    'tasks/get': wireValues('Task'),
    'tasks/cancel': wireValues('Task'),
    [`${push}/set`]: wireValues('TaskPushNotificationConfig').map(oneScheme),
    [`${push}/get`]: wireValues('TaskPushNotificationConfig').map(oneScheme),
    [`${push}/list`]: wireValues('TaskPushNotificationConfigs').map(oneScheme),
    [`${push}/delete`]: fc.constant(null),
  },
  streams: { 'message/stream': frames, 'tasks/resubscribe': frames },
});

const message = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };

test('requests of A2A 0.3 clients wait unless they say that they do not', () => {
  const returnImmediately = (configuration: unknown) =>
    (decode('message/send', { message, configuration }).request as { configuration?: Json }).configuration
      ?.returnImmediately;
  for (const waiting of [undefined, null, {}, { blocking: true }, { blocking: null }]) {
    expect(returnImmediately(waiting)).toBeUndefined();
  }
  expect(returnImmediately({ blocking: false })).toBe(true);
});

test('requests of A2A 0.3 clients ask for the whole history with a length of 0', () => {
  for (const historyLength of [undefined, null, 0]) {
    const message = { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'x' }] };
    const sent = decode('message/send', { message, configuration: { historyLength } });
    expect(sent.request).toMatchObject({ configuration: {} });
    expect(sent.request).not.toHaveProperty('configuration.historyLength');
    expect(decode('tasks/get', { id: 't', historyLength }).request).toEqual({ id: 't' });
  }
  const losses = new Set<string>();
  const none = { request: { id: 't', historyLength: 0 } } as never;
  expect(method('tasks/get').request.encode(none, { losses })).toEqual({ id: 't', historyLength: 0 });
  expect([...losses]).toEqual(['historyLength']);
});

test('requests to agents of A2A 0.3 say explicitly whether they wait', () => {
  const v1 = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } };
  const encode = (configuration?: object) =>
    (method('message/send').request.encode({ request: { ...v1, configuration } as never }, context()) as Json)
      .configuration;
  expect(encode()).toBeUndefined();
  expect(encode({})).toEqual({ blocking: true });
  expect(encode({ returnImmediately: true, historyLength: 0 })).toEqual({ blocking: false, historyLength: 0 });
});

test('requests of A2A 0.3 clients may leave out the kind of a message', () => {
  const bare = { messageId: 'm', role: 'user', parts: [{ text: 'hi' }, { file: { uri: 'x:y' } }, { data: {} }] };
  expect(decode('message/send', { message: bare }).request).toEqual({
    message: {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'hi' }, { url: 'x:y' }, { data: {} }],
    },
  });
});

test('requests of A2A 0.3 clients may call the URI of a file its URL, and send lists as data', () => {
  const parts = [{ file: { url: 'x:y', name: 'y' } }, { kind: 'data', data: [1, {}] }];
  expect(decode('message/send', { message: { ...message, parts } }).request).toMatchObject({
    message: { parts: [{ url: 'x:y', filename: 'y' }, { data: [1, {}] }] },
  });
});

test('requests of A2A 0.3 clients may be written in snake_case, what is the caller’s own apart', () => {
  const params = {
    message: {
      message_id: 'm1',
      context_id: 'c1',
      role: 'user',
      parts: [{ file: { bytes: 'aGk', mime_type: 'text/plain' } }, { data: { task_id: 7 } }],
      metadata: { context_id: 1 },
    },
    configuration: { accepted_output_modes: ['text/plain'], history_length: 2 },
  };
  expect(decode('message/send', params).request).toEqual({
    message: {
      messageId: 'm1',
      contextId: 'c1',
      role: 'ROLE_USER',
      parts: [{ raw: 'aGk=', mediaType: 'text/plain' }, { data: { task_id: 7 } }],
      metadata: { context_id: 1 },
    },
    configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2 },
  });
  expect(decode(`${push}/get`, { id: 't', push_notification_config_id: 'c' }).request).toEqual({
    taskId: 't',
    id: 'c',
  });
});

test.each([
  ['a part of 0.1', { ...message, parts: [{ type: 'text', text: 'hi' }] }, 'message.parts[0].kind'],
  ['a part of AgentVault', { ...message, parts: [{ type: 'text', content: 'hi' }] }, 'message.parts[0]'],
  ['a part of 1.0', { ...message, parts: [{ kind: 'text', text: 'x' }, { url: 'x:y' }] }, 'message.parts[1]'],
  ['a part that is two things', { ...message, parts: [{ text: 'hi', data: {} }] }, 'message.parts[0].kind'],
  ['bytes that are not base64', { ...message, parts: [{ file: { bytes: '%' } }] }, 'message.parts[0].file.bytes'],
  ['a role of 1.0', { ...message, role: 'ROLE_USER' }, 'message.role'],
  ['a role of AgentVault', { ...message, role: 'system' }, 'message.role'],
  ['another kind', { ...message, kind: 'task' }, 'message.kind'],
  ['no parts', { kind: 'message', messageId: 'm', role: 'user' }, 'message.parts'],
  ['no id', { ...message, messageId: undefined }, 'message.messageId'],
  ['an empty id', { ...message, messageId: '' }, 'message.messageId'],
])('a fault in a request of A2A 0.3 is named: %s', (_what, wrong, field) => {
  for (const name of ['message/send', 'message/stream']) {
    expect(() => decode(name, { message: wrong })).toThrow(invalid(field));
  }
});

test("the gateway's own keys do not come in", () => {
  const own = { 'a2a-gateway/a2a-0.3': { final: true }, 'a2a-gateway/agentvault-0.2': {} };
  const params = {
    message: { ...message, metadata: own, parts: [{ kind: 'text', text: 'hi', metadata: { ...own, a: 1 } }] },
    metadata: own,
  };
  expect(decode('message/send', params).request).toEqual({
    message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] },
  });
  for (const name of ['tasks/get', 'tasks/resubscribe', 'tasks/cancel']) {
    const { request, preserved: kept } = decode(name, { id: 't', metadata: own });
    expect([request, kept]).toEqual([{ id: 't' }, undefined]);
  }
});

test('clients of A2A 0.3 get the task itself if they resubscribe to one that is over', () => {
  expect(decode('tasks/resubscribe', { id: 't' })).toEqual({ request: { id: 't' }, semantics: { endedToo: true } });
});

test('a configuration without a name has that of its task', () => {
  expect(decode(`${push}/get`, { id: 't' }).request).toEqual({ taskId: 't', id: 't' });
  expect(decode(`${push}/delete`, { id: 't' }).request).toEqual({ taskId: 't', id: 't' });
  const encode = (name: string) =>
    method(`${push}/${name}`).request.encode({ request: { taskId: 't', id: 't' } as never }, context());
  expect(encode('get')).toEqual({ id: 't' });
  expect(encode('delete')).toEqual({ id: 't', pushNotificationConfigId: 't' });
});

const ids = { taskId: 't1', contextId: 'c1' };
const status = (state: TaskState, metadata?: Json): StreamResponse => ({
  statusUpdate: { ...ids, status: { state }, ...(metadata && { metadata }) },
});

describe('streams of A2A 0.3', () => {
  const written = (name: string, event: StreamResponse) => {
    const [frame] = framesOf(name, [event]);
    expect(frame?.event).toBeUndefined();
    return JSON.parse(frame?.data ?? '') as Json;
  };

  test.each<[TaskState, boolean, boolean]>([
    ['TASK_STATE_SUBMITTED', false, false],
    ['TASK_STATE_WORKING', false, false],
    ['TASK_STATE_INPUT_REQUIRED', true, false],
    ['TASK_STATE_AUTH_REQUIRED', true, false],
    ['TASK_STATE_COMPLETED', true, true],
    ['TASK_STATE_FAILED', true, true],
    ['TASK_STATE_CANCELED', true, true],
    ['TASK_STATE_REJECTED', true, true],
    ['TASK_STATE_UNSPECIFIED', false, false],
  ])('a status %s ends a stream of A2A 0.3: %s when sent, %s when subscribed', (state, sent, subscribed) => {
    expect(written('message/stream', status(state)).final).toBe(sent);
    expect(written('tasks/resubscribe', status(state)).final).toBe(subscribed);
  });

  test('what the wire said of its end is kept where the state does not say it', () => {
    const decoder = method('tasks/resubscribe').stream?.decoder(context());
    const read = (wire: Json) => decoder?.decode({ data: wire })[0]?.statusUpdate;
    const wire = { kind: 'status-update', ...ids, status: { state: 'working' }, final: true };
    expect(read(wire)?.metadata).toEqual({ 'a2a-gateway/a2a-0.3': { final: true } });
    expect(read({ ...wire, final: false })).not.toHaveProperty('metadata');
    expect(read({ ...wire, status: { state: 'completed' } })).not.toHaveProperty('metadata');
    expect(read({ ...wire, status: { state: 'napping' }, final: false })).toMatchObject({
      status: { state: 'TASK_STATE_UNSPECIFIED' },
      metadata: { 'a2a-gateway/a2a-0.3': { state: 'napping' } },
    });
  });

  test('a state that was kept counts for an unspecified one only, and is not sent', () => {
    const kept = { 'a2a-gateway/a2a-0.3': { state: 'napping' }, a: 1 };
    expect(written('message/stream', status('TASK_STATE_UNSPECIFIED', kept))).toMatchObject({
      status: { state: 'napping' },
      metadata: { a: 1 },
    });
    expect(written('message/stream', status('TASK_STATE_WORKING', kept))).toMatchObject({
      status: { state: 'working' },
    });
  });

  test('events without a kind are recognized by their shape', () => {
    const event = a2a03.types.event;
    const read = (wire: unknown) => Object.keys(event?.decode(wire, context()) as Json);
    expect(read({ ...ids, artifact: { artifactId: 'a', parts: [] } })).toEqual(['artifactUpdate']);
    expect(read({ ...ids, status: { state: 'working' } })).toEqual(['statusUpdate']);
    expect(read({ id: 't', status: { state: 'working' } })).toEqual(['task']);
    expect(read({ role: 'agent', parts: [] })).toEqual(['message']);
    for (const wrong of [null, 7, [], {}, { kind: 'toString' }, { kind: 'thing' }]) {
      expect(() => read(wrong)).toThrow(invalid('kind'));
    }
    expect(() => method('message/send').result?.decode({ ...ids, status: { state: 'working' } }, context())).toThrow(
      invalid('kind'),
    );
  });

  test('an error is an envelope under the same id', () => {
    const [frame, ...others] = jsonrpc.stream.error(A2AError.taskNotFound('t1'), 7);
    expect([others, frame?.event]).toEqual([[], undefined]);
    const { id, error } = JSON.parse(frame?.data ?? '') as { id: unknown; error: { code: number } };
    expect([id, error.code]).toEqual([7, -32001]);
    expect(jsonrpc.stream).toMatchObject({ enveloped: true, refusedAsStream: true });
  });
});

describe('parts', () => {
  const roundTrip = (part: Json) => {
    const v1 = { messageId: 'm', role: 'ROLE_AGENT', parts: [part] };
    const cx = context();
    const wire = a2a03.types.message?.encode(v1, cx) as { parts: Json[] };
    expect(readWith(shapes, 'Message', wire).issues).toEqual([]);
    return { wire: wire.parts[0], losses: [...cx.losses], back: a2a03.types.message?.decode(wire, context()) };
  };

  test.each<[Json, Json]>([
    [{ data: 7 }, { value: 7 }],
    [{ data: null }, { value: null }],
    [{ data: [1], metadata: { a: 1 } }, { value: [1] }],
  ])('the part %j is wrapped as the official SDKs wrap it', (part, data) => {
    const { wire, back } = roundTrip(part);
    expect(wire).toMatchObject({ kind: 'data', data, metadata: { data_part_compat: true } });
    expect(back).toMatchObject({ parts: [part] });
  });

  test('parts that have no place are listed', () => {
    expect(roundTrip({ text: 'x', mediaType: 'text/markdown' }).losses).toEqual(['parts.mediaType']);
    expect(roundTrip({ data: {}, filename: 'a.json' }).losses).toEqual(['parts.filename']);
    expect(roundTrip({ raw: 'aGk=', mediaType: 'text/plain', filename: 'a' }).losses).toEqual([]);
  });
});

test('times come in any form of ISO 8601, and faulty ones are named', () => {
  const read = (timestamp: string) =>
    a2a03.types.task?.decode({ id: 't', status: { state: 'working', timestamp } }, context());
  const at = (timestamp: string) => ({ status: { timestamp } });
  expect(read('2026-01-01T00:00:00.123456')).toMatchObject(at('2026-01-01T00:00:00.123Z'));
  expect(read('2026-01-01T02:00:00+02:00')).toMatchObject(at('2026-01-01T00:00:00.000Z'));
  expect(read('2026-01-01 00:00:00+0000')).toMatchObject(at('2026-01-01T00:00:00.000Z'));
  for (const wrong of ['soon', '2026-02-30T00:00:00.000Z', '12:00']) {
    expect(() => read(wrong)).toThrow(invalid('status.timestamp'));
  }
});

test.each([
  [-32001, 'taskNotFound'],
  [-32004, 'unsupportedOperation'],
  [-32006, 'invalidAgentResponse'],
  [-32007, 'extendedAgentCardNotConfigured'],
  [-32603, 'internal'],
  [-32000, 'agentError'],
])('code %d alone is %s', (code, kind) => {
  expect(jsonrpc.error.decode({ code, message: 'no', data: [{ loc: ['x'] }] }, context())).toMatchObject({
    kind,
    message: 'no',
  });
});
