import { expect, test } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { parseAs, violationsOf } from '../../src/wire/validate.ts';

const t = (name: string): string => `lf.a2a.v1.${name}`;
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

function problem(run: () => unknown): A2AError {
  try {
    run();
  } catch (error) {
    if (error instanceof A2AError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a canonical request is returned as it is', () => {
  const request = { message, metadata: { any: [null] } };
  expect(parseAs(api, t('SendMessageRequest'), request)).toBe(request);
});

test.each([
  [
    'two contents',
    { message: { ...message, parts: [{ text: 'a' }, { text: 'a', url: 'b' }] } },
    'message.parts[1]',
    'must have only one of text, raw, url, data',
  ],
  ['something else', 'hello', '', 'must be an object'],
])('a violation names its field: %s', (_, request, field, description) => {
  const error = problem(() => parseAs(api, t('SendMessageRequest'), request));
  expect(error.kind).toBe('invalidParams');
  expect(error.violations).toEqual([{ field, description }]);
  expect(error.message).toBe(`Invalid parameters: ${field || 'The value'} ${description}`);
});

test('snake_case input is named as in JSON, below the given path', () => {
  const error = problem(() => parseAs(api, t('TaskStatus'), { message: { message_id: 1 } }, 'result.status'));
  expect(error.violations.map(({ field }) => field)).toContain('result.status.message.messageId');
});

test('a bad timestamp is a violation', () => {
  const error = problem(() => parseAs(api, t('ListTasksRequest'), { statusTimestampAfter: '2023-02-29T00:00:00Z' }));
  expect(error.violations).toEqual([{ field: 'statusTimestampAfter', description: 'must be an RFC 3339 timestamp' }]);
});

test('a body that is wrong a million times is refused as quickly as others', () => {
  const parts = Array.from({ length: 1_000_000 }, () => ({}));
  expect(
    problem(() => parseAs(api, t('SendMessageRequest'), { message: { ...message, parts } })).violations,
  ).toHaveLength(20);
});

test('an unspecified role is refused, an unspecified state is not', () => {
  expect(() => parseAs(api, t('Message'), { ...message, role: 0 })).toThrow('role');
  expect(parseAs(api, t('TaskStatus'), { state: 0 })).toEqual({ state: 'TASK_STATE_UNSPECIFIED' });
});

test('Empty takes anything and keeps nothing', () => {
  expect(parseAs(api, 'google.protobuf.Empty', { a: 1 })).toEqual({});
});

test('the shapes of A2A 0.3', () => {
  const request = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ file: { fileWithBytes: 'QQ==' } }] } };
  expect(parseAs(v03, 'a2a.v1.SendMessageRequest', request)).toBe(request);
  expect(() => parseAs(v03, 'a2a.v1.SendMessageRequest', { message: { content: [{ file: {} }] } })).toThrow(
    'message.content[0].file must have one of fileWithUri, fileWithBytes',
  );
});

test('a type that does not exist is a defect, not a bad request', () => {
  expect(() => parseAs(api, 'lf.a2a.v1.Nothing', {})).toThrow('no message');
  expect(() => violationsOf(api, 'lf.a2a.v1.Nothing', {})).toThrow('no guard');
});
