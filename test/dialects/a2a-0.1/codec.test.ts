import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Artifact, StreamResponse, Task, TaskState } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { type Definitions, valuesOf } from '../../support/arbitrary-schema.ts';
import { context, invalid, isObject, type Json, legacyDialect, throughText } from '../../support/legacy-dialect.ts';
import { describeIdentity } from '../../support/legacy-identity.ts';

const { dialect, jsonrpc, method, frames } = legacyDialect('a2a-0.1');
const { definitions } = JSON.parse(
  readFileSync(new URL('../../../codegen/schemas/a2a-0.1.json', import.meta.url), 'utf8'),
) as { definitions: Definitions };

const resting = ['completed', 'failed', 'canceled', 'input-required'];

/** Sets `final` by the state where an event does not say whether it is the last. */
function withFinal(event: Json, last: readonly string[] = resting): Json {
  const { status, final } = event as { status?: { state: string }; final?: boolean | null };
  return status ? { ...event, final: final ?? last.includes(status.state) } : event;
}

/** A normal form of the value: without null and empty values and implied types, and with an `index` in artifacts. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const { type, ...rest } = value;
  const isPart = 'text' in value || 'file' in value || ('data' in value && isObject(value.data));
  const filled: Json = isPart && (type === null || typeof type === 'string') ? rest : { ...value };
  if ('parts' in filled && !('role' in filled)) filled.index ??= 0;
  if (filled.historyLength === 0) delete filled.historyLength;
  const entries = Object.entries(filled)
    .map(([key, item]) => [key, canonical(item)] as const)
    .filter(([, item]) => item !== null && item !== undefined && item !== '')
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .filter(([, item]) => !(isObject(item) && Object.keys(item).length === 0));
  return Object.fromEntries(entries);
}

/** Files are one of bytes and uri, which no schema of this kind can say; places are small. */
function realistic(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(realistic);
  if (!isObject(value)) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, realistic(item)]));
  if (isObject(object.file) && !('text' in object)) {
    const { bytes, uri, ...file } = object.file;
    const content = typeof uri === 'string' ? { uri: `https://example.com/${uri.length}` } : { bytes: 'aGk=' };
    object.file = { ...file, ...content, ...(bytes === null && { bytes: null, uri: 'https://example.com/' }) };
  }
  if (typeof object.index === 'number' && 'parts' in object) object.index = Math.abs(object.index) % 4;
  return object;
}

const values = (name: string): fc.Arbitrary<Json> =>
  valuesOf(definitions, name).map((value) => realistic(value) as Json);

/** The normal form of an event, with `final` by these last states, and of a card, with its default modes. */
const canonicalUntil =
  (last: readonly string[]) =>
  (wire: unknown): unknown => {
    if (Array.isArray(wire)) return wire.map(canonicalUntil(last));
    if (!isObject(wire)) return canonical(wire);
    if (isObject(wire.data)) return { data: canonicalUntil(last)(wire.data) };
    if (!isObject(wire.capabilities)) return canonical(withFinal(wire, last));
    const { stateTransitionHistory, ...capabilities } = wire.capabilities;
    return canonical({
      ...wire,
      capabilities: { ...capabilities, ...(stateTransitionHistory === true && { stateTransitionHistory }) },
      defaultInputModes: wire.defaultInputModes ?? ['text/plain'],
      defaultOutputModes: wire.defaultOutputModes ?? ['text/plain'],
    });
  };

const named = (definition: string, id: string) => values(definition).map((wire) => ({ ...wire, id }));
const updates = (id: string) => fc.oneof(named('TaskStatusUpdateEvent', id), named('TaskArtifactUpdateEvent', id));
const stream = fc.array(
  updates('t1').map((data) => ({ data })),
  { maxLength: 6 },
);

describeIdentity(dialect, {
  valid: true,
  types: {
    message: values('Message'),
    task: values('Task'),
    event: fc.oneof(values('TaskStatusUpdateEvent'), values('TaskArtifactUpdateEvent')),
    card: values('AgentCard'),
  },
  params: {
    'tasks/send': named('TaskSendParams', 't.1~x'),
    'tasks/sendSubscribe': named('TaskSendParams', 't.1~x'),
    'tasks/get': named('TaskQueryParams', 't.1~x'),
    'tasks/cancel': named('TaskIdParams', 't.1~x'),
    'tasks/resubscribe': named('TaskQueryParams', 't.1~x'),
    'tasks/pushNotification/set': named('TaskPushNotificationConfig', 't.1~x'),
    'tasks/pushNotification/get': named('TaskIdParams', 't.1~x'),
  },
  streams: { 'tasks/sendSubscribe': stream },
  canonical: canonicalUntil(resting),
});

describeIdentity(dialect, {
  streams: { 'tasks/resubscribe': stream },
  canonical: canonicalUntil(resting.slice(0, 3)),
});

const at = '2026-01-01T00:00:00.000Z';
const ids = { taskId: 't1', contextId: 'c1' };

function told(name: string, events: readonly StreamResponse[], cx = context()): Json[] {
  const all = frames(name, events, cx, Date.parse(at));
  expect(all.every(({ event }) => event === undefined)).toBe(true);
  return all.map(({ data }) => JSON.parse(data) as Json);
}

const artifact = (artifactId: string, text = artifactId): Artifact => ({ artifactId, parts: [{ text }] });
const chunk = (artifactId: string, over: { append?: boolean; lastChunk?: boolean } = {}): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: artifact(artifactId), ...over },
});
const state = (name: TaskState): StreamResponse => ({
  statusUpdate: { ...ids, status: { state: name, timestamp: at } },
});
const task = (name: TaskState, ...artifacts: Artifact[]): StreamResponse => ({
  task: { id: 't1', contextId: 'c1', status: { state: name, timestamp: at }, artifacts },
});
const indexes = (events: readonly Json[]) => events.flatMap(({ artifact: one }) => (isObject(one) ? [one.index] : []));

describe('streams for clients of A2A 0.1', () => {
  test('an artifact has the place at which it first appeared, in streams and in the task', () => {
    const events = [task('TASK_STATE_SUBMITTED'), chunk('b'), chunk('a'), chunk('b', { append: true }), chunk('c')];
    expect(indexes(told('tasks/sendSubscribe', events))).toEqual([0, 1, 0, 2]);
    const folded = throughText(events).reduce<Task | undefined>((before, event) => fold(before, event), undefined);
    const wire = dialect.types.task?.encode(folded, context());
    const { artifacts } = wire as { artifacts: Json[] };
    expect(artifacts.map(({ index, parts }) => [index, parts])).toEqual([
      [0, [expect.objectContaining({ text: 'b' }), expect.objectContaining({ text: 'b' })]],
      [1, [{ type: 'text', text: 'a' }]],
      [2, [{ type: 'text', text: 'c' }]],
    ]);
  });

  test('a stream that begins in the middle learns the places from its task, or from the task as it was', () => {
    const leading = task('TASK_STATE_WORKING', artifact('a'), artifact('b'));
    expect(indexes(told('tasks/resubscribe', [leading, chunk('b', { append: true }), chunk('c')]))).toEqual([
      0, 1, 1, 2,
    ]);
    const before = leading.task as Task;
    expect(method('tasks/resubscribe').request.decode({ id: 't1' }, context()).semantics).toEqual({
      needsBefore: true,
      heldAsWorking: true,
    });
    expect(indexes(told('tasks/resubscribe', [chunk('b', { append: true })], context({ before })))).toEqual([1]);
  });

  test('a stored index is not given to another artifact', () => {
    const kept = { ...artifact('artifact-1'), metadata: { 'a2a-gateway/a2a-0.1': { index: 1 } } };
    const events = [{ artifactUpdate: { ...ids, artifact: kept } }, chunk('x'), chunk('y')];
    expect(indexes(told('tasks/sendSubscribe', events))).toEqual([1, 0, 2]);
  });

  test('a task becomes its artifacts and its status', () => {
    expect(told('tasks/sendSubscribe', [task('TASK_STATE_COMPLETED', artifact('a'))])).toEqual([
      { id: 't1', artifact: { parts: [{ type: 'text', text: 'a' }], index: 0 } },
      { id: 't1', status: { state: 'completed', timestamp: at }, final: true },
    ]);
  });

  test('a message becomes a completed status', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'hi' }], ...ids };
    const said = { role: 'agent', parts: [{ type: 'text', text: 'hi' }] };
    expect(told('tasks/sendSubscribe', [{ message }])).toEqual([
      { id: 't1', status: { state: 'completed', message: said, timestamp: at }, final: true },
    ]);
  });

  test.each([
    ['TASK_STATE_SUBMITTED', 'submitted', false, false],
    ['TASK_STATE_WORKING', 'working', false, false],
    ['TASK_STATE_INPUT_REQUIRED', 'input-required', true, false],
    ['TASK_STATE_AUTH_REQUIRED', 'input-required', true, false],
    ['TASK_STATE_COMPLETED', 'completed', true, true],
    ['TASK_STATE_FAILED', 'failed', true, true],
    ['TASK_STATE_REJECTED', 'failed', true, true],
    ['TASK_STATE_CANCELED', 'canceled', true, true],
  ] as const)(
    'the state %s is %s for clients of A2A 0.1, and the last of a turn: %s, of a subscription: %s',
    (name, wire, ofTurn, ofTask) => {
      for (const [stream, final] of [
        ['tasks/sendSubscribe', ofTurn],
        ['tasks/resubscribe', ofTask],
      ] as const) {
        const [event] = told(stream, [state(name)]);
        expect(event).toMatchObject({ status: { state: wire }, final });
        const [back] = method(stream).stream?.decoder(context()).decode({ data: event }) ?? [];
        expect(back).toEqual({ statusUpdate: { ...ids, contextId: '', status: { state: name, timestamp: at } } });
      }
    },
  );

  test('an answered question is not sent again, which would end the stream', () => {
    const events = [task('TASK_STATE_INPUT_REQUIRED', artifact('a')), chunk('b'), state('TASK_STATE_COMPLETED')];
    const answered = told('tasks/sendSubscribe', events);
    expect(answered.map(({ final }) => final)).toEqual([undefined, true]);
    expect(indexes(answered)).toEqual([1]);
    const asked = told('tasks/sendSubscribe', [task('TASK_STATE_INPUT_REQUIRED')]);
    expect(asked).toEqual([{ id: 't1', status: { state: 'input-required', timestamp: at }, final: true }]);
  });

  test('an error is an answer among the events, without a name', () => {
    const [frame] = jsonrpc.stream.error(A2AError.taskNotFound('t1'), 'r1');
    expect(frame).not.toHaveProperty('event');
    expect(JSON.parse(frame?.data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 'r1', error: { code: -32001 } });
    expect(jsonrpc.stream).toMatchObject({ withoutIds: true, refusedAsStream: true });
  });

  test('what is neither status nor artifact is refused', () => {
    for (const data of [null, 7, [], {}, { id: 't1' }, { id: 't1', status: 'working' }]) {
      expect(() => method('tasks/resubscribe').stream?.decoder(context()).decode({ data })).toThrow(/status/);
    }
  });
});

describe('requests of clients of A2A 0.1', () => {
  const message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };
  const decode = (params: unknown, name = 'tasks/send') => method(name).request.decode(params, context());

  test('requests of clients of A2A 0.1 name their task, take only tasks, and want no history unless they say so', () => {
    const decoded = decode({ id: 't1', sessionId: 's1', message });
    expect(decoded.semantics).toEqual({ tasksOnly: true, namesTask: true, oneWebhook: true });
    expect(decoded.request).toEqual({
      message: {
        messageId: expect.stringMatching(/./),
        taskId: 't1',
        contextId: 's1',
        role: 'ROLE_USER',
        parts: [{ text: 'hi' }],
      },
      configuration: { historyLength: 0 },
    });
    expect(decode({ id: 't1' }, 'tasks/get').request).toEqual({ id: 't1', historyLength: 0 });
    const whole = method('tasks/get').request.encode({ request: { id: 't1' } }, context());
    expect(decode(whole, 'tasks/get').request).toEqual({ id: 't1' });
  });

  test.each(['a b', '', 'ä', 'a/b', 'x'.repeat(129), 'a\n', 7, null, undefined])(
    'clients of A2A 0.1 may not choose the id %j',
    (id) => {
      expect(() => decode({ id, message })).toThrow(invalid('id'));
    },
  );

  test.each(['a', 'A.b-c_d~9', 'x'.repeat(128)])('clients of A2A 0.1 may choose the id %j', (id) => {
    expect(decode({ id, message }).request).toMatchObject({ message: { taskId: id } });
  });

  test.each([
    [{ role: 'assistant', parts: [] }, 'message.role'],
    [{ role: 'user', parts: 7 }, 'message.parts'],
    [{ role: 'user', parts: [{ type: 'text', data: {} }] }, 'message.parts[0].text'],
    [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'a' },
          { type: 'file', file: {} },
        ],
      },
      'message.parts[1].file',
    ],
    [{ role: 'user', parts: [{ file: { bytes: 'aGk=', uri: 'https://a' } }] }, 'message.parts[0].file'],
    [{ role: 'user', parts: [{ file: { bytes: '§' } }] }, 'message.parts[0].file.bytes'],
  ])('a request of A2A 0.1 with %j is refused at %s', (bad, field) => {
    expect(() => decode({ id: 't1', message: bad })).toThrow(invalid(field));
  });

  test("the gateway's own keys do not come in, but for what another gateway says of a state or a value", () => {
    const metadata = { 'a2a-gateway/a2a-0.1': { empty: true }, 'a2a-gateway/x': 1, k: 'v' };
    expect(decode({ id: 't1', message: { ...message, metadata }, metadata }).request).toMatchObject({
      message: { metadata: { k: 'v' }, parts: [{ text: 'hi' }] },
      metadata: { k: 'v' },
    });
    const forged = {
      id: 't1',
      status: { state: 'completed' },
      metadata: { 'a2a-gateway/a2a-1.0': { state: 'TASK_STATE_REJECTED' } },
    };
    expect(dialect.types.task?.decode(forged, context())).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  test('a missing id is generated for the agent, and counts as no loss', () => {
    const cx = context();
    const v1 = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };
    const wire = method('tasks/send').request.encode({ request: v1 as never }, cx) as Json;
    expect(wire.id).toMatch(/^[A-Za-z0-9-]{36}$/);
    expect(cx.losses).toEqual(new Set());
  });
});

describe('what A2A 0.1 has no form for', () => {
  test.each<Json>([
    { raw: '', mediaType: 'text/plain', filename: 'empty.txt' },
    { data: 7 },
    { data: null },
    { data: 'text' },
    { data: [1, { a: 2 }] },
    { data: { value: 7 }, metadata: { k: 'v' } },
    { data: [], metadata: { k: 'v' } },
  ])('the part %j comes back, although A2A 0.1 has no form for it', (part) => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [part] };
    const cx = context();
    const wire = throughText(dialect.types.message?.encode(message, cx));
    expect(cx.losses).toEqual(new Set());
    expect(dialect.types.message?.decode(wire, context())).toMatchObject({ parts: [part] });
    expect((wire as { parts: Json[] }).parts[0]?.type).toMatch(/^(file|data)$/);
  });

  test('a repeated status message has the name that it has in the history, another one its own', () => {
    const decode = (status: Json, history: Json[]) =>
      dialect.types.task?.decode({ id: 't1', status, history }, context()) as Task;
    const said = { role: 'agent', parts: [{ type: 'text', text: 'Name?' }] };
    const status = { state: 'input-required', message: said, timestamp: '2025-04-25T12:00:00.123456' };
    expect(decode(status, [said]).status.message?.messageId).toBe('t1/0');
    const alone = decode(status, []).status.message?.messageId;
    const [event] =
      method('tasks/resubscribe')
        .stream?.decoder(context())
        .decode({ data: { id: 't1', status } }) ?? [];
    expect(event?.statusUpdate?.status.message?.messageId).toBe(alone);
    expect(decode({ ...status, state: 'working' }, []).status.message?.messageId).not.toBe(alone);
  });

  test.each([
    ['2025-04-25T12:00:00.123456', '2025-04-25T12:00:00.123Z'],
    ['2025-04-25T12:00:00', '2025-04-25T12:00:00.000Z'],
    ['2025-04-25T12:00:00+02:00', '2025-04-25T10:00:00.000Z'],
  ])('the time %s without an offset is %s', (timestamp, utc) => {
    const wire = { id: 't1', status: { state: 'working', timestamp } };
    expect(dialect.types.task?.decode(wire, context())).toMatchObject({ status: { timestamp: utc } });
    expect(() =>
      dialect.types.task?.decode({ ...wire, status: { state: 'working', timestamp: 'x' } }, context()),
    ).toThrow(/status\.timestamp/);
  });
});
