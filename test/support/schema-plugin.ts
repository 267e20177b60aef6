/**
 * A stand-in for protoc-gen-jsonschema of github.com/bufbuild/protoschema-plugins, which is a program in Go: `--version`
 * prints its version; a CodeGeneratorRequest on stdin is answered by a CodeGeneratorResponse with a file for each message.
 * Its schemas are the definitions of the bundle that SCHEMA_PLUGIN_BUNDLE names.
 */
import { readFileSync } from 'node:fs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';

if (process.argv.includes('--version')) console.log('v0.6.0');
else {
  const { fileToGenerate, parameter, protoFile } = fromBinary(CodeGeneratorRequestSchema, readFileSync(0));
  const file = protoFile.find(({ name }) => name === fileToGenerate[0]);
  const fails = parameter !== 'target=json' || !file || fileToGenerate.length !== 1;
  const bundle = JSON.parse(readFileSync(process.env.SCHEMA_PLUGIN_BUNDLE ?? '', 'utf8'));
  const schemas = Object.entries<{ title: string }>(bundle.definitions).map(([title, schema]) => {
    const name = title.replaceAll(' ', '');
    const isWellKnown = ['Struct', 'Value', 'Timestamp'].includes(name);
    const id = `${isWellKnown ? 'google.protobuf' : file?.package}.${name}.jsonschema.json`;
    return { name: id, content: JSON.stringify({ $id: id, ...schema }) };
  });
  const response = create(
    CodeGeneratorResponseSchema,
    fails ? { error: `not as protoc asks: ${parameter}` } : { file: schemas },
  );
  process.stdout.write(toBinary(CodeGeneratorResponseSchema, response));
}
