import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Concat, concatBytes, InboundBuffer } from '../../src/wire/inbound-buffer.ts';

it.each<[string, Concat<Uint8Array>]>([
  ['in Node', (chunks) => Buffer.concat(chunks)],
  ['in pages', concatBytes],
])('the chunks of a body are what came, however it came, %s', (_, concat) => {
  const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(parts, (given) => {
      const buffer = new InboundBuffer(concat);
      const whole = Buffer.concat(given);
      for (const part of given) buffer.push(part);
      expect(buffer.size).toBe(whole.length);
      expect(whole.equals(buffer.join())).toBe(true);
    }),
    { numRuns: 50 },
  );
});
