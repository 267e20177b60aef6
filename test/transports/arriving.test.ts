import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrivingBytes, Pieces } from '../../src/transports/arriving.ts';
import { decompress } from '../../src/transports/decompress.ts';

describe('the pieces of a body', () => {
  it('are what came, however it came', () => {
    const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(parts, (given) => {
        const pieces = new Pieces(new ArrivingBytes());
        const whole = Buffer.concat(given);
        for (const part of given) expect(pieces.push(Buffer.from(part))).toBe(true);
        expect(pieces.size).toBe(whole.length);
        if (whole.length >= 5) expect(pieces.uint32(1)).toBe(whole.readUInt32BE(1));
        expect(pieces.join().equals(whole)).toBe(true);
        expect(pieces.size).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('share what room there is, but for the beginning of each', () => {
    const room = new ArrivingBytes(100_000);
    const [first, second, third] = [new Pieces(room), new Pieces(room), new Pieces(room)];
    expect(first.push(Buffer.alloc(65_536))).toBe(true);
    expect(room.held).toBe(0);
    expect(first.push(Buffer.alloc(90_000))).toBe(true);
    expect(room.held).toBe(90_000);
    expect(second.push(Buffer.alloc(65_536 + 10_001))).toBe(false);
    // A small one is taken all the same.
    expect(third.push(Buffer.alloc(1_000))).toBe(true);
    expect(first.join()).toHaveLength(155_536);
    expect(room.held).toBe(0);
    expect(second.push(Buffer.alloc(65_536 + 10_001))).toBe(true);
    second.clear();
    second.clear();
    expect(room.held).toBe(0);
  });
});

describe('compressed messages', () => {
  it('never become more than may be, and few at a time', async () => {
    const bomb = gzipSync(Buffer.alloc(20 << 20));
    const good = gzipSync(Buffer.from('good'));
    const asked = Array.from({ length: 40 }, (_, i) => decompress('gzip', ['gzip'], i % 2 ? good : bomb, 1 << 20));
    const ended = await Promise.allSettled(asked);
    for (const [i, each] of ended.entries()) {
      if (i % 2) expect(String((each as PromiseFulfilledResult<Buffer>).value)).toBe('good');
      else expect((each as PromiseRejectedResult).reason).toMatchObject({ kind: 'payloadTooLarge' });
    }
    expect(String(await decompress('gzip', ['gzip'], good, 1 << 20))).toBe('good');
  });

  it('are what their protocol knows', async () => {
    await expect(decompress('br', ['gzip'], Buffer.alloc(1), 9)).rejects.toMatchObject({
      kind: 'contentTypeNotSupported',
    });
    await expect(decompress('gzip', ['gzip'], Buffer.alloc(9), 9)).rejects.toMatchObject({ kind: 'parse' });
  });
});
