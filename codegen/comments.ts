import type { DescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** The comments of one proto file, by full name of what they stand at. */
export interface Comments {
  /** `{ description }`, or `{}` where there is none, for spreading. */
  of(name: string): { description?: string };
}

/** Field numbers in descriptor.proto, which source locations are paths of. */
const inFile = { message: 4, enum: 5 };
const inMessage = { field: 2, nested: 3, enum: 4 };

/** Reads the leading comments of messages, fields and enums. */
export function readComments(file: FileDescriptorProto): Comments {
  const byPath = new Map<string, string>();
  for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
    const text = leadingComments
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .trim();
    if (text) byPath.set(path.join('.'), text);
  }
  const byName = new Map<string, string>();
  const note = (name: string, path: readonly number[]): void => {
    const text = byPath.get(path.join('.'));
    if (text) byName.set(name, text);
  };
  const visit = (message: DescriptorProto, scope: string, path: readonly number[]): void => {
    const name = `${scope}.${message.name}`;
    note(name, path);
    for (const [i, field] of message.field.entries()) note(`${name}.${field.name}`, [...path, inMessage.field, i]);
    for (const [i, entry] of message.enumType.entries()) note(`${name}.${entry.name}`, [...path, inMessage.enum, i]);
    for (const [i, inner] of message.nestedType.entries()) visit(inner, name, [...path, inMessage.nested, i]);
  };
  for (const [i, message] of file.messageType.entries()) visit(message, file.package, [inFile.message, i]);
  for (const [i, entry] of file.enumType.entries()) note(`${file.package}.${entry.name}`, [inFile.enum, i]);
  return {
    of(name) {
      const description = byName.get(name);
      return description === undefined ? {} : { description };
    },
  };
}
