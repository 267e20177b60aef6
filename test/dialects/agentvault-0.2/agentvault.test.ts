import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Task } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { CodecContext } from '../../../src/dialects/kernel/codec.ts';
import { shapes } from '../../../src/gen/agentvault-0.2/shapes.ts';
import { readWith } from '../../../src/wire/validate.ts';
import { type Definitions, valuesOf } from '../../support/arbitrary-schema.ts';
import { context, isObject, type Json, legacyDialect, throughText } from '../../support/legacy-dialect.ts';
import { describeIdentity } from '../../support/legacy-identity.ts';

const { dialect, jsonrpc, method } = legacyDialect('agentvault-0.2');
const { definitions } = JSON.parse(
  readFileSync(new URL('../../../codegen/schemas/agentvault-0.2.json', import.meta.url), 'utf8'),
) as { definitions: Definitions };

/**
 * The value in a normal form for the profile's readers: null, empty texts, lists and metadata, and implied types are
 * omitted.
 */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const { type, ...rest } = value;
  const isPart = type === 'text' || type === 'file' || type === 'data';
  const entries = Object.entries(isPart ? rest : value)
    .map(([key, item]) => [key, canonical(item)] as const)
    .filter(([key, item]) => !(key === 'mediaType' && item === 'application/json' && isPart))
    .filter(([, item]) => item !== null && item !== '' && !(Array.isArray(item) && item.length === 0))
    .filter(([, item]) => !(isObject(item) && Object.keys(item).length === 0));
  return Object.fromEntries(entries);
}

const cards = valuesOf(definitions, 'AgentCard').map((card) => {
  const { authSchemes, skills, ...rest } = card as { authSchemes: Json[]; skills?: Json[] | null } & Json;
  const tokenUrl = 'https://example.com/token';
  return {
    ...rest,
    skills: skills?.map((skill, at) => ({ ...skill, id: `skill-${at}` })),
    authSchemes: authSchemes.map((way) =>
      way.scheme === 'oauth2' ? { ...way, tokenUrl: way.tokenUrl || tokenUrl } : way,
    ),
  };
});

const event = (definition: string, name: string) =>
  valuesOf(definitions, definition).map((data) => ({ event: name, data: { ...(data as Json), taskId: 't1' } }));
const events = fc.oneof(
  event('TaskStatusUpdateEvent', 'task_status'),
  event('TaskMessageEvent', 'task_message'),
  event('TaskArtifactUpdateEvent', 'task_artifact'),
);

describeIdentity(dialect, {
  canonical,
  types: { message: valuesOf(definitions, 'Message'), task: valuesOf(definitions, 'Task'), card: cards },
  params: { 'tasks/send': valuesOf(definitions, 'TaskSendParams') },
  streams: { 'tasks/sendSubscribe': fc.array(events, { maxLength: 6 }) },
  numRuns: 80,
});

const at = '2026-01-01T00:00:00.000Z';

describe('tasks for AgentVault clients', () => {
  const task: Task = {
    id: 't1',
    contextId: 'c1',
    status: {
      state: 'TASK_STATE_REJECTED',
      timestamp: at,
      message: { messageId: 'm2', role: 'ROLE_AGENT', parts: [{ text: 'no' }] },
    },
    history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'please' }] }],
  };

  test('tasks for AgentVault clients have every null that real servers write, and the current message among the messages', () => {
    const facts = { createdAt: 1_000, updatedAt: 2_000, generation: 2 };
    const answer = method('tasks/get').result?.encode({ value: task, facts }, context());
    expect(answer).toEqual({
      id: 't1',
      state: 'FAILED',
      createdAt: '1970-01-01T00:00:01.000Z',
      updatedAt: '1970-01-01T00:00:02.000Z',
      messages: [
        { role: 'user', parts: [{ type: 'text', content: 'please' }], metadata: null },
        { role: 'assistant', parts: [{ type: 'text', content: 'no' }], metadata: null },
      ],
      artifacts: [],
      metadata: { 'a2a-gateway/a2a-1.0': { state: 'TASK_STATE_REJECTED' } },
    });
    expect(method('tasks/get').result?.decode(answer, context()).value).toMatchObject({
      status: { state: 'TASK_STATE_REJECTED' },
    });
  });

  test('a state that another gateway kept counts only where it goes by the name that is there', () => {
    const wire = dialect.types.task?.encode(task, context());
    const forged = { ...(wire as Json), state: 'COMPLETED' };
    expect(dialect.types.task?.decode(forged, context())).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  test('a time that is none is named', () => {
    const wire = { id: 't', state: 'WORKING', createdAt: 'soon', updatedAt: 1767225600 };
    expect(() => method('tasks/get').result?.decode(wire, context())).toThrow(/createdAt/);
  });

  test('a refused cancellation is reported in the result', () => {
    const { result } = method('tasks/cancel');
    const refused = new A2AError('taskNotCancelable', 'It is over');
    expect(result?.fromError?.(refused)).toEqual({ success: false, message: 'It is over' });
    expect(result?.fromError?.(A2AError.taskNotFound('t'))).toBeUndefined();
    expect(() => result?.decode({ success: false, message: 'It is over' }, context())).toThrow(
      expect.objectContaining({ kind: 'taskNotCancelable', message: 'It is over' }),
    );
    expect(result?.decode({}, context({ taskId: 't1' })).value).toMatchObject({ id: 't1' });
  });
});

describe('requests of AgentVault clients', () => {
  test('faults are named as the client wrote them', () => {
    const decode = (params: unknown) => () => method('tasks/send').request.decode(params, context());
    const role = { message: { role: 'agent', parts: [{ type: 'text', content: 'hi' }] } };
    expect(decode(role)).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'message.role' })] }),
    );
    expect(decode({ message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } })).toThrow(/message\.parts\[0\]/);
    expect(decode({ message: { role: 'user', parts: [] } })).toThrow(/message\.parts/);
    expect(decode({ message: { role: 'user', parts: [{ content: 'x' }] }, webhookUrl: 'ftp://x' })).toThrow(
      /webhookUrl/,
    );
  });

  test('a part is of the first shape that it fits, whatever else it holds', () => {
    const url = 'https://example.com/a.png';
    const parts = [
      { type: 'text', content: 'hi', url: null },
      { content: 'ho', url },
      { url, content: null, note: 1 },
    ];
    expect(method('tasks/send').request.decode({ message: { role: 'user', parts } }, context()).request).toMatchObject({
      message: { parts: [{ text: 'hi' }, { text: 'ho' }, { url }] },
    });
  });

  test("the gateway's own keys do not come in", () => {
    const metadata = { 'a2a-gateway/agentvault-0.2': { role: 'system' }, mcp_context: { a: 1 } };
    const message = { role: 'user', parts: [{ content: 'hi' }], metadata };
    expect(method('tasks/send').request.decode({ message }, context()).request).toMatchObject({
      message: { metadata: { mcp_context: { a: 1 } } },
    });
    expect(method('tasks/send').request.decode({ message }, context()).request).not.toHaveProperty([
      'message',
      'metadata',
      'a2a-gateway/agentvault-0.2',
    ]);
  });

  test('a subscription replays the latest turn', () => {
    expect(method('tasks/sendSubscribe').request.decode({ id: 't1' }, context())).toEqual({
      request: { id: 't1' },
      semantics: { replay: 'latest-turn', needsBefore: true, heldAsWorking: true },
    });
  });

  test('requests of AgentVault clients are known by their shape, or else by their ids', () => {
    const claim = (name: string, params: unknown, id: unknown = 1) => dialect.claim?.(name, params, id);
    const vault = { role: 'user', parts: [{ type: 'text', content: 'hi' }] };
    const google = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };
    expect(claim('tasks/send', { message: vault })).toBe(2);
    expect(claim('tasks/send', { id: 't', message: google })).toBe(0);
    expect(claim('tasks/send', { id: 't', message: { ...google, role: 'assistant' } })).toBe(2);
    expect(claim('tasks/send', { id: 't', message: { ...vault, messageId: 'm' } })).toBe(0);
    // In the other dialects with this method, the client chooses the id of the task.
    expect(claim('tasks/send', { message: google })).toBe(1);
    expect(claim('tasks/send', { message: { ...google, messageId: 'm' } })).toBe(0);
    expect(claim('tasks/sendSubscribe', { id: 't' })).toBe(2);
    expect(claim('tasks/sendSubscribe', { id: 't', message: google })).toBe(0);
    expect(claim('tasks/get', { id: 't' }, 'req-get-1')).toBe(1);
    expect(claim('tasks/get', { id: 't' }, 'r1')).toBe(0);
    for (const junk of [undefined, null, 7, [], 'x', { message: 7 }, { id: 't', message: { parts: 7 } }]) {
      expect(claim('tasks/send', junk)).toBe(0);
    }
  });
});

describe('what AgentVault has no form for is carried as JSON', () => {
  const roundTrip = (part: Json): { wire: Json; back: Json } => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [part] };
    const wire = throughText(dialect.types.message?.encode(message, context())) as Json;
    expect(readWith(shapes, 'Message', wire).issues).toEqual([]);
    const back = dialect.types.message?.decode(wire, context()) as { parts: Json[] };
    return { wire: (wire.parts as Json[])[0] as Json, back: back.parts[0] as Json };
  };

  test.each<Json>([
    { raw: 'aGk=', mediaType: 'image/png', filename: 'a.png' },
    { raw: '' },
    { url: 'ftp://example.com/a' },
    { url: 'https://not a host/a' },
    { url: `https://example.com/${'a'.repeat(2_100)}` },
    { data: 7 },
    { data: null },
    { data: 'text' },
    { data: [1, 2] },
    { data: { 'a2a-gateway/value': 7 } },
    { data: { 'a2a-gateway/value': { 'a2a-gateway/raw': 'aGk=' } } },
    { data: { 'a2a-gateway/raw': 'aGk=' } },
  ])('the part %j is carried as JSON', (part) => {
    const { wire, back } = roundTrip(part);
    expect(wire).toMatchObject({ type: 'data', content: expect.any(Object) });
    expect(back).toEqual(part);
  });

  test('bytes by the megabyte are carried as JSON, too', () => {
    const raw = 'AAAA'.repeat(2_000_000);
    expect(roundTrip({ raw }).back.raw === raw).toBe(true);
  });
});

describe('losses', () => {
  const message = {
    messageId: 'm',
    taskId: 't1',
    contextId: 'c1',
    role: 'ROLE_AGENT' as const,
    parts: [{ text: 'hi' }],
  };
  const lost = (use: (cx: CodecContext) => unknown) => {
    const cx = context({ unreported: new Set() });
    use(cx);
    return { told: [...cx.losses].sort(), minor: [...(cx.unreported ?? [])].sort() };
  };

  test('losses of an answer are reported when the client could need them', () => {
    const value: Task = {
      id: 't1',
      contextId: 'c1',
      status: { state: 'TASK_STATE_COMPLETED', timestamp: at, message },
      history: [message],
      artifacts: [{ artifactId: 'a', description: 'one', parts: [{ text: 'a' }, { text: 'b' }] }],
    };
    expect(
      lost((cx) =>
        method('tasks/get').result?.encode({ value, facts: { createdAt: 0, updatedAt: 0, generation: 0 } }, cx),
      ),
    ).toEqual({
      told: ['artifacts.description'],
      minor: ['artifacts.parts[]', 'contextId', 'history.contextId', 'history.messageId', 'status.timestamp'],
    });
  });

  test('losses of a request are reported when the agent could have used them', () => {
    const configuration = { returnImmediately: false, historyLength: 2, acceptedOutputModes: ['text/plain'] };
    const { taskId: _, ...opening } = message;
    const send = (request: object) =>
      lost((cx) => method('tasks/send').request.encode({ request: request as never }, cx)).told;
    expect(send({ message: opening, configuration })).toEqual([
      'configuration.acceptedOutputModes',
      'message.contextId',
    ]);
    expect(send({ message })).toEqual([]);
  });
});

describe('errors by their meaning in the profile', () => {
  const code = (error: A2AError) => jsonrpc.error.encode(error, context()).code;

  test('codes that A2A uses otherwise have their meaning in the profile', () => {
    expect(code(new A2AError('unsupportedOperation', 'over', { metadata: { taskId: 't' } }))).toBe(-32004);
    expect(code(new A2AError('unsupportedOperation'))).toBe(-32000);
    expect(code(new A2AError('versionNotSupported'))).toBe(-32000);
    expect(code(new A2AError('contentTypeNotSupported'))).toBe(-32602);
  });

  test('a code without a meaning in the profile is the error of the agent', () => {
    expect(jsonrpc.error.decode({ code: -32000, message: 'no' }, context())).toMatchObject({
      kind: 'agentError',
      message: 'no',
    });
  });
});
