import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curlOf, indented } from '../../../src/extensions/console/pages/calls/frames.ts';
import type { WireFrame } from '../../../src/gen/admin-v1/types.ts';

const urlOf = (path: string): string => `http://gateway.example${path}`;

/** Arguments and input that `curl` gets when a shell runs a command. */
function run(command: string): { readonly words: string[]; readonly input: string } {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\0'; case "$*" in *@-*) cat;; esac; }\n${command}`;
  const env = { PATH: process.env.PATH ?? '', A2A_API_KEY: 'the key', A2A_BEARER: 'the token' };
  const [words = '', input = ''] = execFileSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' }).split(
    '\0\0',
  );
  return { words: words.split('\0'), input };
}

const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '').toWellFormed());

test('a copied command sends the request as it was, whatever others wrote into it', () => {
  const path = fc.string({ unit: fc.constantFrom(...'a/?$`"\'&;|<>(){}*~!#\\') }).map((rest) => `/${rest}`);
  fc.assert(
    fc.property(path, text, text, (path, value, body) => {
      const frame = { head: `POST ${path} HTTP/1.1`, headers: [{ name: 'x-$(id)`id`', value }], text: body };
      const { words, input } = run(curlOf(frame, urlOf) ?? '');
      expect(words).toContain(urlOf(path));
      expect(words).toContain(`x-$(id)\`id\`: ${value}`);
      if (words.includes('--data-raw')) expect(words.at(-1)).toBe(body);
      else expect(input).toBe(body);
    }),
    {
      numRuns: 40,
      examples: [
        ['/', '@/etc/passwd', '@/etc/passwd'],
        ['/', '', '\u001b[201~ls\n'],
      ],
    },
  );
});

test('credentials come from the environment, and bytes are sent as they were', () => {
  const frame: WireFrame = {
    head: 'POST /demo HTTP/2',
    headers: [
      { name: 'authorization', value: '[secret]' },
      { name: 'x-`id`-key', value: '[secret]' },
      { name: 'cookie', value: '[secret]' },
    ],
    text: '{"message":{}}',
    base64: Buffer.from('\0bytes').toString('base64'),
  };
  const command = curlOf(frame, urlOf) ?? '';
  expect(command).toContain('--http2-prior-knowledge');
  expect(command).not.toContain('cookie');
  const { words } = run(command);
  expect(words).toContain('authorization: Bearer the token');
  expect(words).toContain('x-`id`-key: the key');
  expect(curlOf({ ...frame, cut: '1' }, urlOf)).toBeUndefined();
  expect(curlOf({ ...frame, head: 'GET http://evil.example/ HTTP/1.1' }, urlOf)).toBeUndefined();
});

test('a key that was masked in the query of a recorded request comes from the environment, and brackets are no range', () => {
  const command = curlOf({ head: 'GET /demo/tasks?api_key=[secret]&pageSize=1 HTTP/1.1' }, urlOf) ?? '';
  expect(run(command).words).toEqual(['-X', 'GET', urlOf('/demo/tasks?api_key=the key&pageSize=1')]);
  expect(run(curlOf({ head: 'GET /demo/tasks?ids[]=1 HTTP/1.1' }, urlOf) ?? '').words).toEqual([
    '-g',
    '-X',
    'GET',
    urlOf('/demo/tasks?ids[]=1'),
  ]);
});

test('indenting changes nothing but the blanks between tokens', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(indented(json))).toEqual(JSON.parse(json));
    }),
  );
  expect(indented('{"n":1.0,"n":1e2,"s":"\\u0041 {"}')).toBe('{\n  "n": 1.0,\n  "n": 1e2,\n  "s": "\\u0041 {"\n}');
  expect(indented('['.repeat(60_000)).length).toBeLessThan(3_000_000);
  expect(indented('data: {"a":1}')).toBe('data: {"a":1}');
});
