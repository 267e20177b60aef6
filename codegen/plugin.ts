import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';

/**
 * Runs a plugin of protoc as a program of its own.
 *
 * @param plugin how its program is imported, such as `ts-proto/protoc-gen-ts_proto`
 * @param files names of the files to generate code for
 * @returns what it writes, by path
 */
export function runPlugin(
  plugin: string,
  protoFile: FileDescriptorProto[],
  files: readonly string[],
  options: readonly string[],
): Map<string, string> {
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [...files],
    parameter: options.join(','),
    protoFile,
  });
  const run = spawnSync(process.execPath, [createRequire(import.meta.url).resolve(plugin)], {
    input: toBinary(CodeGeneratorRequestSchema, request),
    maxBuffer: 64 << 20,
  });
  if (run.status !== 0) throw new Error(`${plugin} failed: ${run.stderr?.toString().trim() || run.error}`);
  const response = fromBinary(CodeGeneratorResponseSchema, run.stdout);
  if (response.error) throw new Error(`${plugin} failed: ${response.error}`);
  return new Map(response.file.map(({ name, content }) => [name, content]));
}
