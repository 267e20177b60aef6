import { describe, expect, test } from 'vitest';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { CodecContext } from '../../../src/dialects/kernel/codec.ts';
import { shapes } from '../../../src/gen/agentvault-0.2/shapes.ts';
import { readWith } from '../../../src/wire/validate.ts';
import { context, type Json, legacyDialect } from '../../support/legacy-dialect.ts';

const { jsonrpc, method, frames: framesOf } = legacyDialect('agentvault-0.2');

const at = '2026-01-01T00:00:00.000Z';
const ids = { taskId: 't1', contextId: 'c1' };

const frames = (...events: StreamResponse[]) => framesIn(context(), ...events);

function framesIn(cx: CodecContext, ...events: StreamResponse[]): { event: string | undefined; data: Json }[] {
  const all = framesOf('tasks/sendSubscribe', events, cx, Date.parse(at));
  return all.map(({ event, data }) => ({ event, data: JSON.parse(data) as Json }));
}

const chunk = (text: string, over: { append?: boolean; lastChunk?: boolean } = {}): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: { artifactId: 'a1', parts: [{ text }] }, ...over },
});
const state = (name: Task['status']['state'], text?: string): StreamResponse => ({
  statusUpdate: {
    ...ids,
    status: {
      state: name,
      timestamp: at,
      ...(text !== undefined && { message: { messageId: `m-${text}`, role: 'ROLE_AGENT', parts: [{ text }], ...ids } }),
    },
  },
});

describe('streams for AgentVault clients', () => {
  test('an artifact in chunks is sent when it appears and, whole, when it is complete', () => {
    const told = frames(chunk('a'), chunk('b', { append: true }), chunk('c', { append: true, lastChunk: true }));
    expect(told.map(({ data }) => (data.artifact as Json).content)).toEqual(['a', 'abc']);
  });

  test('an artifact that never says it is complete is sent before the task rests', () => {
    const told = frames(chunk('a'), chunk('b', { append: true }), state('TASK_STATE_COMPLETED', 'done'));
    expect(told.map(({ event }) => event)).toEqual(['task_artifact', 'task_artifact', 'task_message', 'task_status']);
    expect(told.at(1)?.data).toMatchObject({ artifact: { content: 'ab', url: null, mediaType: null, metadata: null } });
    expect(told.at(-1)?.data).toEqual({ taskId: 't1', state: 'COMPLETED', timestamp: at, message: 'done' });
  });

  test('an artifact in chunks is sent whole when the stream ends without its last chunk', () => {
    expect(frames(chunk('a'), chunk('b', { append: true }))).toHaveLength(2);
  });

  test('an artifact that was begun before the stream is sent whole', () => {
    const before: Task = {
      id: 't1',
      status: { state: 'TASK_STATE_WORKING' },
      artifacts: [{ artifactId: 'a1', parts: [{ text: 'a' }] }],
    };
    const told = framesIn(context({ before }), chunk('b', { append: true }), state('TASK_STATE_COMPLETED'));
    expect(told.map(({ data }) => (data.artifact as Json | undefined)?.content ?? data.state)).toEqual([
      'ab',
      'COMPLETED',
    ]);
  });

  test('a chunk that comes after the last one is added all the same', () => {
    const told = frames(chunk('a', { lastChunk: true }), chunk('b', { append: true, lastChunk: true }));
    expect(told.map(({ data }) => (data.artifact as Json).content)).toEqual(['a', 'ab']);
  });

  test('a snapshot has each message once, the current one with the status', () => {
    const said = (messageId: string) => ({ messageId, role: 'ROLE_AGENT' as const, parts: [{ text: messageId }] });
    const status = { state: 'TASK_STATE_COMPLETED' as const, timestamp: at, message: said('m2') };
    const task: Task = { id: 't1', contextId: 'c1', status, history: [said('m0'), said('m1'), said('m2')] };
    const before: Task = { id: 't1', status: { state: 'TASK_STATE_WORKING', message: said('m0') } };
    const told = framesIn(context({ before }), { task });
    expect(told.map(({ data }) => (data.message as Json | undefined)?.parts ?? data.message)).toEqual([
      [{ type: 'text', content: 'm1' }],
      [{ type: 'text', content: 'm2' }],
      'm2',
    ]);
  });

  test('messages that a status brings in its metadata are sent once, before the status', () => {
    const said = (messageId: string) => ({ messageId, role: 'ROLE_AGENT' as const, parts: [{ text: messageId }] });
    const history = [said('m0'), said('m1')];
    const status = { state: 'TASK_STATE_INPUT_REQUIRED' as const, timestamp: at, message: said('m2') };
    const before: Task = { id: 't1', status: { state: 'TASK_STATE_WORKING' }, history: [said('m0')] };
    const update = { statusUpdate: { ...ids, status, metadata: { 'a2a-gateway/task': { history } } } };
    const told = framesIn(context({ before }), update, update);
    expect(told.map(({ event, data }) => [event, (data.message as Json | undefined)?.parts ?? data.message])).toEqual([
      ['task_message', [{ type: 'text', content: 'm1' }]],
      ['task_message', [{ type: 'text', content: 'm2' }]],
      ['task_status', 'm2'],
      ['task_status', 'm2'],
    ]);
  });

  test('ten thousand chunks cost two events', () => {
    const many = Array.from({ length: 10_000 }, () => chunk('x', { append: true }));
    const told = frames(...many, state('TASK_STATE_COMPLETED'));
    expect(told).toHaveLength(3);
    expect(told[1]?.data).toMatchObject({ artifact: { content: 'x'.repeat(10_000) } });
  });

  test('states without a word in AgentVault take the nearest', () => {
    const told = frames(state('TASK_STATE_AUTH_REQUIRED'), state('TASK_STATE_REJECTED'));
    expect(told.map(({ data }) => data.state)).toEqual(['INPUT_REQUIRED', 'FAILED']);
  });

  test('the first event of a log has the state, and not a message of the user', () => {
    const history = [{ messageId: 'u', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] }];
    const told = frames({
      task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED', timestamp: at }, history },
    });
    expect(told).toEqual([
      { event: 'task_status', data: { taskId: 't1', state: 'SUBMITTED', timestamp: at, message: null } },
    ]);
  });

  test('a failure is an error event with a code in lower case', () => {
    const [{ event, data } = { data: '' }] = jsonrpc.stream.error(A2AError.taskNotFound('t1'), 1);
    expect([event, JSON.parse(data)]).toEqual(['error', { error: 'task_not_found', message: 'Task not found: t1' }]);
    const decoder = method('tasks/sendSubscribe').stream?.decoder(context());
    const read = (payload: Json) => () => decoder?.decode({ event: 'error', data: payload });
    expect(read(JSON.parse(data))).toThrow(expect.objectContaining({ kind: 'taskNotFound' }));
    expect(read({ error: 'stream_error', message: 'broke' })).toThrow(
      expect.objectContaining({ kind: 'internal', message: 'broke' }),
    );
  });

  test('readers take the aliases of task_message and skip what they do not know', () => {
    const decoder = method('tasks/sendSubscribe').stream?.decoder(context());
    const data = { taskId: 't1', timestamp: at, message: { role: 'assistant', parts: [{ content: 'hi' }] } };
    for (const event of ['message', undefined]) {
      const [read] = decoder?.decode({ ...(event && { event }), data }) ?? [];
      expect(read?.statusUpdate?.status).toMatchObject({
        state: 'TASK_STATE_WORKING',
        message: { parts: [{ text: 'hi' }] },
      });
    }
    expect(decoder?.decode({ event: 'heartbeat', data: {} })).toEqual([]);
  });
});

describe('inline bytes', () => {
  const png = { raw: 'aGk=', mediaType: 'image/png', filename: 'a.png' };
  const url = 'https://gateway.example/files/t1-a.png';
  const serving = () =>
    context({ fileUrl: (taskId, { filename }) => `https://gateway.example/files/${taskId}-${filename}` });
  const encode = (task: Partial<Task>, cx: CodecContext) =>
    method('tasks/get').result?.encode(
      { value: { id: 't1', contextId: 't1', status: { state: 'TASK_STATE_WORKING', timestamp: at }, ...task } },
      cx,
    ) as Json;

  test('inline bytes are files of messages and artifacts, and no loss, when the gateway serves files', () => {
    const cx = serving();
    const written = encode(
      {
        history: [{ messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'look' }, png] }],
        artifacts: [
          { artifactId: 'one', name: 'picture', parts: [png] },
          { artifactId: 'both', parts: [{ text: 'look' }, png] },
          { artifactId: 'more', parts: [png, png, { data: 7 }] },
        ],
      },
      cx,
    );
    const file = { url, mediaType: 'image/png', filename: 'a.png' };
    expect(written.messages).toMatchObject([
      {
        parts: [
          { type: 'text', content: 'look' },
          { type: 'file', ...file },
        ],
      },
    ]);
    expect(written.artifacts).toMatchObject([
      { id: 'one', type: 'picture', content: null, url, mediaType: 'image/png' },
      { id: 'both', type: 'file', content: 'look', url, mediaType: 'image/png' },
      { id: 'more', type: 'parts', content: { 'a2a-gateway/parts': [file, file, { data: 7 }] }, url: null },
    ]);
    expect(readWith(shapes, 'Task', written).issues).toEqual([]);
    expect([...cx.losses]).toEqual([]);
  });

  test('inline bytes are files of events too', () => {
    const update = { ...ids, artifact: { artifactId: 'a', parts: [png] } };
    expect(framesIn(serving(), { artifactUpdate: update })[0]?.data).toMatchObject({
      artifact: { url, content: null },
    });
  });

  test('inline bytes are JSON, as a loss, when the gateway does not serve files', () => {
    const cx = context();
    expect(encode({ artifacts: [{ artifactId: 'one', parts: [png] }] }, cx).artifacts).toMatchObject([
      { content: { 'a2a-gateway/raw': 'aGk=' }, url: null },
    ]);
    expect([...cx.losses]).toEqual(['artifacts.parts.raw']);
  });
});
