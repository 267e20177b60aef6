import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** Seconds and nanoseconds since 1970; `nanos` counts forward, also before 1970. */
export interface Timestamp {
  seconds?: number;
  nanos?: number;
}

const year1 = -62_135_596_800;
const year10000 = 253_402_300_800;

/** RFC 3339 to seconds and nanoseconds. */
export function toTimestamp(text: string): Timestamp {
  const millis = Date.parse(text);
  if (Number.isNaN(millis)) throw new RangeError(`not a timestamp: ${text}`);
  const seconds = Math.floor(millis / 1000);
  return { seconds, nanos: (millis - seconds * 1000) * 1_000_000 };
}

/** Seconds and nanoseconds to RFC 3339 in UTC with milliseconds; what is finer is cut off. */
export function fromTimestamp({ seconds = 0, nanos = 0 }: Timestamp): string {
  if (!(seconds >= year1 && seconds < year10000 && nanos >= 0 && nanos < 1_000_000_000)) {
    throw new RangeError('timestamp out of range');
  }
  return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000)).toISOString();
}

/** Codec of google.protobuf.Timestamp. */
export const Timestamp = {
  encode(message: Timestamp, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.seconds) writer.uint32(8).int64(message.seconds);
    if (message.nanos) writer.uint32(16).int32(message.nanos);
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): Timestamp {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const end = length === undefined ? reader.len : reader.pos + length;
    const message: Timestamp = {};
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === 8) message.seconds = Number(reader.int64());
      else if (tag === 16) message.nanos = reader.int32();
      else reader.skip(tag & 7);
    }
    return message;
  },
};
