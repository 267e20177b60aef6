import { countBody, type MessageReading } from '../../wire/counts.ts';
import * as wire from '../../wire/envelope.ts';
import { InboundBuffer } from '../../wire/inbound-buffer.ts';

export { flags } from '../../wire/envelope.ts';
export type Envelope = wire.Envelope<Buffer>;

/** A message with its prefix. */
export const envelope = (data: Uint8Array, flag = 0): Buffer =>
  wire.writeEnvelope(Buffer.allocUnsafe(wire.prefixLength + data.length), data, flag);

const createBuffer = (): InboundBuffer<Buffer> => new InboundBuffer<Buffer>(Buffer.concat);

/** Splits a body into envelopes, at any chunk boundaries. */
export class EnvelopeReader extends wire.EnvelopeReader<Buffer> {
  /** @param reading counts each message before it is buffered */
  constructor(reading: MessageReading) {
    super(createBuffer, { limit: reading.limit, admit: (size) => countBody(reading, size) });
  }
}
