import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { normalize } from '../../src/wire/protojson.ts';
import { canonicalJson } from '../support/arbitrary-json.ts';

const t = (name: string): string => `lf.a2a.v1.${name}`;

describe('accepted spellings', () => {
  test.each([
    ['proto names', 'Message', { message_id: 'm', context_id: 'c' }, { messageId: 'm', contextId: 'c' }],
    ['null as absent', 'Message', { messageId: 'm', metadata: null, parts: null }, { messageId: 'm' }],
    ['null as a value', 'Part', { data: null, text: null }, { data: null }],
    ['unknown keys', 'Message', { messageId: 'm', kind: 'message' }, { messageId: 'm' }],
    ['unknown keys deep down', 'Message', { parts: [{ kind: 'text', text: 'a' }] }, { parts: [{ text: 'a' }] }],
    ['enum numbers', 'Message', { role: 1 }, { role: 'ROLE_USER' }],
    ['numbers as strings', 'GetTaskRequest', { historyLength: '10' }, { historyLength: 10 }],
    ['defaults without presence', 'Message', { messageId: 'm', contextId: '', extensions: [] }, { messageId: 'm' }],
    ['false without presence', 'SendMessageConfiguration', { returnImmediately: false }, {}],
    ['defaults with presence', 'GetTaskRequest', { historyLength: 0 }, { historyLength: 0 }],
    ['an unspecified enum', 'ListTasksRequest', { status: 0 }, {}],
    ['base64url', 'Part', { raw: '-_8' }, { raw: '+/8=' }],
    ['base64 without padding', 'Part', { raw: 'QQ' }, { raw: 'QQ==' }],
    [
      'maps',
      'AgentCard',
      { security_schemes: { a: { mtls_security_scheme: {} } } },
      { securitySchemes: { a: { mtlsSecurityScheme: {} } } },
    ],
  ])('the spelling is accepted: %s', (_, name, input, output) => {
    const before = structuredClone(input);
    const result = normalize(api, t(name), input);
    expect(result).toMatchObject(output);
    for (const key of Object.keys(result as object)) {
      const added = api.fields.messages[t(name)]?.fields.some((field) => field.jsonName === key && field.defaulted);
      if (!added) expect(output).toHaveProperty([key]);
    }
    expect(input).toEqual(before);
  });

  test('required fields that may be empty are written out', () => {
    expect(normalize(api, t('ListTasksResponse'), {})).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 0,
      totalSize: 0,
    });
    expect(normalize(api, t('TaskStatus'), {})).toEqual({ state: 'TASK_STATE_UNSPECIFIED' });
  });

  test('json_name overrides of A2A 0.3 are accepted', () => {
    const request = { request: { message_id: 'm', content: [{ text: 'a' }] } };
    expect(normalize(v03, 'a2a.v1.SendMessageRequest', request)).toEqual({
      message: { messageId: 'm', content: [{ text: 'a' }] },
    });
    expect(normalize(v03, 'a2a.v1.StreamResponse', { msg: {} })).toEqual({ message: {} });
  });

  test('metadata is free', () => {
    const metadata = { snake_case: null, 'a.b': [null], context_id: 1 };
    expect(normalize(api, t('Message'), { metadata })).toEqual({ metadata });
  });

  test('wrong types stay for the validator to name', () => {
    for (const value of [1, 'a', null, [], true]) expect(normalize(api, t('Task'), value)).toBe(value);
    const wrong = { parts: 'x', role: 99, metadata: 1, messageId: {}, extensions: [1, null] };
    expect(normalize(api, t('Message'), wrong)).toBe(wrong);
  });
});

describe('timestamps', () => {
  const normalized = (timestamp: string): unknown => {
    const status = normalize(api, t('TaskStatus'), { state: 'TASK_STATE_WORKING', timestamp });
    return (status as { timestamp: string }).timestamp;
  };

  test.each([
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02T03:04:05.678Z', '2024-01-02T03:04:05.678Z'],
    ['2024-01-02T03:04:05.1Z', '2024-01-02T03:04:05.100Z'],
    ['2024-01-02T03:04:05.123456789Z', '2024-01-02T03:04:05.123Z'],
    ['2024-01-02T03:04:05.999999+02:00', '2024-01-02T01:04:05.999Z'],
    ['2024-01-01T00:30:00-01:00', '2024-01-01T01:30:00.000Z'],
    ['2024-01-02t03:04:05z', '2024-01-02T03:04:05.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2024-01-02T03:04:05', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05.123456', '2024-01-02T03:04:05.123Z'],
    ['2024-01-02T03:04:05+0200', '2024-01-02T01:04:05.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('the timestamp %s is normalized', (input, output) => {
    expect(normalized(input)).toBe(output);
  });

  test.each([
    '2024-01-02T03:04',
    '2024-01-02',
    '2023-02-29T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-01T24:61:00Z',
    '9999-12-31T23:59:59-01:00',
    'yesterday',
    '',
  ])('the timestamp %s is left alone', (input) => {
    expect(normalized(input)).toBe(input);
  });
});

describe('hostile keys', () => {
  test('a field in both spellings is refused, and named', () => {
    const message = { messageId: 'a', message_id: 'b' };
    expect(() => normalize(api, t('SendMessageRequest'), { message })).toThrow('message.messageId is given twice');
    const parts = [{ text: 'a' }, { media_type: 'b', text: 'a', mediaType: 'c' }];
    expect(() => normalize(api, t('Message'), { parts })).toThrow('parts[1].mediaType is given twice');
  });

  test('a null in one spelling does not hide the other', () => {
    expect(normalize(api, t('Message'), { context_id: null, contextId: 'c' })).toEqual({ contextId: 'c' });
    expect(normalize(api, t('Message'), { contextId: 'c', context_id: null })).toEqual({ contextId: 'c' });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__'])(
    'the key %s is dropped',
    (key) => {
      const input = JSON.parse(`{"messageId":"m","${key}":{"contextId":"evil"},"context_id":"c"}`);
      const result = normalize(api, t('Message'), input) as object;
      expect(result).toEqual({ messageId: 'm', contextId: 'c' });
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      expect(Object.hasOwn(result, key)).toBe(false);
    },
  );

  test('__proto__ in a map is refused', () => {
    const input = JSON.parse('{"schemes":{"__proto__":{"list":["a"]}}}');
    expect(() => normalize(api, t('SecurityRequirement'), input)).toThrow('schemes.__proto__ is not allowed');
  });
});

test('what is canonical comes back as it is; all of it can be respelled and comes back equal', () => {
  const names = Object.keys(api.fields.messages);
  fc.assert(
    fc.property(
      fc.constantFrom(...names).chain((name) => canonicalJson(api, name).map((json) => [name, json] as const)),
      ([name, json]) => {
        expect(normalize(api, name, json)).toBe(json);
        const respelled = respell(name, json);
        expect(normalize(api, name, respelled)).toEqual(json);
      },
    ),
    { numRuns: 300 },
  );
});

/** The message with proto names, numbers for enums, base64url, and unknown keys. */
function respell(typeName: string, json: Record<string, unknown>): Record<string, unknown> {
  const fields = api.fields.messages[typeName]?.fields ?? [];
  const entries = fields.flatMap((field) => {
    const value = json[field.jsonName];
    if (value === undefined) return [[field.protoName, null] as const].filter(() => field.kind !== 'value');
    const item = (entry: unknown): unknown => {
      const kind = field.valueKind ?? field.kind;
      if (kind === 'message') return respell(field.type, entry as Record<string, unknown>);
      if (kind === 'enum') return api.fields.enums[field.type]?.[entry as string];
      if (kind === 'bytes') return Buffer.from(entry as string, 'base64').toString('base64url');
      return field.type === 'int32' ? String(entry) : entry;
    };
    if (field.repeated) return [[field.protoName, (value as unknown[]).map(item)] as const];
    if (field.kind !== 'map') return [[field.protoName, item(value)] as const];
    const map = Object.entries(value as object).map(([key, entry]) => [key, item(entry)] as const);
    return [[field.protoName, Object.fromEntries(map)] as const];
  });
  return Object.fromEntries([...entries, ['x-unknown', { a: 1 }]]);
}
