import { posix } from 'node:path';
import { clone } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { type Image, neededFiles } from '../image.ts';
import { type Generator, runGenerator } from './plugin-process.ts';

/** Parts that protoc plugins generate. */
export const pluginParts = ['ts-proto', 'connect'] as const;

export type PluginPart = (typeof pluginParts)[number];

/** Extension of relative imports between the files. */
export type ImportExtension = '.ts' | '.js';

interface Plugin extends Generator {
  /** Name under which the plugin sees the proto, from which it derives its file name. */
  readonly proto: string;
  /** Name of the file that the plugin writes, and its name in the output. */
  readonly writes: string;
  readonly file: string;
  /** Whether its runtime includes protobuf's own messages. Otherwise they are generated. */
  readonly hasWellKnown: boolean;
  readonly options: (extension: ImportExtension) => readonly string[];
}

const plugins: Readonly<Record<PluginPart, Plugin>> = {
  'ts-proto': {
    name: 'ts-proto',
    package: 'ts-proto',
    program: 'protoc-gen-ts_proto',
    proto: 'messages.proto',
    writes: 'messages.ts',
    file: 'messages.ts',
    hasWellKnown: false,
    options: (extension) => [
      `importSuffix=${extension}`,
      'outputServices=grpc-js',
      // Erasable syntax: objects instead of enums.
      'stringEnums=true',
      'enumsAsLiterals=true',
      // The form of the official SDK: `{ $case: 'text', value: … }`, and times in RFC 3339.
      'oneof=unions-value',
      'useDate=string',
      // JSON has no bigint.
      'forceLong=string',
      'useUnknownForValue=true',
      'annotateFilesWithVersion=false',
    ],
  },
  connect: {
    name: 'protoc-gen-es',
    package: '@bufbuild/protoc-gen-es',
    program: 'bin/protoc-gen-es',
    proto: 'connect.proto',
    writes: 'connect_pb.ts',
    file: 'connect.ts',
    hasWellKnown: true,
    options: (extension) => ['target=ts', `import_extension=${extension.slice(1)}`, 'erasable_syntax=true'],
  },
};

/**
 * Returns the files that protoc plugins generate from a proto: `messages.ts` with messages and services for
 * `@grpc/grpc-js`, `connect.ts` with descriptors for Connect, and the files that these import. The result is
 * deterministic.
 *
 * @param image descriptors with comments
 * @param proto name of the file in the image
 * @param parts parts to generate
 * @param extension extension of imports between the files
 * @returns texts by path
 * @throws GeneratorError
 */
export async function pluginFiles(
  image: Image,
  proto: string,
  parts: readonly PluginPart[],
  extension: ImportExtension,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const part of parts) {
    for (const [path, text] of await filesOf(plugins[part], image, proto, extension)) files.set(path, text);
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function filesOf(
  plugin: Plugin,
  image: Image,
  proto: string,
  extension: ImportExtension,
): Promise<Map<string, string>> {
  const protos = renamed(withoutAnnotations(image, proto), proto, plugin.proto);
  const wanted = protos.filter(({ name }) => !plugin.hasWellKnown || !name.startsWith('google/protobuf/'));
  const written = await runGenerator(plugin, protos, wanted, plugin.options(extension));
  const files = new Map<string, string>();
  for (const path of reached(written, plugin.writes)) {
    files.set(path === plugin.writes ? plugin.file : path, withoutHead(written.get(path) as string));
  }
  return files;
}

/** Annotations tell other programs how to serve a proto. Messages and descriptors do not need their declarations. */
const annotations = /^google\/api\//;

/**
 * Returns a proto with all its imports, each after its imports. Annotation files are omitted unless they declare types
 * that the proto's fields use.
 */
function withoutAnnotations(image: Image, proto: string): FileDescriptorProto[] {
  const declaredIn = new Map(image.set.file.flatMap((file) => typesOf(file).map((type) => [type, file.name] as const)));
  const kept = image.set.file.map((file) => {
    const used = new Set(usesOf(file).map((type) => declaredIn.get(type)));
    return withDependencies(file, (name) => !annotations.test(name) || used.has(name));
  });
  const needed = neededFiles({ ...image, set: { ...image.set, file: kept } }, [proto]);
  const byName = new Map(kept.map((file) => [file.name, file]));
  return [...needed].flatMap((name) => byName.get(name) ?? []);
}

/** Returns a copy of a file that imports only some files. */
function withDependencies(file: FileDescriptorProto, isKept: (name: string) => boolean): FileDescriptorProto {
  const copy = clone(FileDescriptorProtoSchema, file);
  copy.dependency = file.dependency.filter(isKept);
  const moved = (indexes: readonly number[]): number[] =>
    indexes.map((at) => copy.dependency.indexOf(file.dependency[at] as string)).filter((at) => at !== -1);
  copy.publicDependency = moved(file.publicDependency);
  copy.weakDependency = moved(file.weakDependency);
  return copy;
}

/** Returns the messages and enums of a file, as references name them. */
function typesOf(file: FileDescriptorProto): string[] {
  const scope = file.package === '' ? '' : `.${file.package}`;
  const inMessage = (message: DescriptorProto, outer: string): string[] => {
    const name = `${outer}.${message.name}`;
    const enums = message.enumType.map((entry) => `${name}.${entry.name}`);
    return [name, ...enums, ...message.nestedType.flatMap((nested) => inMessage(nested, name))];
  };
  const enums = file.enumType.map(({ name }) => `${scope}.${name}`);
  return [...enums, ...file.messageType.flatMap((message) => inMessage(message, scope))];
}

/** Returns the types to which the fields and rpcs of a file refer. */
function usesOf(file: FileDescriptorProto): string[] {
  const ofFields = (fields: readonly FieldDescriptorProto[]): string[] =>
    fields.flatMap(({ typeName, extendee }) => [typeName, extendee]);
  const ofMessage = ({ field, extension, nestedType }: DescriptorProto): string[] => [
    ...ofFields([...field, ...extension]),
    ...nestedType.flatMap(ofMessage),
  ];
  const methods = file.service.flatMap(({ method }) => method);
  return [
    ...ofFields(file.extension),
    ...file.messageType.flatMap(ofMessage),
    ...methods.flatMap(({ inputType, outputType }) => [inputType, outputType]),
  ];
}

/** Renames the proto for a plugin. Other files at the root are moved below `imports`, so that names do not collide. */
function renamed(protos: readonly FileDescriptorProto[], proto: string, name: string): FileDescriptorProto[] {
  const nameOf = (old: string): string => (old === proto ? name : old.includes('/') ? old : `imports/${old}`);
  for (const file of protos) {
    file.name = nameOf(file.name);
    file.dependency = file.dependency.map(nameOf);
  }
  return [...protos];
}

const relativeImport = / from "(\.[^"]*)"/g;

/** Returns the paths of a file and its imports. */
function reached(files: ReadonlyMap<string, string>, root: string): Set<string> {
  const paths = new Set([root]);
  for (const path of paths) {
    for (const [, specifier] of (files.get(path) ?? '').matchAll(relativeImport)) {
      paths.add(posix.join(posix.dirname(path), (specifier as string).replace(/\.js$/, '.ts')));
    }
  }
  return paths;
}

/** Removes lines that every generated file has, or that contain the name by which the plugin sees the proto. */
function withoutHead(text: string): string {
  return text
    .replace(/^\/\* eslint-disable \*\/\n/m, '')
    .replace(/^\/\/ source: .*\n/m, '')
    .replace(/^(\/\/ @generated from file )\S+ \((.*)\)$/m, '$1$2')
    .trimStart();
}
