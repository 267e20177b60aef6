import type { Readable, Writable } from 'node:stream';

/** The form in which the suite talks with programs: messages with their length before them, in four bytes. */

/** The messages of a stream, as they arrive. */
export async function* delimited(input: Readable): AsyncGenerator<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE()) {
      const end = 4 + bytes.readUInt32BE();
      yield bytes.subarray(4, end);
      bytes = bytes.subarray(end);
    }
  }
}

export function writeDelimited(output: Writable, message: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  output.write(Buffer.concat([length, message]));
}
