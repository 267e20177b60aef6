import { bits, type Reader, type Writer, wireType } from './protobuf-bytes.ts';

// The scalar types of protobuf: conversion between bytes and JSON.

/** Reads and writes a value, without its tag. */
export interface ValueCodec {
  readonly wireType: number;
  /** Whether a repeated value is merged with the previous one, as for messages. */
  readonly merges?: true;
  write(value: never, writer: Writer): void;
  /** @param before the field's current value, if values are merged */
  read(reader: Reader, before?: unknown): unknown;
}

function integer(value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new RangeError(`invalid 32-bit integer: ${value}`);
  return value;
}

const signed = (value: number): number => integer(value, -0x80000000, 0x7fffffff);
const unsigned = (value: number): number => integer(value, 0, 0xffffffff);

/**
 * Writes a 64-bit integer to `bits`.
 *
 * @throws RangeError if it does not fit
 */
function setBig(text: string, isSigned: boolean): void {
  const value = BigInt(text);
  const fits = isSigned ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  if (fits !== value) throw new RangeError(`invalid 64-bit integer: ${text}`);
  bits.setBigUint64(0, BigInt.asUintN(64, value), true);
}

function writeInt64(text: string, writer: Writer, isSigned: boolean): void {
  const value = Number(text);
  // Small numbers need no BigInt.
  if (value >= 0 && value < 0x80000000 && Number.isInteger(value)) writer.uint32(value);
  else {
    setBig(text, isSigned);
    writer.varint64(bits.getUint32(0, true), bits.getUint32(4, true));
  }
}

function readInt64(reader: Reader, isSigned: boolean): string {
  reader.varint64();
  if (reader.high === 0) return String(reader.low >>> 0);
  bits.setInt32(0, reader.low, true);
  bits.setInt32(4, reader.high, true);
  return String(isSigned ? bits.getBigInt64(0, true) : bits.getBigUint64(0, true));
}

const zigzag = (text: string): string => {
  const value = BigInt(text);
  return String(BigInt.asUintN(64, value < 0n ? -2n * value - 1n : 2n * value));
};

const unzigzag = (text: string): string => {
  const value = BigInt(text);
  return String(value & 1n ? -(value >> 1n) - 1n : value >> 1n);
};

/** Returns a number, or the name of one that JSON cannot represent: `NaN`, `Infinity` or `-Infinity`. */
const jsonNumber = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** Writes an integer that is known to fit 32 bits. */
export const writeInt32 = (value: number, writer: Writer): void =>
  value < 0 ? writer.varint64(value, -1) : writer.uint32(value);

/** Codecs by scalar type of proto. 64-bit integers are strings in JSON. */
export const scalars: Readonly<Record<string, ValueCodec>> = {
  string: {
    wireType: wireType.delimited,
    write: (value: string, writer) => writer.text(value),
    read: (reader) => reader.text(),
  },
  bytes: {
    wireType: wireType.delimited,
    write: (value: string | Uint8Array, writer) => writer.bytes(value),
    read: (reader) => reader.bytes(),
  },
  bool: {
    wireType: wireType.varint,
    write: (value: boolean, writer) => writer.uint32(value ? 1 : 0),
    read: (reader) => reader.bool(),
  },
  int32: {
    wireType: wireType.varint,
    write: (value: number, writer) => writeInt32(signed(value), writer),
    read: (reader) => reader.uint32() | 0,
  },
  uint32: {
    wireType: wireType.varint,
    write: (value: number, writer) => writer.uint32(unsigned(value)),
    read: (reader) => reader.uint32(),
  },
  sint32: {
    wireType: wireType.varint,
    write: (value: number, writer) => writer.uint32(((signed(value) << 1) ^ (value >> 31)) >>> 0),
    read(reader) {
      const value = reader.uint32();
      return (value >>> 1) ^ -(value & 1);
    },
  },
  int64: {
    wireType: wireType.varint,
    write: (value: string, writer) => writeInt64(value, writer, true),
    read: (reader) => readInt64(reader, true),
  },
  uint64: {
    wireType: wireType.varint,
    write: (value: string, writer) => writeInt64(value, writer, false),
    read: (reader) => readInt64(reader, false),
  },
  sint64: {
    wireType: wireType.varint,
    write(value: string, writer) {
      setBig(value, true);
      writeInt64(zigzag(value), writer, false);
    },
    read: (reader) => unzigzag(readInt64(reader, false)),
  },
  fixed32: fixed(
    4,
    (value: number) => bits.setUint32(0, unsigned(value), true),
    () => bits.getUint32(0, true),
  ),
  sfixed32: fixed(
    4,
    (value: number) => bits.setInt32(0, signed(value), true),
    () => bits.getInt32(0, true),
  ),
  fixed64: fixed(
    8,
    (value: string) => setBig(value, false),
    () => String(bits.getBigUint64(0, true)),
  ),
  sfixed64: fixed(
    8,
    (value: string) => setBig(value, true),
    () => String(bits.getBigInt64(0, true)),
  ),
  double: fixed(
    8,
    (value: number | string) => bits.setFloat64(0, Number(value), true),
    () => jsonNumber(bits.getFloat64(0, true)),
  ),
  float: fixed(4, setFloat, () => jsonNumber(bits.getFloat32(0, true))),
};

function setFloat(value: number | string): void {
  const number = Number(value);
  if (Number.isFinite(number) && !Number.isFinite(Math.fround(number))) throw new RangeError(`invalid float: ${value}`);
  bits.setFloat32(0, number, true);
}

/** Returns the codec of a scalar with a fixed number of bytes. */
function fixed(size: 4 | 8, set: (value: never) => void, get: () => unknown): ValueCodec {
  return {
    wireType: size === 4 ? wireType.bits32 : wireType.bits64,
    write(value, writer) {
      set(value);
      writer.bits(size);
    },
    read(reader) {
      reader.bits(size);
      return get();
    },
  };
}
