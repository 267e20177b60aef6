import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  type CodeGeneratorResponse,
  CodeGeneratorResponseSchema,
  CodeGeneratorResponse_Feature as Feature,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { withProgress } from './progress.ts';
import { toolCache } from './tool-cache.ts';

/** A protoc plugin: a program that reads descriptors and writes files, both as a single protobuf message. */
export interface Generator {
  /** Name for messages. */
  readonly name: string;
  /** Package of the tools that contains it. */
  readonly package: string;
  /** Path of the program within the package. */
  readonly program: string;
}

/** Error: a plugin refused the protos or failed. The message ends with its output. */
export class GeneratorError extends Error {}

/** Maximum milliseconds of a plugin's run. */
const deadline = 120_000;

/**
 * Runs a plugin.
 *
 * @param protos all files, each after its imports
 * @param wanted files for which to generate code
 * @returns texts by path
 * @throws GeneratorError
 */
export async function runGenerator(
  generator: Generator,
  protos: readonly FileDescriptorProto[],
  wanted: readonly FileDescriptorProto[],
  options: readonly string[],
): Promise<Map<string, string>> {
  const tools = await toolCache('plugins');
  const program = join(dirname(tools.resolve(`${generator.package}/package.json`)), generator.program);
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: wanted.map(({ name }) => name),
    parameter: options.join(','),
    protoFile: [...protos],
  });
  const bytes = await withProgress(`running ${generator.name}`, () =>
    runProgram(generator.name, program, toBinary(CodeGeneratorRequestSchema, request)),
  );
  const response = readResponse(generator.name, bytes);
  if (response.error) throw new GeneratorError(`${generator.name}: ${response.error}`);
  refuseUnsupported(generator.name, response, protos);
  return new Map(response.file.map(({ name, content }) => [name, content]));
}

function readResponse(name: string, bytes: Uint8Array): CodeGeneratorResponse {
  try {
    return fromBinary(CodeGeneratorResponseSchema, bytes);
  } catch (cause) {
    throw new GeneratorError(`${name} wrote no answer that can be read`, { cause });
  }
}

/** Refuses protos with features that the plugin does not support. Compilers check this, plugins do not. */
function refuseUnsupported(
  name: string,
  response: CodeGeneratorResponse,
  protos: readonly FileDescriptorProto[],
): void {
  const knowsEditions = (response.supportedFeatures & BigInt(Feature.SUPPORTS_EDITIONS)) !== 0n;
  const { minimumEdition, maximumEdition } = response;
  const unknown = protos.find(
    ({ syntax, edition }) =>
      syntax === 'editions' && !(knowsEditions && edition >= minimumEdition && edition <= maximumEdition),
  );
  if (unknown) throw new GeneratorError(`${name} does not know the edition of ${unknown.name}`);
}

function runProgram(name: string, program: string, input: Uint8Array): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const child = spawn(process.execPath, [program], { stdio: 'pipe', timeout: deadline, killSignal: 'SIGKILL' });
  const output: Uint8Array[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Uint8Array) => output.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.on('error', (cause) => reject(new GeneratorError(`${name} could not be started: ${cause.message}`, { cause })));
  child.on('close', (code, signal) => {
    if (code === 0) resolve(Buffer.concat(output));
    else reject(new GeneratorError(`${name} ended with ${signal ?? `exit code ${code}`}: ${errors.trim()}`));
  });
  // If the plugin ends early, its exit reports the reason.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return promise;
}
