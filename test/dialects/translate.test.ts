import { describe, expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/registry.ts';
import { type TranslateOptions, type Translation, translateFrame } from '../../src/dialects/translate/index.ts';
import { parseFrame } from '../../src/dialects/translate/text.ts';
import { type Golden, goldenDialects, goldensOf, statedOf, textOf } from '../support/golden.ts';

const dialects = createDialects();
const names = dialects.list.map(({ name }) => name);
const translate = (frame: unknown, options?: TranslateOptions): Translation =>
  translateFrame(dialects, typeof frame === 'string' ? frame : JSON.stringify(frame), options);
const to = (name: string, frame: unknown, options: TranslateOptions = {}) => {
  const [translated] = translate(frame, { ...options, to: [name] }).translated;
  if (!translated) throw new Error(`no ${name}`);
  return translated;
};

/** Frames that a document does not say again as a call does, by name. */
const differently: Readonly<Record<string, string>> = {
  'with the whole history for 0': 'without the parameter, which is the default',
  'in snake_case': 'with the names that the gateway writes',
  "the gateway's own keys": 'documents may have them, callers may not',
  'as the client sends it': 'by the first method of the operation, message/send',
  'Invalid State': 'the task of the call is not known',
};

describe.each(goldenDialects)('golden frames of %s', (dialect) => {
  const goldens = goldensOf(dialect).map((golden) => [`${golden.kind} ${golden.of}: ${golden.name}`, golden] as const);

  test.each(goldens)('the golden frame of %s is detected: %s', (_title, golden) => {
    const stated = statedOf(dialect, golden);
    const { source, translated } = translate(textOf(golden), stated);
    expect(source).toMatchObject({ dialect, type: stated.type });
    expect(translated.map((one) => one.dialect)).toEqual(names.filter((name) => name !== dialect));
    for (const { text, error, losses } of translated) {
      expect([text, error]).toContain(undefined);
      expect(text ?? error).toBeTypeOf('string');
      for (const { path, reason } of losses) expect([path, reason]).not.toContain('');
    }
    // Its own dialect says the same again. A golden frame with a counterpart is written for this software.
    if (golden.counterpart || golden.name in differently) return;
    const own = to(dialect, textOf(golden), stated);
    expect(comparable(own.text ?? '')).toEqual(comparable(textOf({ ...golden, in: golden.out ?? golden.in })));
  });
});

/** A frame's content, without the ids of JSON-RPC calls, made-up ids, and fields of the gateway's own, which a document may have. */
function comparable(text: string): unknown {
  const parsed = parseFrame(text);
  const json = JSON.stringify(parsed)
    .replace(/"jsonrpc":"2.0","id":(?:\d+|"[^"]*")/g, '"jsonrpc":"2.0"')
    .replace(/"a2a-gateway\/[^"]+":\{[^{}]*\},?/g, '')
    .replace(/"metadata":\{\},?/g, '')
    .replace(/,\}/g, '}');
  return JSON.parse(json);
}

describe('detection', () => {
  /** Frames that are the same in several dialects, or say too little. */
  const isAmbiguous = ({ kind, in: text }: Golden): boolean =>
    kind === 'error' ||
    kind === 'result' ||
    /^(?:null|\[\]|\{"id":"[^"]*"(?:,"\w+":[^{]*)?\})$/.test(text.replaceAll(' ', ''));
  const families = [['a2a-1.0', 'a2a-1.1'], ['a2a-0.2', 'a2a-0.3', 'a2a-php-0.3'], ['a2a-0.1'], ['agentvault-0.2']];
  const familyOf = (name: string) => families.findIndex((family) => family.includes(name));
  const frames = goldenDialects.flatMap((dialect) =>
    goldensOf(dialect)
      .filter((golden) => !isAmbiguous(golden))
      .map((golden) => [dialect, golden] as const),
  );

  test('detection finds type and family of golden frames that say so', () => {
    const wrong = frames.filter(([dialect, golden]) => {
      const { source } = translate(textOf(golden));
      return familyOf(source.dialect) !== familyOf(dialect) || source.type !== statedOf(dialect, golden).type;
    });
    // These are frames of other dialects, too.
    expect(wrong.map(([dialect, { kind, of, name }]) => `${dialect} ${kind} ${of}: ${name}`)).toEqual([
      'a2a-0.1 type message: no parts at all',
      'a2a-0.3 request tasks/cancel: metadata',
      'a2a-0.3 stream TaskSubscription: not final where the task only rests',
      'a2a-0.3 stream SendStreamingMessage: a chunk of an artifact',
    ]);
    expect(frames.length).toBeGreaterThan(100);
  });
});

const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi', metadata: { a: 1 } }] };
const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_REJECTED' } };

test.each([
  [
    'a request as the gateway detects it',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { kind: 'message', messageId: 'm', role: 'user', parts: [] } },
    },
    { dialect: 'a2a-0.3', type: 'request', method: 'message/send' },
  ],
  [
    'a response',
    { jsonrpc: '2.0', id: 'x', result: { task } },
    { dialect: 'a2a-1.0', type: 'response', method: 'SendMessage' },
  ],
  [
    'a response that is an error',
    { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'no' } },
    { type: 'response' },
  ],
  ['parameters', { message }, { dialect: 'a2a-1.0', type: 'params', method: 'SendMessage' }],
  [
    'a message of an agent, which comes in streams',
    { message: { ...message, role: 'ROLE_AGENT' } },
    { dialect: 'a2a-1.0', type: 'event' },
  ],
  [
    'a request over HTTP+JSON',
    `POST /agents/a/v1/message:send HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}`,
    { dialect: 'a2a-0.3', binding: 'rest', type: 'request', method: 'SendMessage' },
  ],
  [
    'its version',
    'GET /tasks/t1 HTTP/1.1\nA2A-Version: 1.1\n',
    { dialect: 'a2a-1.1', binding: 'rest', type: 'request', method: 'GetTask' },
  ],
  [
    'a method of the knowledge graph',
    { jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query: '{}', queryLanguage: 'graphql' } },
    { dialect: 'knowledge-1.0', type: 'request' },
  ],
  [
    'a stream over HTTP+JSON',
    `data: {"task":${JSON.stringify(task)}}`,
    { dialect: 'a2a-1.0', binding: 'rest', type: 'stream' },
  ],
] as const)('the translation reads %s', (_title, frame, source) => {
  expect(translate(frame).source).toMatchObject(source);
});

test.each([
  ['nothing', ' ', {}, /there is no text/],
  ['no JSON', '{"a":', {}, /^the document is not valid JSON: Unexpected end/],
  ['a word', 'hello', {}, /not valid JSON/],
  ['no frame', { a: 1 }, {}, /^the document is not a frame of a known dialect and type/],
  ['a faulty request', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }, {}, /message is required/],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'nothing', params: {} }, {}, /Method not found: nothing/],
  ['a stated type that it is not', message, { from: 'a2a-1.0', type: 'task' }, /id is required/],
  ['an unknown dialect', message, { from: 'a2a-9' }, /no dialect is called a2a-9; there are a2a-1\.0, /],
  ['an unknown path', 'GET /nothing', {}, /not a frame/],
  ['deep nesting', '['.repeat(100_000), {}, /nested too deeply/],
  ['a prototype', '{"__proto__":{"parts":[]}}', {}, /__proto__/],
] as const)('the translation does not read %s', (_title, frame, options, expected) => {
  expect(() => translate(frame, options)).toThrow(expected);
});

describe('what is written', () => {
  test('a loss of a translation has its path, its value and a reason', () => {
    const { losses, text } = to('agentvault-0.2', message);
    expect(JSON.parse(text ?? '')).toEqual({
      role: 'user',
      parts: [{ type: 'text', content: 'hi' }],
      metadata: null,
    });
    expect(losses).toEqual([
      {
        path: 'messageId',
        missed: false,
        sample: '"m1"',
        reason: 'agentvault-0.2 does not have it, or says it elsewhere in the frame',
      },
      { path: 'parts.metadata', missed: true, sample: '{"a":1}', reason: 'agentvault-0.2 has no place for it' },
    ]);
    expect(to('a2a-1.0', message).losses).toEqual([]);
  });

  test('a long value is cut off', () => {
    const long = { ...message, parts: [{ text: 'hi', metadata: { a: 'x'.repeat(1000) } }] };
    expect(to('agentvault-0.2', long).losses.at(-1)?.sample).toMatch(/^\{"a":"x{100,}…$/);
  });

  test('members of a request for which v1 has no place are lost in dialects without them', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 't1', metadata: { a: 1 } } };
    const options = { from: 'a2a-0.3' };
    expect(to('a2a-0.2', request, options)).toMatchObject({ losses: [], text: JSON.stringify(request, undefined, 2) });
    expect(to('a2a-1.0', request, options).losses).toMatchObject([{ path: 'metadata', missed: true }]);
  });

  test('a dialect that cannot say it says so', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
    expect(to('a2a-0.1', request)).toEqual({
      dialect: 'a2a-0.1',
      binding: 'jsonrpc',
      losses: [],
      error: 'This dialect has no ListTasks',
    });
  });

  test('a translation uses the same binding if the dialect has it, and otherwise JSON-RPC', () => {
    const http = 'POST /v1/message:send\n\n{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}';
    expect(to('a2a-1.0', http).text).toMatch(/^POST \/message:send\n\n\{\n {2}"message": /);
    expect(JSON.parse(to('a2a-0.1', http).text ?? '')).toMatchObject({ jsonrpc: '2.0', id: 1, method: 'tasks/send' });
    const error = { status: 404, body: { error: { code: 404, status: 'NOT_FOUND', message: 'gone', details: [] } } };
    expect(JSON.parse(to('a2a-0.3', error, { binding: 'rest', from: 'a2a-1.0' }).text ?? '')).toMatchObject({
      status: 404,
    });
    expect(JSON.parse(to('a2a-0.1', error, { binding: 'rest', from: 'a2a-1.0' }).text ?? '')).toMatchObject({
      code: -32601,
    });
  });

  test('a response keeps its id; of an answer in two calls the second is reported', () => {
    const response = { jsonrpc: '2.0', id: 'x', result: { task } };
    expect(JSON.parse(to('a2a-0.3', response).text ?? '')).toMatchObject({
      id: 'x',
      result: { kind: 'task', id: 't1' },
    });
    const vault = to('agentvault-0.2', response);
    expect(JSON.parse(vault.text ?? '')).toEqual({ jsonrpc: '2.0', id: 'x', result: { id: 't1' } });
    expect(vault.losses).toMatchObject([
      { path: 'method', reason: 'agentvault-0.2 needs a second call, which this frame is not' },
    ]);
  });

  test('an error that ends a stream is translated', () => {
    const frames = [{ result: { task } }, { error: { code: -32603, message: 'broken' } }];
    const stream = frames.map((frame) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 7, ...frame })}\n\n`).join('');
    const written = parseFrame(to('a2a-0.3', stream).text ?? '').events;
    expect(written).toMatchObject([
      { data: { id: 7, result: { kind: 'task' } } },
      { data: { id: 7, error: { code: -32603 } } },
    ]);
    const vault = to('agentvault-0.2', stream);
    expect(vault.text).toMatch(/event: error\ndata: /);
    expect(translate(vault.text ?? '').source).toMatchObject({ dialect: 'agentvault-0.2', type: 'stream' });
  });

  test('a stream without its task is translated to subscriptions, or to the stream that the dialect has', () => {
    const status = { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
    const stream = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { statusUpdate: status } })}`;
    const options = { from: 'a2a-1.0', type: 'stream', method: 'SubscribeToTask' } as const;
    expect(to('a2a-0.3', stream, options).method).toBe('tasks/resubscribe');
    const php = to('a2a-php-0.3', stream, options);
    expect(php.method).toBe('message/stream');
    expect(php.text).toMatch(/"kind":"status-update"/);
  });

  test('methods of the knowledge graph are the same in every dialect', () => {
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'knowledge/query',
      params: { query: '{}', queryLanguage: 'graphql' },
    };
    const texts = translate(request).translated.map(({ text }) => JSON.parse(text ?? ''));
    expect(texts).toEqual(names.map(() => request));
  });

  test('large frames take no longer than their size says', () => {
    const large = JSON.stringify({ ...message, parts: [{ text: 'x'.repeat(5 << 20) }] });
    const { source, translated } = translate(large);
    expect([source.type, translated.length]).toEqual(['message', names.length - 1]);
  });
});

describe('payments (x402)', () => {
  const required = {
    'x402.payment.status': 'payment-required',
    'x402.payment.required': { x402Version: 1, accepts: [] },
  };
  const payload = {
    'x402.payment.status': 'payment-submitted',
    'x402.payment.payload': { x402Version: 1, scheme: 'exact' },
  };
  const receipts = {
    'x402.payment.status': 'payment-completed',
    'x402.payment.receipts': [{ success: true, network: 'base' }],
  };
  const message = (role: string, metadata: object) => ({
    messageId: `m-${role}`,
    role,
    parts: [{ text: 'pay' }],
    metadata,
  });
  const frames = {
    message: message('ROLE_USER', payload),
    task: {
      id: 't1',
      contextId: 'c1',
      status: {
        state: 'TASK_STATE_COMPLETED',
        message: message('ROLE_AGENT', receipts),
        timestamp: '2026-01-01T00:00:00.000Z',
      },
      history: [message('ROLE_USER', payload)],
      metadata: required,
    },
  } as const;

  test.each(names.flatMap((name) => Object.entries(frames).map(([type, frame]) => [name, type, frame] as const)))(
    "the dialect %s keeps the metadata of a payment's %s, and brings it back",
    (name, type, frame) => {
      if (name === 'a2a-1.0') return;
      const stated: TranslateOptions = { from: 'a2a-1.0', type: type as keyof typeof frames };
      const there = to(name, frame, stated);
      expect(there.losses.filter(({ path }) => path.includes('metadata'))).toEqual([]);
      const back = to('a2a-1.0', there.text, { from: name, type: stated.type } as TranslateOptions);
      const kept = JSON.parse(back.text ?? '{}');
      const metadataOf = (value: { metadata?: object } | undefined): object => value?.metadata ?? {};
      expect(metadataOf(kept)).toEqual(expect.objectContaining(metadataOf(frame)));
      if (type !== 'task') return;
      // AgentVault has the message of a status among the others.
      const said = kept.status.message ?? kept.history.at(-1);
      expect(metadataOf(said)).toEqual(expect.objectContaining(receipts));
    },
  );
});
