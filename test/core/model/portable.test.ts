import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { portableSha256, sha256 } from '../../../src/core/model/crypto.ts';
import { portableHex } from '../../../src/core/model/ids.ts';
import { sameJson } from '../../../src/core/model/json.ts';
import { canonicalBase64 } from '../../../src/wire/values.ts';

describe('what browsers lack', () => {
  it('the portable SHA-256 is that of Node, at every length of the last block', () => {
    const lengths = Array.from({ length: 130 }, (_, length) => 'x'.repeat(length));
    for (const text of [...lengths, 'ä€😀', '\ud800', 'y'.repeat(100_000)]) {
      expect(portableSha256(text)).toBe(hash('sha256', text, 'base64url'));
      expect(sha256(text)).toBe(portableSha256(text));
    }
  });

  it('bytes are the same in hexadecimal as in Node', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(portableHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
  });

  it('values of JSON are equal when Node says so', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(sameJson(one, other)).toBe(isDeepStrictEqual(one, other));
        expect(sameJson(one, structuredClone(one))).toBe(true);
        expect(sameJson({ one, other }, { other, one })).toBe(true);
      }),
    );
    expect(sameJson({ a: undefined }, {})).toBe(true);
    expect(sameJson({}, { constructor: 1 })).toBe(false);
    expect(sameJson({ a: undefined }, { b: 1 })).toBe(false);
    expect(sameJson([1], { 0: 1 })).toBe(false);
    expect(sameJson({}, null)).toBe(false);
  });

  describe('Buffer', () => {
    afterEach(() => vi.unstubAllGlobals());
    it('base64 is the same with and without Buffer', () => {
      const texts = fc.sample(fc.stringMatching(/^[A-Za-z0-9+/_-]{0,12}={0,2}$/), 500);
      const expected = texts.map(canonicalBase64);
      vi.stubGlobal('Buffer', undefined);
      expect(texts.map(canonicalBase64)).toEqual(expected);
    });
  });
});
