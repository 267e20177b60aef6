import fc from 'fast-check';
import { expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { errorOf, GatewayError } from '../../../src/extensions/console/gateway/error.ts';
import { readCard } from '../../../src/extensions/console/pages/agents/read.ts';
import { snippetsFor } from '../../../src/extensions/console/pages/agents/snippets.ts';
import { hrefOf, parseRoute } from '../../../src/extensions/console/shell/route.ts';
import { bytes, count, duration, relative, words } from '../../../src/extensions/console/ui/format.ts';
import { levelsOf, pathTo } from '../../../src/extensions/console/ui/json-value.ts';

it.each([
  ['', { page: '', path: [], query: '' }],
  ['#/', { page: '', path: [], query: '' }],
  ['#/tasks', { page: 'tasks', path: [], query: '' }],
  ['#/tasks/a%2Fb?state=A&state=B', { page: 'tasks', path: ['a/b'], query: 'state=A&state=B' }],
  ['#/tasks/x?q=a?b', { page: 'tasks', path: ['x'], query: 'q=a%3Fb' }],
  ['#/tasks/%zz', { page: 'tasks', path: ['%zz'], query: '' }],
  ['#/agents/a?card=x', { page: 'agents', path: ['a'], query: 'card=x' }],
])('the address %s is read', (hash, expected) => {
  const { page, path, query } = parseRoute(hash);
  expect({ page, path, query: query.toString() }).toEqual(expected);
});

it('an address is read as it was written', () => {
  const name = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(name, fc.array(name), fc.dictionary(name, name), (page, path, query) => {
      const read = parseRoute(hrefOf(page, path, query));
      expect(read.page).toBe(page);
      expect(read.path).toEqual(path);
      expect(Object.fromEntries(read.query)).toEqual({ ...query });
    }),
  );
});

it('an address leaves out what is not set', () => {
  expect(hrefOf('tasks', [], { a: undefined, b: '', c: 'd' })).toBe('#/tasks?c=d');
});

it('numbers and times are short', () => {
  expect([0, 999, 1024, 1536, 5 * 1024 ** 2, 150 * 1024 ** 2].map(bytes)).toEqual([
    ...['0 B', '999 B', '1.0 KiB', '1.5 KiB', '5.0 MiB', '150 MiB'],
  ]);
  expect([0, 1.25, 45, 1_500, 59_000, 200_000, 3_600_000, 90_000_000].map(duration)).toEqual([
    ...['0 ms', '1.3 ms', '45 ms', '1.5 s', '59 s', '3 min 20 s', '1 h', '1 d 1 h'],
  ]);
  expect(count(1_234_567)).toBe('1,234,567');
  expect(words('TASK_STATE_INPUT_REQUIRED')).toBe('Input required');
  const now = 1_000_000;
  expect([now, now - 4_200, now - 200_000, now + 60_000].map((at) => relative(at, now))).toEqual([
    ...['now', '4 s ago', '3 min ago', 'in 1 min'],
  ]);
});

it('a JSON value opens to a depth, as long as there are few rows', () => {
  const value = { a: [1, { b: 2 }], 'c/d~': {}, e: 'text' };
  expect([1, 2, 3, 9].map((depth) => levelsOf(value, depth, 200))).toEqual([1, 2, 3, 4]);
  expect(levelsOf(value, 9, 4)).toBe(2);
  expect(levelsOf({ small: { a: 1 }, rows: Array.from({ length: 300 }, (_, at) => ({ at })) }, 9, 4)).toBe(3);
  expect([undefined, null, 'text', [], {}].map((one) => levelsOf(one, 3, 200))).toEqual([1, 1, 1, 1, 1]);
});

it('a JSON value names its members by JSON Pointers', () => {
  expect(pathTo(pathTo('', 'c/d~'), 0)).toBe('/c~1d~0/0');
});

it('an error of the gateway has the reason, the field and the message', () => {
  const violations = [{ field: 'pageSize', description: 'must be at most 500' }];
  const error = new A2AError('invalidParams', 'The request is invalid', { violations });
  const body = { error: { code: 400, message: error.message, details: error.details() } };
  expect(errorOf(body, 400)).toMatchObject({
    status: 400,
    reason: 'INVALID_PARAMS',
    field: 'pageSize',
    message: expect.stringContaining('pageSize must be at most 500'),
  });
});

it.each([undefined, null, 'text', [], { error: 'text' }, { error: { details: 'text' } }])(
  'an error of the gateway is one for %j, too',
  (body) => {
    const error = errorOf(body, 502, '7');
    expect(error).toBeInstanceOf(GatewayError);
    expect(error.message).toContain('502');
    expect(error.retryAfter).toBe(7);
    expect(error.temporary).toBe(true);
  },
);

it('a card is read whatever it holds', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => void readCard(value)));
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('name', 'skills', 'capabilities', 'provider', 'supportedInterfaces', 'securitySchemes'),
        fc.jsonValue(),
      ),
      (value) => void readCard(value),
    ),
  );
});

it('a card names what an agent can do', () => {
  const card = readCard({
    name: 'Clerk',
    version: '2',
    capabilities: { streaming: true, pushNotifications: false, extensions: [{ uri: 'urn:x', required: true }] },
    skills: [{ id: 'file', name: 'File', tags: ['a', 7], examples: 'none' }, 'no skill'],
  });
  expect(card).toMatchObject({
    name: 'Clerk',
    version: '2',
    capabilities: ['streaming'],
    skills: [
      { id: 'file', name: 'File', tags: 'a, 7' },
      { id: '', name: '' },
    ],
  });
});

it('the code to reach an agent carries a credential where the gateway wants one, and never the credential itself', () => {
  const facts = { gateway: 'http://localhost:8080', agent: 'NAME', apiKeyHeader: undefined, bearer: false };
  const codeOf = (title: string, more: object): string | undefined =>
    snippetsFor({ ...facts, ...more }).find((snippet) => snippet.title === title)?.code;
  expect(codeOf('curl', { apiKeyHeader: 'X-Own-Key' })).toContain(`-H 'X-Own-Key: '"$A2A_API_KEY"`);
  expect(codeOf('MCP', { apiKeyHeader: 'X-Own-Key' })).toContain('"X-Own-Key": "KEY"');
  expect(codeOf('curl', { bearer: true })).toContain(`-H 'Authorization: Bearer '"$A2A_BEARER"`);
  expect(
    snippetsFor(facts)
      .map(({ code }) => code)
      .join(),
  ).not.toMatch(/A2A_API_KEY|Authorization/);
});
