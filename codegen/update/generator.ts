import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { clone, create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import type { Image } from '../image.ts';

/** The protoc plugin with which the A2A project makes its bundle from its proto. */
export const generatorName = 'protoc-gen-jsonschema';

export const howToInstall = `To make the JSON Schema bundle from the proto, install ${generatorName} (with Go) and put it on the PATH:
  go install github.com/bufbuild/protoschema-plugins/cmd/${generatorName}@v0.6.0
  export PATH="$PATH:$(go env GOPATH)/bin"
Or give a bundle: --schema FILE. docs/reference/spec-updates.md says where to find one.`;

/** The plugin is missing, is another program of this name, or fails. */
export class GeneratorError extends Error {}

/** The plugin's path, or undefined where the PATH has none. */
export function findGenerator(path = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((dir) => dir !== '')
    .map((dir) => join(dir, generatorName))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Makes the JSON Schema bundle of a proto file, in the form that the A2A project published with 1.0: one definition for
 * each message, by its title.
 *
 * @param program the plugin's path
 * @throws GeneratorError
 */
export function generateBundle(program: string, image: Image, file: string): unknown {
  const version = run(program, ['--version']).stdout.toString().trim();
  // Other plugins have the same name and another output; they print more than a version.
  if (!/^v\d+\.\d+\.\d+/.test(version) || version.includes(' ')) {
    throw new GeneratorError(
      `${program} is another program: --version prints "${version}".\n` +
        `The bundle is made with that of github.com/bufbuild/protoschema-plugins.\n${howToInstall}`,
    );
  }
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [file],
    parameter: 'target=json',
    protoFile: withoutDirectives(image).file,
  });
  const { stdout } = run(program, [], toBinary(CodeGeneratorRequestSchema, request));
  const response = fromBinary(CodeGeneratorResponseSchema, stdout);
  if (response.error) throw new GeneratorError(`${program}: ${response.error}`);
  const schemas = response.file.map(({ content }) => JSON.parse(content) as { $id: string; title: string });
  if (schemas.length === 0) throw new GeneratorError(`${program} made no schema of ${file}`);
  schemas.sort((a, b) => (a.$id < b.$id ? -1 : 1));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A2A Protocol Schemas',
    description: 'Non-normative JSON Schema bundle extracted from proto definitions.',
    version: 'v1',
    definitions: Object.fromEntries(schemas.map(({ $id, ...schema }) => [schema.title, schema])),
  };
}

function run(program: string, args: string[], input?: Uint8Array): { stdout: Buffer } {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    maxBuffer: 64 << 20,
    timeout: 60_000,
    ...(input && { input }),
  });
  if (status === 0) return { stdout };
  throw new GeneratorError(`${program}: ${stderr?.toString().trim() || error?.message || `exit code ${status}`}`);
}

/** The descriptors without comments that address linters and the A2A project's documentation; its own script drops them. */
function withoutDirectives(image: Image): Image['set'] {
  const set = clone(FileDescriptorSetSchema, image.set);
  const strip = (text: string): string => text.replace(/^[ \t]*(?:--8<--|protolint:)[^\n]*(?:\n|$)/gm, '');
  for (const { sourceCodeInfo } of set.file) {
    for (const location of sourceCodeInfo?.location ?? []) {
      location.leadingComments = strip(location.leadingComments);
      location.trailingComments = strip(location.trailingComments);
    }
  }
  return set;
}
