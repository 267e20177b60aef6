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

/** A generator of protoc: a program that reads descriptors and writes files, both as one message of protobuf. */
export interface Generator {
  /** Its name for messages. */
  readonly name: string;
  /** The package that it comes in, of the tools for it. */
  readonly package: string;
  /** Path of the program in the package. */
  readonly program: string;
}

/** A generator refused the protos, or failed; the message ends with its words. */
export class GeneratorError extends Error {}

/** Milliseconds that a generator may take. */
const deadline = 120_000;

/**
 * Runs a generator.
 *
 * @param protos all files, each after its imports
 * @param wanted those to generate code for
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

/** Compilers, not generators, compare what protos use with what a generator knows. */
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
  // A generator that ends early says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return promise;
}
