import { expect, test } from 'vitest';
import { sealedTokens } from '../../../src/net/credentials/sealed-tokens.ts';

const tokens = sealedTokens<readonly unknown[]>('secret', 'links');
const token = tokens.seal(['key', 7]);

test('a token holds its content, is the same for the same content, and shows nothing of it', () => {
  expect(tokens.open(token)).toEqual(['key', 7]);
  expect(tokens.seal(['key', 7])).toBe(token);
  expect(Buffer.from(token, 'base64url').includes('key')).toBe(false);
});

test('a token that was changed anywhere, cut or extended opens nothing', () => {
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(tokens.open(`${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBeUndefined();
  }
  for (const text of ['', 'x', token.slice(1), token.slice(0, -1), `${token}A`, `${token}==`, 'A'.repeat(10_000)]) {
    expect(tokens.open(text)).toBeUndefined();
  }
});

test('a token of another use, or of another secret, opens nothing', () => {
  expect(sealedTokens('secret', 'files').open(token)).toBeUndefined();
  expect(sealedTokens('other', 'links').open(token)).toBeUndefined();
});
