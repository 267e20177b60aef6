import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { hmac } from '../../../src/agents/upstream/ids.ts';

it('keys of messages are HMACs of Node, for every secret and text', () => {
  const texts = ['', 'text', 'ä€😀', 'x'.repeat(1_000)];
  for (const secret of ['', 'secret', 'other secret', 's'.repeat(64)]) {
    for (const text of texts) {
      expect(hmac(secret, text)).toBe(createHmac('sha256', secret).update(text).digest('base64url'));
    }
  }
  expect(() => hmac('s'.repeat(65), '')).toThrow(RangeError);
  expect(() => hmac('ä', '')).toThrow(RangeError);
});
