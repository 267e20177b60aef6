import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { header } from './emit.ts';
import type { Image } from './image.ts';

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
  'outputServices=none',
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
  const wanted = [...roots, 'google/protobuf/empty.proto', 'google/protobuf/any.proto'];
  const known = new Set(image.set.file.map(({ name }) => name));
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [...new Set(wanted)].filter((name) => known.has(name) && !replaced.has(name)).sort(),
    parameter: options.join(','),
    protoFile: image.set.file,
  });
  const plugin = createRequire(import.meta.url).resolve('ts-proto/protoc-gen-ts_proto');
  const run = spawnSync(process.execPath, [plugin], {
    input: toBinary(CodeGeneratorRequestSchema, request),
    maxBuffer: 64 << 20,
  });
  if (run.status !== 0) throw new Error(`ts-proto failed: ${run.stderr?.toString().trim() || run.error}`);
  const response = fromBinary(CodeGeneratorResponseSchema, run.stdout);
  if (response.error) throw new Error(`ts-proto failed: ${response.error}`);
  return new Map(response.file.map(({ name, content }) => [name, adapt(name, content)]));
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
