import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EnvelopeReader as NodeReader } from '../../src/transports/rpc/envelope.ts';
import { EnvelopeReader, prefixLength, writeEnvelope } from '../../src/wire/envelope.ts';
import { concatBytes, InboundBuffer } from '../../src/wire/inbound-buffer.ts';

const limit = 30;

/** By where they run: a reader, and chunks of its kind. */
const readers = {
  'in Node': { create: () => new NodeReader({ limit }), chunk: (bytes: Uint8Array) => Buffer.from(bytes) },
  'in pages': {
    create: () => new EnvelopeReader<Uint8Array>(() => new InboundBuffer(concatBytes), { limit }),
    chunk: (bytes: Uint8Array) => bytes,
  },
} as const;

const envelope = (data: Uint8Array, flag: number) =>
  writeEnvelope(new Uint8Array(prefixLength + data.length), data, flag);

it.each(Object.entries(readers))('envelopes are found at any boundary %s', (_, { create, chunk }) => {
  const data = fc.array(fc.tuple(fc.uint8Array({ maxLength: limit }), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(data, fc.infiniteStream(fc.integer({ min: 1, max: 12 })), (messages, sizes) => {
      const bytes = concatBytes(messages.map(([message, flag]) => envelope(message, flag)));
      const reader = create();
      const found = [];
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value;
        for (const { data, flags } of reader.read(chunk(bytes.subarray(at, at + size)) as Buffer))
          found.push([Uint8Array.from(data), flags]);
        at += size;
      }
      expect(found).toEqual(messages.map(([message, flag]) => [Uint8Array.from(message), flag]));
      expect(reader.unfinished).toBe(false);
    }),
  );
  expect(() => create().read(chunk(Uint8Array.of(0, 0xff, 0, 0, 0)) as Buffer)).toThrow(/larger than 30/);
});
