import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decompress } from '../../../src/transports/http/decompress.ts';

it('compressed messages never become more than may be, and few at a time', async () => {
  const bomb = gzipSync(Buffer.alloc(20 << 20));
  const good = gzipSync(Buffer.from('good'));
  const results = Array.from({ length: 40 }, (_, i) =>
    decompress('gzip', ['gzip'], i % 2 ? good : bomb, { limit: 1 << 20 }),
  );
  const ended = await Promise.allSettled(results);
  for (const [i, each] of ended.entries()) {
    if (i % 2) expect(String((each as PromiseFulfilledResult<Buffer>).value)).toBe('good');
    else expect((each as PromiseRejectedResult).reason).toMatchObject({ kind: 'payloadTooLarge' });
  }
  expect(String(await decompress('gzip', ['gzip'], good, { limit: 1 << 20 }))).toBe('good');
});

it('compressed messages are what their protocol knows', async () => {
  await expect(decompress('br', ['gzip'], Buffer.alloc(1), { limit: 9 })).rejects.toMatchObject({
    kind: 'unimplemented',
  });
  await expect(decompress('identity', ['gzip'], Buffer.alloc(1), { limit: 9 })).rejects.toMatchObject({
    kind: 'invalidFraming',
  });
  await expect(decompress('gzip', ['gzip'], Buffer.alloc(9), { limit: 9 })).rejects.toMatchObject({ kind: 'parse' });
});
