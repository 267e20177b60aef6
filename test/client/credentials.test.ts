import { expect, it } from 'vitest';
import { mayShare } from '../../src/client/credentials.ts';

it.each([
  ['https://a.example', 'https://a.example:8443/x', true],
  ['http://a.example', 'https://a.example', true],
  ['http://a.example', 'http://trusted.example', true],
  ['https://a.example', 'https://trusted.example', true],
  ['https://a.example', 'http://a.example', false],
  ['https://a.example', 'http://trusted.example', false],
  ['https://a.example', 'https://other.example', false],
  ['http://a.example', 'http://other.example', false],
])('of an agent at %s, credentials may be sent to %s: %s', (target, url, may) => {
  expect(mayShare(new URL(target), new URL(url), ['trusted.example'])).toBe(may);
});
