import { describe, expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/registry.ts';
import { goldenOf } from '../../src/dialects/translate/index.ts';
import { type Golden, goldenDialects, goldensOf } from '../support/golden.ts';

/** Recorded requests as golden frames: what is kept for a bug report reads as the frame did. */

const dialects = createDialects();

/** A golden request as if a client had sent it to an agent. */
function recordedAs(dialect: string, { face, of, http, in: text, counterpart }: Golden) {
  const headers = counterpart?.userAgent === undefined ? [] : [{ name: 'User-Agent', value: counterpart.userAgent }];
  const request =
    http !== undefined
      ? { head: http.replace(/^(\S+) (\S+)/, `$1 /prefix/demo/as/${dialect}$2 HTTP/1.1`), text }
      : face === 'grpc'
        ? { head: `POST /demo/some.Service/${of} HTTP/2`, text }
        : { head: 'POST /demo HTTP/1.1', text: `{"jsonrpc":"2.0","id":1,"method":"${of}","params":${text}}` };
  return { agent: 'demo', dialect, binding: face ?? 'jsonrpc', client: { request: { ...request, headers, cut: '0' } } };
}

/** Members of a decoded request have other names in older files. */
const members: Readonly<Record<string, string>> = { kept: 'preserved', implied: 'semantics' };

const meaningOf = ({ v1 }: Golden): object =>
  Object.fromEntries(Object.entries(v1 as object).map(([name, item]) => [members[name] ?? name, item]));

describe.each(goldenDialects)('a recorded request in %s', (dialect) => {
  const goldens = goldensOf(dialect).filter(({ kind }) => kind === 'request');

  test(`a recorded request in ${dialect} is the golden frame that it was recorded from`, () => {
    for (const golden of goldens) {
      const made = goldenOf(dialects, recordedAs(dialect, golden));
      const { face, kind, of, http } = golden;
      expect(made).toMatchObject({ kind, of, ...(face && { face }), ...(http !== undefined && { http }) });
      if (golden.in !== '') expect(JSON.parse(made.in)).toEqual(JSON.parse(golden.in));
      expect(made.v1).toMatchObject(meaningOf(golden));
    }
  });
});

test('a recorded request that is not whole, or cannot be read, is no golden frame', () => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}';
  const recorded = (more: object, request: object = {}) =>
    goldenOf(dialects, { dialect: 'a2a-0.3', binding: 'jsonrpc', client: { request: { text, ...request } }, ...more });
  expect(() => recorded({}, { cut: '5' })).toThrow('The request is not recorded whole');
  expect(() => recorded({ dialect: 'other' })).toThrow('The request is in no dialect of A2A');
  expect(() => recorded({ binding: 'mcp' })).toThrow('The request came over mcp');
  expect(() => recorded({})).toThrow('message');
  expect(() => recorded({}, { text: '{"method":"unknown"}' })).toThrow('does not have: unknown');
});
