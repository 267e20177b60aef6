/**
 * Records what the plugin of github.com/bufbuild/protoschema-plugins writes for the changed proto of the tests:
 *
 *   go install github.com/bufbuild/protoschema-plugins/cmd/protoc-gen-jsonschema@v0.6.0
 *   node test/codegen/record-plugin.ts
 *
 * The program must be on the PATH. `write-bundle.test.ts` holds the project's own bundles against the recording.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { buildImage } from '../../codegen/image.ts';
import { versionProto, versions } from '../../codegen/versions.ts';
import { changeSpec, copyInputs } from '../support/changed-proto.ts';
import { removeFolders } from '../support/folders.ts';

const program = 'protoc-gen-jsonschema';
const run = (args: string[], input?: Uint8Array): Buffer => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { maxBuffer: 64 << 20, ...(input && { input }) });
  if (status !== 0) throw new Error(`${program}: ${stderr?.toString().trim() || error?.message}`);
  return stdout;
};

const inputs = copyInputs();
try {
  changeSpec(inputs);
  const [{ name }] = versions;
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [`${name}/${versionProto}`],
    parameter: 'target=json',
    protoFile: buildImage(inputs.protoDir, name).set.file,
  });
  const { file, error } = fromBinary(
    CodeGeneratorResponseSchema,
    run([], toBinary(CodeGeneratorRequestSchema, request)),
  );
  if (error) throw new Error(`${program}: ${error}`);
  const head = JSON.stringify({ program: `${program} ${run(['--version']).toString().trim()}`, version: name });
  const lines = [head, ...file.map(({ content }) => JSON.stringify(JSON.parse(content)))];
  writeFileSync(new URL('plugin-recording.jsonl', import.meta.url), `${lines.join('\n')}\n`);
} finally {
  await removeFolders();
}
