import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** Comments of one proto file, by the full name of the declaration. */
export interface Comments {
  /** Returns `{ description }`, or `{}` if there is none, for spreading. */
  of(name: string): { description?: string };
}

/** Field numbers in descriptor.proto. Source locations are paths of these numbers. */
const inFile = { message: 4, enum: 5, service: 6 };
const inMessage = { field: 2, nested: 3, enum: 4 };
const inEnum = { value: 2 };
const inService = { method: 2 };

/** Reads the leading comments of messages, fields, enums, their values (`Enum.VALUE`), services and rpcs. */
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
  const noteEnum = (entry: EnumDescriptorProto, scope: string, path: readonly number[]): void => {
    const name = `${scope}.${entry.name}`;
    note(name, path);
    for (const [i, value] of entry.value.entries()) note(`${name}.${value.name}`, [...path, inEnum.value, i]);
  };
  const visit = (message: DescriptorProto, scope: string, path: readonly number[]): void => {
    const name = `${scope}.${message.name}`;
    note(name, path);
    for (const [i, field] of message.field.entries()) note(`${name}.${field.name}`, [...path, inMessage.field, i]);
    for (const [i, entry] of message.enumType.entries()) noteEnum(entry, name, [...path, inMessage.enum, i]);
    for (const [i, inner] of message.nestedType.entries()) visit(inner, name, [...path, inMessage.nested, i]);
  };
  for (const [i, message] of file.messageType.entries()) visit(message, file.package, [inFile.message, i]);
  for (const [i, entry] of file.enumType.entries()) noteEnum(entry, file.package, [inFile.enum, i]);
  for (const [i, service] of file.service.entries()) {
    const name = `${file.package}.${service.name}`;
    note(name, [inFile.service, i]);
    for (const [at, { name: rpc }] of service.method.entries()) {
      note(`${name}.${rpc}`, [inFile.service, i, inService.method, at]);
    }
  }
  return {
    of(name) {
      const description = byName.get(name);
      return description === undefined ? {} : { description };
    },
  };
}
