import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { portableSha256, portableUUID, randomUUID, sha256 } from '../../src/core/model/crypto.ts';
import { sameJson } from '../../src/core/model/json.ts';
import { canonicalBase64 } from '../../src/wire/values.ts';

describe('what browsers lack', () => {
  it('SHA-256 is that of Node, at every length of the last block', () => {
    const lengths = Array.from({ length: 130 }, (_, length) => 'x'.repeat(length));
    for (const text of [...lengths, 'ä€😀', '\ud800', 'y'.repeat(100_000)]) {
      expect(portableSha256(text)).toBe(hash('sha256', text, 'base64url'));
      expect(sha256(text)).toBe(portableSha256(text));
    }
  });

  it('random UUIDs have version 4', () => {
    const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (let i = 0; i < 100; i++) expect(portableUUID()).toMatch(version4);
    expect(randomUUID()).toMatch(version4);
    expect(portableUUID()).not.toBe(portableUUID());
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
    expect(sameJson({ a: undefined }, {})).toBe(false);
    expect(sameJson({ a: undefined }, { b: 1 })).toBe(false);
    expect(sameJson([1], { 0: 1 })).toBe(false);
    expect(sameJson({}, null)).toBe(false);
  });

  describe('Buffer', () => {
    afterEach(() => vi.unstubAllGlobals());
    it('base64 is the same with and without it', () => {
      const texts = fc.sample(fc.stringMatching(/^[A-Za-z0-9+/_-]{0,12}={0,2}$/), 500);
      const expected = texts.map(canonicalBase64);
      vi.stubGlobal('Buffer', undefined);
      expect(texts.map(canonicalBase64)).toEqual(expected);
    });
  });
});
