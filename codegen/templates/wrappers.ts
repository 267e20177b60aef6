import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

// Codecs of the messages in google/protobuf/wrappers.proto, each of which holds one scalar in its field 1. A wrapper
// without content holds the default.

interface Wrapper<T> {
  encode(message: { value: T }, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): { value: T };
}

function wrapper<T>(
  initial: T,
  wireType: number,
  write: (writer: BinaryWriter, value: T) => void,
  read: (reader: BinaryReader) => T,
): Wrapper<T> {
  const ownTag = 8 + wireType;
  return {
    encode({ value }, writer = new BinaryWriter()) {
      write(writer.uint32(ownTag), value);
      return writer;
    },
    decode(input, length) {
      const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = { value: initial };
      while (reader.pos < end) {
        const tag = reader.uint32();
        if (tag === ownTag) message.value = read(reader);
        else reader.skip(tag & 7);
      }
      return message;
    },
  };
}

export const DoubleValue: Wrapper<number> = wrapper(
  0,
  1,
  (to, value) => to.double(value),
  (from) => from.double(),
);
export const FloatValue: Wrapper<number> = wrapper(
  0,
  5,
  (to, value) => to.float(value),
  (from) => from.float(),
);
export const Int64Value: Wrapper<string> = wrapper(
  '0',
  0,
  (to, value) => to.int64(value),
  (from) => from.int64().toString(),
);
export const UInt64Value: Wrapper<string> = wrapper(
  '0',
  0,
  (to, value) => to.uint64(value),
  (from) => from.uint64().toString(),
);
export const Int32Value: Wrapper<number> = wrapper(
  0,
  0,
  (to, value) => to.int32(value),
  (from) => from.int32(),
);
export const UInt32Value: Wrapper<number> = wrapper(
  0,
  0,
  (to, value) => to.uint32(value),
  (from) => from.uint32(),
);
export const BoolValue: Wrapper<boolean> = wrapper(
  false,
  0,
  (to, value) => to.bool(value),
  (from) => from.bool(),
);
export const StringValue: Wrapper<string> = wrapper(
  '',
  2,
  (to, value) => to.string(value),
  (from) => from.string(),
);
export const BytesValue: Wrapper<Buffer> = wrapper<Buffer>(
  Buffer.alloc(0),
  2,
  (to, value) => to.bytes(value),
  (from) => Buffer.from(from.bytes()),
);
