import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { resolveTool } from '../scripts/tools.ts';

/** What plugins wrote, by a digest of what they were given. An update generates most files twice. */
const results = new Map<string, Map<string, string>>();
const maxResults = 16;

/**
 * Runs a plugin of protoc as a program of its own, unless it was given the same before.
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
  const input = toBinary(CodeGeneratorRequestSchema, request);
  const key = `${plugin} ${hash('sha256', input)}`;
  const before = results.get(key);
  if (before) return new Map(before);
  const run = spawnSync(process.execPath, [resolveTool('codegen', plugin)], {
    input,
    maxBuffer: 64 << 20,
  });
  if (run.status !== 0) throw new Error(`${plugin} failed: ${run.stderr?.toString().trim() || run.error}`);
  const response = fromBinary(CodeGeneratorResponseSchema, run.stdout);
  if (response.error) throw new Error(`${plugin} failed: ${response.error}`);
  const written = new Map(response.file.map(({ name, content }) => [name, content]));
  const [oldest] = results.keys();
  if (results.size >= maxResults && oldest !== undefined) results.delete(oldest);
  results.set(key, written);
  return new Map(written);
}
