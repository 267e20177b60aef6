import { describe, expect, test } from 'vitest';
import { api as canonical, type StreamResponse, type Task } from '../../../src/core/model/a2a.ts';
import type { LoggedEvent, UnaryReply } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { versionCodecs } from '../../../src/dialects/a2a-1.x/codecs.ts';
import { detect } from '../../../src/dialects/kernel/detect.ts';
import type { Dialect } from '../../../src/dialects/kernel/dialect.ts';
import { createDialects, previews } from '../../../src/dialects/registry.ts';
import type { Api, MessageTable } from '../../../src/gen/api.ts';

/** Versions of A2A 1.x side by side: what the older ones drop, and what the newest adds to what is stored. */

const dialects = createDialects();
const v10 = dialects.byName.get('a2a-1.0') as Dialect;
const v11 = dialects.byName.get('a2a-1.1') as Dialect;
const context = () => ({ losses: new Set<string>() });

const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
const facts = (generation: number) => ({ createdAt: 0, updatedAt: 0, generation });
const methodOf = (dialect: Dialect, name: string) => dialect.jsonrpc?.methods.get(name) ?? expect.fail(name);
const stored = (value: object, generation: number): UnaryReply =>
  ({ value, json: JSON.stringify(value), facts: facts(generation) }) as UnaryReply;

/** The result of a method, as text from the store and as an object. */
function answers(dialect: Dialect, name: string, reply: UnaryReply): unknown[] {
  const { result } = methodOf(dialect, name);
  const text = result?.textOf?.(reply);
  const encoded = result?.encode(reply as never, context());
  return [text === undefined ? 'no text' : JSON.parse(text), JSON.parse(JSON.stringify(encoded))];
}

/** An event, over JSON-RPC and over gRPC. */
function events(dialect: Dialect, event: StreamResponse, generation: number): unknown[] {
  const logged: LoggedEvent = { seq: 9, at: 0, generation, event, json: JSON.stringify(event) };
  const { stream } = methodOf(dialect, 'SendStreamingMessage');
  const frames = stream?.encoder(context()).encode(logged) ?? [];
  return [JSON.parse(frames[0]?.data ?? ''), JSON.parse(JSON.stringify(stream?.event?.encode(logged, context())))];
}

describe('A2A 1.1 adds generations', () => {
  const counted = { ...task, generation: '7' };

  test.each([
    ['GetTask', task, counted],
    ['CancelTask', task, counted],
    ['SendMessage', { task }, { task: counted }],
  ])('A2A 1.1 adds generations to the answer of %s', (name, value, expected) => {
    expect(answers(v11, name, stored(value, 7))).toEqual([expected, expected]);
    expect(answers(v11, name, stored(value, 0))).toEqual([value, value]);
    expect(answers(v10, name, stored(value, 7))).toEqual([value, value]);
  });

  test('A2A 1.1 adds generations to each task of a list, in its order', () => {
    const tasks = [task, { ...task, id: 'u' }, { ...task, id: 'v' }];
    const page = { tasks, nextPageToken: '', pageSize: 3, totalSize: 3 };
    const reply = { ...stored(page, 0), taskFacts: [facts(1), facts(0), facts(3)] };
    const [text, encoded] = answers(v11, 'ListTasks', reply);
    expect(text).toBe('no text');
    expect(encoded).toMatchObject({ tasks: [{ id: 't', generation: '1' }, { id: 'u' }, { id: 'v', generation: '3' }] });
    expect(encoded).not.toHaveProperty('tasks.1.generation');
    expect(answers(v10, 'ListTasks', reply)).toEqual([page, page]);
  });

  const update = { taskId: 't', contextId: 'c' };
  test.each<StreamResponse>([
    { task },
    { statusUpdate: { ...update, status: task.status } },
    { artifactUpdate: { ...update, artifact: { artifactId: 'a', parts: [{ text: '{"task":{' }] } } },
  ])('A2A 1.1 adds generations to events', (event) => {
    const [[name = '', value]] = Object.entries(event) as [[string, object]];
    const expected = { [name]: { ...value, generation: '9007199254740991' } };
    const largest = Number.MAX_SAFE_INTEGER;
    expect(events(v11, event, largest)).toEqual([expected, expected]);
    expect(events(v10, event, largest)).toEqual([event, event]);
  });

  test('A2A 1.1 adds no generation to a message', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'hi' }] };
    expect(events(v11, { message }, 0)).toEqual([{ message }, { message }]);
    expect(answers(v11, 'SendMessage', { value: { message } })).toEqual(['no text', { message }]);
  });

  test('A2A 1.1 adds generations to webhooks', () => {
    const logged = { seq: 1, at: 0, generation: 1, event: { task }, json: JSON.stringify({ task }) };
    const textOf = ({ push }: Dialect): unknown =>
      typeof push?.body === 'object' && 'textOf' in push.body ? JSON.parse(push.body.textOf(logged)) : undefined;
    expect(textOf(v11)).toEqual({ task: { ...task, generation: '1' } });
    expect(textOf(v10)).toEqual({ task });
    expect(v11.push?.headers).toEqual({ 'a2a-version': '1.1' });
  });
});

test('A2A 1.0 sends what is stored as it is, byte for byte', () => {
  const reply = stored({ task }, 3);
  expect(methodOf(v10, 'SendMessage').result?.textOf?.(reply)).toBe(reply.json);
  const json = '{"task": "already text"}';
  const encoder = methodOf(v10, 'SubscribeToTask').stream?.encoder(context());
  expect(encoder?.encode({ seq: 1, at: 0, generation: 1, event: { task }, json })).toEqual([{ data: json }]);
});

test('A2A 1.0 drops what an agent counted whose tasks the gateway does not keep', () => {
  const own = { ...task, generation: '5' };
  const cx = context();
  expect(methodOf(v10, 'GetTask').result?.encode({ value: own } as never, cx)).toEqual(task);
  expect([...cx.losses]).toEqual(['generation']);
  expect(events(v10, { task: own }, 0)).toEqual([{ task }, { task }]);
  expect(events(v11, { task: own }, 0)).toEqual([{ task: own }, { task: own }]);
});

test('A2A 1.0 has no conditions: they are losses, and ignored in what comes in', () => {
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
  const request = { message, configuration: { ifGenerationMatch: '3', returnImmediately: true } };
  const cx = context();
  const { request: codec } = methodOf(v10, 'SendMessage');
  const without = { message, configuration: { returnImmediately: true } };
  expect(codec.encode({ request } as never, cx)).toEqual(without);
  expect([...cx.losses]).toEqual(['configuration.ifGenerationMatch']);
  expect(codec.decode(request, context()).request).toEqual(without);
  expect(v10.losses.request).toEqual(['configuration.ifGenerationMatch', 'currentGeneration']);
  expect(methodOf(v11, 'SendMessage').request.decode(request, context()).request).toEqual(request);
});

describe('codes that the knowledge extension has, too', () => {
  const knowledge = dialects.extensions[0] ?? expect.fail('no extension');
  const info = (reason: string) => [{ reason, domain: 'a2a-protocol.org' }];
  const kinds = (wire: object): (string | undefined)[] =>
    [v11, v10, knowledge].map(({ jsonrpc }) => jsonrpc?.error.decode(wire, context()).kind);

  test('codes that the knowledge extension has, too are read by the service of the method', () => {
    const mismatch = 'taskGenerationMismatch';
    expect(kinds({ code: -32010, message: '' })).toEqual([mismatch, mismatch, 'knowledgeQuery']);
    for (const [code, kind] of [
      [-32011, 'knowledgeUpdate'],
      [-32012, 'knowledgeSubscription'],
      [-32013, 'alignmentViolation'],
    ])
      expect(kinds({ code, message: '' })[2]).toBe(kind);
    const statuses = [v11, knowledge].map(({ rest }) => rest?.error.decode({ status: 409, body: {} }, context()).kind);
    expect(statuses).toEqual([mismatch, 'invalidRequest']);
    expect(v11.grpc?.kindOf?.('ABORTED', 'SendMessage')).toBe(mismatch);
    expect(v11.grpc?.kindOf?.('ABORTED', 'GetTask')).toBeUndefined();
    expect(knowledge.grpc?.kindOf?.('ABORTED', 'Update')).toBeUndefined();
  });

  test('codes that the knowledge extension has, too mean what their reason says, in any service', () => {
    const data = (reason: string) => ({ code: -32010, message: '', data: info(reason) });
    expect(new Set(kinds(data('TASK_GENERATION_MISMATCH')))).toEqual(new Set(['taskGenerationMismatch']));
    expect(new Set(kinds(data('KNOWLEDGE_QUERY_FAILED')))).toEqual(new Set(['knowledgeQuery']));
  });

  test.each(['taskGenerationMismatch', 'knowledgeQuery'] as const)(
    'codes that the knowledge extension has, too are written for %s',
    (kind) => {
      for (const { jsonrpc } of [v11, v10, knowledge]) {
        expect(jsonrpc?.error.encode(new A2AError(kind), context())).toMatchObject({ code: -32010 });
      }
    },
  );
});

describe('a version that lacks what is stored', () => {
  const without = (type: string, name: string): Api => {
    const { messages } = canonical.fields;
    const table = messages[type] as MessageTable;
    const shorter = { ...table, fields: table.fields.filter(({ jsonName }) => jsonName !== name) };
    return { ...canonical, fields: { ...canonical.fields, messages: { ...messages, [type]: shorter } } };
  };
  const codecs = versionCodecs(canonical, without('lf.a2a.v1.Part', 'filename'));
  const part = { text: 'a', filename: 'f' };
  const held: Task = { ...task, artifacts: [{ artifactId: 'a', parts: [{ text: 'b' }, part] }] };
  const left = { ...task, artifacts: [{ artifactId: 'a', parts: [{ text: 'b' }, { text: 'a' }] }] };

  test('a version that lacks what is stored is not sent stored text, and drops at every depth', () => {
    const before = structuredClone(held);
    const result = codecs.result('lf.a2a.v1.Task');
    const cx = context();
    expect(result.textOf?.(stored(held, 2))).toBeUndefined();
    expect(result.encode({ value: held, facts: facts(2) } as never, cx)).toEqual({ ...left, generation: '2' });
    expect([...cx.losses]).toEqual(['artifacts.parts.filename']);
    expect(held).toEqual(before);
  });

  test('a version that lacks what is stored drops in events, which have their generation all the same', () => {
    const logged = { seq: 1, at: 0, generation: 4, event: { task: held }, json: JSON.stringify({ task: held }) };
    expect(JSON.parse(codecs.textOf(logged))).toEqual({ task: { ...left, generation: '4' } });
    const other = { ...logged, event: { task }, json: JSON.stringify({ task }) };
    expect(JSON.parse(codecs.textOf(other))).toEqual({ task: { ...task, generation: '4' } });
  });

  test('a version that lacks what is stored lists every path, and has types without it as they are', () => {
    expect(codecs.losses('lf.a2a.v1.Message')).toEqual(['parts.filename']);
    expect(codecs.losses('lf.a2a.v1.TaskPushNotificationConfig')).toEqual([]);
    expect(codecs.losses('lf.a2a.v1.StreamResponse').toSorted()).toEqual([
      'artifactUpdate.artifact.parts.filename',
      'message.parts.filename',
      'statusUpdate.status.message.parts.filename',
      'task.artifacts.parts.filename',
      'task.history.parts.filename',
      'task.status.message.parts.filename',
    ]);
    const config = { taskId: 't', id: 'p', url: 'https://example.com' };
    const reply = stored(config, 0);
    expect(codecs.result('lf.a2a.v1.TaskPushNotificationConfig').textOf?.(reply)).toBe(reply.json);
  });
});

describe('which version a request is of', () => {
  const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };
  const detected = async (version: string | undefined, preview?: readonly string[]) => {
    const found = await detect(preview ? createDialects({ preview }) : dialects, {
      version,
      method: 'SendMessage',
      params,
      id: 1,
      recall: async () => 'a2a-1.1',
    });
    return found.error ? found.error.message : found.dialect.name;
  };

  test("the version of a request is the header's, and 1.0 without one", async () => {
    expect(await detected(undefined)).toBe('a2a-1.0');
    expect(await detected('1.0.2')).toBe('a2a-1.0');
    expect(await detected('1.1')).toBe('a2a-1.1');
    expect(await detected('1.2')).toBe('A2A version 1.2 is not supported; supported: 1.0, 1.1, 0.3');
  });

  test('a preview that is off is an unknown version', async () => {
    expect(previews).toEqual(['a2a-1.1']);
    expect(await detected('1.1', [])).toBe('A2A version 1.1 is not supported; supported: 1.0, 0.3');
    expect(createDialects({ preview: [] }).list.map(({ name }) => name)).not.toContain('a2a-1.1');
  });
});
