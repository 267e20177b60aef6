import { dropsOf } from '../src/dialects/a2a-1.x/dropped.ts';
import { header, quote } from './emit.ts';
import type { Image } from './image.ts';
import { type Model, tablesOf } from './model.ts';
import { runPlugin } from './plugin.ts';

const plugin = 'ts-proto/protoc-gen-ts_proto';

/**
 * Options under which ts-proto's messages are canonical ProtoJSON objects: JSON names, enums as names, absent instead
 * of default, timestamps as strings. Only bytes differ. The output is erasable TypeScript.
 */
const options = [
  'esModuleInterop=true',
  'importSuffix=.ts',
  'env=node',
  'stringEnums=true',
  'enumsAsLiterals=true',
  'useJsonName=true',
  'oneof=properties',
  'useOptionals=all',
  'noDefaultsForOptionals=true',
  'useDate=string',
  'forceLong=string',
  'outputJsonMethods=false',
  'outputPartialMethods=false',
  'annotateFilesWithVersion=false',
  'useExactTypes=false',
  'emitImportedFiles=false',
];

/**
 * Written by hand (see templates/), by path of the proto: ts-proto's codec of JSON values is slow, shallow and loses
 * `__proto__` and null; that of wrappers loses zeros; those of durations and field masks do not have their JSON form.
 */
export const replaced: ReadonlyMap<string, string> = new Map([
  ['google/protobuf/struct.proto', 'struct.ts'],
  ['google/protobuf/timestamp.proto', 'timestamp.ts'],
  ['google/protobuf/duration.proto', 'duration.ts'],
  ['google/protobuf/field_mask.proto', 'field-mask.ts'],
  ['google/protobuf/wrappers.proto', 'wrappers.ts'],
]);

/**
 * ts-proto's codecs of some files and of what they import, by path below the output folder.
 *
 * @param roots file names, such as `lf/a2a/v1/a2a.proto`
 */
export function codecFiles(image: Image, roots: readonly string[]): Map<string, string> {
  const wanted = [...roots, 'google/protobuf/empty.proto'];
  const known = new Set(image.set.file.map(({ name }) => name));
  const files = [...new Set(wanted)].filter((name) => known.has(name) && !replaced.has(name)).sort();
  const written = runPlugin(plugin, image.set.file, files, [...options, 'outputServices=none']);
  return new Map([...written].map(([name, content]) => [name, adapt(name, content)]));
}

/**
 * ts-proto's clients for `@grpc/grpc-js`, over the codecs that `codecFiles` writes.
 *
 * @param canonical the model with the codecs of its package
 * @param folder from the clients to the codecs, such as `../../proto`
 * @returns source by the name of the proto
 */
export function grpcClients(
  image: Image,
  models: readonly Model[],
  canonical: Model,
  folder: string,
): Map<string, string> {
  const written = runPlugin(
    plugin,
    image.set.file,
    models.map(({ file }) => file),
    [...options, 'outputServices=grpc-js'],
  );
  return new Map(
    models.map((model) => {
      const codecs = model.package === canonical.package ? canonical : model;
      return [model.file, clientOf(model, codecs, written.get(codecPath(model.file)) ?? '', folder)];
    }),
  );
}

const codecPath = (proto: string): string => proto.replace(/\.proto$/, '.ts');

/** The part of ts-proto's file that is about the service. */
function clientOf(model: Model, codecs: Model, text: string, folder: string): string {
  const { file, service, operations } = model;
  const name = service.slice(service.lastIndexOf('.') + 1);
  const [library] = /^import \{[^}]*\} from "@grpc\/grpc-js";\n/m.exec(text) ?? [];
  const start = text.indexOf(`export type ${name}Service = `);
  const end = /\n(?:function |export interface MessageFns<)/.exec(text.slice(start))?.index;
  if (library === undefined || start < 0 || end === undefined) {
    throw new Error(`${file}: ts-proto writes its clients in another way than expected`);
  }
  const types = [...new Set(operations.flatMap(({ request, response }) => [request, response]))];
  const own = types.filter((type) => !type.startsWith('google.')).map((type) => type.slice(type.lastIndexOf('.') + 1));
  const empty = types.includes('google.protobuf.Empty')
    ? `import { Empty } from '${folder}/google/protobuf/empty.ts';\n`
    : '';
  const path = `${folder}/${codecPath(codecs.file)}`;
  const shorter = shorterTypes(model, codecs);
  const imported = own.filter((type) => !shorter.has(type)).sort();
  const defined = [...shorter].map(([type, source]) => {
    const value = own.includes(type) ? `const ${type} = codec.${type};\n` : '';
    return `export type ${type} = ${source};\n${value}`;
  });
  return `${header(`proto/${file} by ts-proto`)}
${library}${empty}${shorter.size > 0 ? `import * as codec from '${path}';\n` : ''}import {
${imported.map((type) => `  ${type},\n`).join('')}} from '${path}';

export type * from '${path}';

${shorter.size > 0 ? `${defined.join('')}\n` : ''}${text.slice(start, start + end)}`;
}

/** The types of a version of which its codecs know more, by name: those that lack fields, and those that contain such. */
function shorterTypes(model: Model, codecs: Model): Map<string, string> {
  const dropOf = dropsOf(tablesOf(codecs), tablesOf(model));
  const shorter = model.messages.filter(({ fullName }) => dropOf(fullName));
  const typed = shorter.map(({ name, fullName, fields }): [string, string] => {
    const lacking = (dropOf(fullName)?.paths ?? []).filter((path) => !path.includes('.'));
    const below = fields.flatMap(({ jsonName, type, kind, repeated }) => {
      const one = shorter.find((message) => message.fullName === type)?.name;
      const typed = repeated ? `${one}[]` : kind === 'map' ? `{ [key: string]: ${one} }` : one;
      return one === undefined ? [] : [{ jsonName, source: ` ${jsonName}?: ${typed} | undefined;` }];
    });
    const omitted = [...lacking, ...below.map(({ jsonName }) => jsonName)].map(quote).join(' | ');
    const added = below.length > 0 ? ` & {${below.map(({ source }) => source).join('')} }` : '';
    return [name, `Omit<codec.${name}, ${omitted}>${added}`];
  });
  return new Map(typed);
}

/** Puts our header on a file and our timestamp conversion in the place of ts-proto's, which is wrong before 1970. */
function adapt(name: string, content: string): string {
  const proto = name.replace(/\.ts$/, '.proto');
  let text = content.replace(/^(\/\/.*\n)+/, header(`proto/${proto} by ts-proto`));
  if (/\bfunction (to|from)Timestamp\b/.test(text)) {
    text = text
      .replace(/\nfunction toTimestamp\([\s\S]*?\n\}\n/, '')
      .replace(/\nfunction fromTimestamp\([\s\S]*?\n\}\n/, '')
      .replace(
        /import \{ Timestamp \} from ("[^"]*\/timestamp\.ts")/,
        'import { fromTimestamp, Timestamp, toTimestamp } from $1',
      );
    if (/function (to|from)Timestamp\b/.test(text) || !text.includes('import { fromTimestamp')) {
      throw new Error(`${name}: ts-proto writes its timestamps in another way than expected`);
    }
  }
  return text;
}
