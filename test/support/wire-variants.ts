import fc from 'fast-check';
import type { Field, FieldTables } from '../../src/gen/api.ts';
import { Reader, Writer, wireType } from '../../src/wire/protobuf-bytes.ts';

/** One field on the wire: its tag, and its bytes without it. */
interface Piece {
  readonly tag: number;
  readonly bytes: Uint8Array;
}

/**
 * Other bytes for the same message, as protobuf's encoding allows them: singular messages in several parts, entries of maps
 * without what is a default in them, fields in any order, values that later ones take the place of, numbers one by one and
 * packed, and fields that no table has, groups included.
 */
export function wireVariants(fields: FieldTables, typeName: string, bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.infiniteStream(fc.nat(0xffff)).map((stream) => {
    const next = (below: number): number => stream.next().value % below;
    return varied(fields, fields.messages[typeName]?.fields ?? [], bytes, next);
  });
}

type Next = (below: number) => number;

/** Fields that no table has: a varint of ten bytes, 4 and 8 bytes, text, and a group with a group in it. */
const unknown: readonly Uint8Array[] = [
  [0xf8, 0xff, 0x03, ...Array<number>(9).fill(0xff), 0x01],
  [0xfd, 0xff, 0x03, 1, 2, 3, 4],
  [0xf9, 0xff, 0x03, 1, 2, 3, 4, 5, 6, 7, 8],
  [0xfa, 0xff, 0x03, 2, 0xff, 0xff],
  [0xfb, 0xff, 0x03, 0x08, 1, 0x13, 0x12, 0, 0x14, 0xfc, 0xff, 0x03],
].map((bytes) => Uint8Array.from(bytes));

function varied(tables: FieldTables, fields: readonly Field[], bytes: Uint8Array, next: Next): Uint8Array {
  const written: Uint8Array[] = [];
  for (const group of shuffled(byOrder(fields, piecesOf(bytes)), next)) {
    if (next(8) === 0) written.push(unknown[next(unknown.length)] as Uint8Array);
    for (const piece of group) written.push(...variedPiece(tables, fields, piece, next));
  }
  return Buffer.concat(written);
}

/** Pieces whose order counts are together: those of one field, and those of a oneof. */
function byOrder(fields: readonly Field[], pieces: readonly Piece[]): Piece[][] {
  const groups = new Map<unknown, Piece[]>();
  for (const piece of pieces) {
    const number = piece.tag >>> 3;
    const place = fields.find((field) => field.number === number)?.oneof ?? number;
    groups.set(place, [...(groups.get(place) ?? []), piece]);
  }
  return [...groups.values()];
}

function variedPiece(tables: FieldTables, fields: readonly Field[], { tag, bytes }: Piece, next: Next): Uint8Array[] {
  const field = fields.find(({ number }) => number === tag >>> 3);
  if (!field) return [frame(tag, bytes)];
  const kind = field.valueKind ?? field.kind;
  if (field.kind === 'map') return [frame(tag, variedEntry(tables, field, bytes, next))];
  if (kind === 'message') {
    const inner = varied(tables, tables.messages[field.type]?.fields ?? [], bytes, next);
    return field.repeated || next(3) > 0 ? [frame(tag, inner)] : parts(tag, inner, next);
  }
  const isPacked = field.repeated && (tag & 7) === wireType.delimited && packable(field);
  if (isPacked) return next(2) === 0 ? unpacked(field, bytes) : [frame(tag, bytes)];
  if (field.repeated || field.wrapped || (tag & 7) !== wireType.varint) return [frame(tag, bytes)];
  return next(3) === 0 ? [frame(tag, Uint8Array.of(1)), frame(tag, bytes)] : [frame(tag, bytes)];
}

/** A message in two parts, of which one may be empty. */
function parts(tag: number, bytes: Uint8Array, next: Next): Uint8Array[] {
  const pieces = piecesOf(bytes);
  const cut = next(pieces.length + 1);
  const join = (some: readonly Piece[]): Uint8Array =>
    Buffer.concat(some.map((piece) => frame(piece.tag, piece.bytes)));
  return [frame(tag, join(pieces.slice(0, cut))), frame(tag, join(pieces.slice(cut)))];
}

/** The entry of a map, with its value before its key or after it, each of which is left out where it is a default. */
function variedEntry(tables: FieldTables, field: Field, bytes: Uint8Array, next: Next): Uint8Array {
  const { keyType = 'string', kind: _kind, valueKind: kind = 'scalar', type } = field;
  const key: Field = { jsonName: 'key', protoName: 'key', number: 1, kind: 'scalar', type: keyType };
  const value: Field = { jsonName: 'value', protoName: 'value', number: 2, kind, type };
  const isDefault = ({ tag, bytes: content }: Piece): boolean =>
    (tag & 7) === wireType.delimited ? content.length === 0 : content.every((byte) => byte === 0);
  const pieces = piecesOf(bytes).filter((piece) => !isDefault(piece) || next(2) === 0);
  const entry = Buffer.concat(pieces.map((piece) => frame(piece.tag, piece.bytes)));
  return varied(tables, [key, value], entry, next);
}

const packable = ({ kind, type }: Field): boolean => kind === 'enum' || (kind === 'scalar' && type !== 'string');

/** Each number of a list in a frame of its own. */
function unpacked({ number, kind, type }: Field, bytes: Uint8Array): Uint8Array[] {
  const size = kind === 'enum' ? 0 : /fixed32|float/.test(type) ? 4 : /fixed64|double/.test(type) ? 8 : 0;
  const wire = size === 4 ? wireType.bits32 : size === 8 ? wireType.bits64 : wireType.varint;
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    let end = at + size;
    if (size === 0) while ((bytes[end++] as number) >= 0x80);
    frames.push(frame((number << 3) | wire, bytes.subarray(at, end)));
    at = end;
  }
  return frames;
}

function piecesOf(bytes: Uint8Array): Piece[] {
  const reader = new Reader(bytes, true);
  const pieces: Piece[] = [];
  while (reader.at < bytes.length) {
    const tag = reader.prefix();
    const from = reader.at;
    if ((tag & 7) === wireType.delimited) pieces.push({ tag, bytes: reader.bytes() as Uint8Array });
    else {
      reader.skipField(tag);
      pieces.push({ tag, bytes: bytes.slice(from, reader.at) });
    }
  }
  return pieces;
}

function frame(tag: number, bytes: Uint8Array): Uint8Array {
  const writer = new Writer(16);
  writer.uint32(tag);
  if ((tag & 7) === wireType.delimited) writer.bytes(bytes);
  const head = writer.finish();
  return (tag & 7) === wireType.delimited ? head : Buffer.concat([head, bytes]);
}

function shuffled<T>(items: readonly T[], next: Next): T[] {
  const left = [...items];
  return items.map(() => left.splice(next(left.length), 1)[0] as T);
}
