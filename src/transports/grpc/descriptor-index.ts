import { createFileRegistry, type DescFile, fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** Answers of server reflection: serialised files, the one asked for first and what it imports after it. */
export interface DescriptorIndex {
  file(name: string): Uint8Array[] | undefined;
  /** The file that declares a message, enum, service, method, field or enum value, by its full name. */
  fileOf(symbol: string): Uint8Array[] | undefined;
  fileOfExtension(message: string, number: number): Uint8Array[] | undefined;
  /** Numbers of the extensions of a message; undefined for an unknown message. */
  extensionsOf(message: string): number[] | undefined;
}

/** @param image a serialised google.protobuf.FileDescriptorSet */
export function createDescriptorIndex(image: Uint8Array): DescriptorIndex {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const files = [...registry.files];
  const bytesOf = new Map<string, Uint8Array>();
  for (const bytes of rawFiles(image)) bytesOf.set(nameOf(bytes), bytes);
  const declared = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  for (const desc of registry) {
    declared.set(desc.typeName, desc.file);
    if (desc.kind === 'extension') {
      const message = desc.extendee.typeName;
      const numbers = extensions.get(message) ?? new Map<number, DescFile>();
      extensions.set(message, numbers.set(desc.number, desc.file));
    }
    for (const member of membersOf(desc)) declared.set(`${desc.typeName}.${member}`, desc.file);
  }
  const withImports = (file: DescFile | undefined): Uint8Array[] | undefined => {
    if (!file) return undefined;
    const all = new Set<DescFile>();
    const visit = (one: DescFile): void => {
      if (all.has(one)) return;
      all.add(one);
      one.dependencies.forEach(visit);
    };
    visit(file);
    return [...all].flatMap(({ proto }) => bytesOf.get(proto.name) ?? []);
  };
  return {
    file: (name) => withImports(files.find(({ proto }) => proto.name === name)),
    fileOf: (symbol) => withImports(declared.get(symbol)),
    fileOfExtension: (message, number) => withImports(extensions.get(message)?.get(number)),
    extensionsOf: (message) => {
      if (declared.get(message) === undefined) return undefined;
      return [...(extensions.get(message)?.keys() ?? [])];
    },
  };
}

type Named = readonly { readonly name: string }[];

/** Names below a type: methods, fields, oneofs and enum values. */
function membersOf(desc: object): string[] {
  const { methods, fields, oneofs, values } = desc as Partial<
    Record<'methods' | 'fields' | 'oneofs' | 'values', Named>
  >;
  return [methods, fields, oneofs, values].flatMap((list) => (list ?? []).map(({ name }) => name));
}

/** The files of the set as they were compiled: parsed and written anew they could lose options that are not known here. */
function rawFiles(image: Uint8Array): Uint8Array[] {
  const reader = new BinaryReader(image);
  const files: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === 2) files.push(reader.bytes());
    else reader.skip(type);
  }
  return files;
}

/** FileDescriptorProto.name. */
function nameOf(file: Uint8Array): string {
  const reader = new BinaryReader(file);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === 2) return reader.string();
    reader.skip(type);
  }
  return '';
}
