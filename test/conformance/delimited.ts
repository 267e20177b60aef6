import type { Readable, Writable } from 'node:stream';

/** The form in which official suites talk with programs: messages with their length before them, in four bytes. */

/** Whether the lowest of these bytes is the first. */
export type ByteOrder = 'highest first' | 'lowest first';

/** The messages of a stream, as they arrive. */
export async function* delimited(input: Readable, order: ByteOrder): AsyncGenerator<Buffer> {
  const lengthOf = (bytes: Buffer): number => (order === 'lowest first' ? bytes.readUInt32LE() : bytes.readUInt32BE());
  let bytes = Buffer.alloc(0);
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    while (bytes.length >= 4 && bytes.length >= 4 + lengthOf(bytes)) {
      const end = 4 + lengthOf(bytes);
      yield bytes.subarray(4, end);
      bytes = bytes.subarray(end);
    }
  }
}

export function writeDelimited(output: Writable, order: ByteOrder, message: Uint8Array): void {
  const length = Buffer.alloc(4);
  if (order === 'lowest first') length.writeUInt32LE(message.length);
  else length.writeUInt32BE(message.length);
  output.write(Buffer.concat([length, message]));
}
