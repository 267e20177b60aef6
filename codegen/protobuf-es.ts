import { clone } from '@bufbuild/protobuf';
import { type DescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { header } from './emit.ts';
import { type Image, importName } from './image.ts';
import type { Model } from './model.ts';
import { runPlugin } from './plugin.ts';

/** Annotations of HTTP rules and of field behaviour, which callers do not need. */
const annotations = 'google/api/';

/**
 * protobuf-es's messages and service descriptors, for clients of Connect.
 *
 * @returns source by the name of the proto
 */
export function connectClients(image: Image, models: readonly Model[]): Map<string, string> {
  const { file: files } = clone(FileDescriptorSetSchema, image.set);
  for (const file of files) {
    file.name = importName(file.name);
    file.dependency = file.dependency.filter((name) => !name.startsWith(annotations));
    for (const { method } of file.service) for (const each of method) delete each.options;
    file.messageType.forEach(dropAnnotations);
  }
  const written = runPlugin(
    '@bufbuild/protoc-gen-es/bin/protoc-gen-es',
    files.filter(({ name }) => !name.startsWith(annotations)),
    models.map(({ file }) => importName(file)),
    ['target=ts', 'import_extension=ts'],
  );
  return new Map(
    models.map(({ file }) => {
      const text = written.get(importName(file).replace(/\.proto$/, '_pb.ts')) ?? '';
      // The lines before the first import name the version of the plugin.
      return [
        file,
        `${header(`proto/${file} by protobuf-es`)}\n${withoutEnums(text.slice(text.indexOf('\nimport ') + 1))}`,
      ];
    }),
  );
}

function dropAnnotations({ field, nestedType }: DescriptorProto): void {
  for (const each of field) delete each.options;
  nestedType.forEach(dropAnnotations);
}

/** Writes enums as objects and types, which Node can run without a compiler. Numbers lead to names, as in an enum. */
const withoutEnums = (text: string): string =>
  text.replace(/^export enum (\w+) \{\n((?:.*\n)*?)\}\n/gm, (_, name: string, members: string) => {
    const named = members.replace(/^( +\w+) = (\d+),$/gm, '$1: $2,');
    const numbered = [...members.matchAll(/^ +(\w+) = (\d+),$/gm)].map(([, key, number]) => `  ${number}: '${key}',\n`);
    return `export const ${name} = {\n${named}\n${numbered.join('')}} as const;
export type ${name} = Extract<(typeof ${name})[keyof typeof ${name}], number>;
`;
  });
