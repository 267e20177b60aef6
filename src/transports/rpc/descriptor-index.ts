import { createFileRegistry, type DescFile } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { descriptorsIn } from './descriptor-set.ts';

export type DescriptorIndex = ReturnType<typeof createDescriptorIndex>;

/** Finds serialised descriptor files. Each result is the file that was looked up, followed by its imports. */
export function createDescriptorIndex(image: Uint8Array) {
  const set = descriptorsIn(image);
  const registry = createFileRegistry(set);
  const bytesOf = new Map(rawFiles(image).map((bytes, index) => [set.file[index]?.name, bytes]));
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
  const withImports = (file: DescFile | undefined): Buffer[] | undefined => {
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
    file: (name: string) => withImports(registry.getFile(name)),
    /** The file that declares a message, enum, service, method, field or enum value, by its full name. */
    fileOf: (symbol: string) => withImports(declared.get(symbol)),
    fileOfExtension: (message: string, number: number) => withImports(extensions.get(message)?.get(number)),
    /** Numbers of the extensions of a message; undefined for an unknown message. */
    extensionsOf: (message: string) =>
      declared.has(message) ? [...(extensions.get(message)?.keys() ?? [])] : undefined,
  };
}

/** Names of the methods, fields, oneofs and enum values of a type. */
function membersOf(desc: object): string[] {
  type Lists = Partial<Record<'methods' | 'fields' | 'oneofs' | 'values', readonly { readonly name: string }[]>>;
  const { methods = [], fields = [], oneofs = [], values = [] } = desc as Lists;
  return [methods, fields, oneofs, values].flat().map(({ name }) => name);
}

/** The files of the set as they were compiled: encoding parsed files again could lose unknown options. */
function rawFiles(image: Uint8Array): Buffer[] {
  const reader = new BinaryReader(image);
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === 2) files.push(Buffer.from(reader.bytes()));
    else reader.skip(type);
  }
  return files;
}
