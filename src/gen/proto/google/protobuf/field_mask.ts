// Generated from codegen/templates/field-mask.ts by `npm run generate`. Do not edit.

import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

// Codec of google.protobuf.FieldMask that reads and writes its JSON form: paths in camelCase, separated by commas. On the
// wire they are a list in the proto's names. Tag: paths 10.

const toSnake = (path: string): string => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamel = (path: string): string => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Codec of google.protobuf.FieldMask. ts-proto calls `wrap` and `unwrap` because its own form is a list of paths. */
export const FieldMask = {
  encode(mask: string, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    for (const path of mask === '' ? [] : mask.split(',')) writer.uint32(10).string(toSnake(path));
    return writer;
  },
  decode(input: BinaryReader | Uint8Array, length?: number): string {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const end = length === undefined ? reader.len : reader.pos + length;
    const paths: string[] = [];
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === 10) paths.push(toCamel(reader.string()));
      else reader.skip(tag & 7);
    }
    return paths.join(',');
  },
  // biome-ignore lint/suspicious/noExplicitAny: ts-proto takes a mask for a list of paths
  wrap: (mask: any): string => mask,
  // biome-ignore lint/suspicious/noExplicitAny: ts-proto takes a mask for a list of paths
  unwrap: (mask: string): any => mask,
};
