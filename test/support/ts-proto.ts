import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installTools, resolveTool } from '../../scripts/tools.ts';
import { buf } from './buf.ts';

/** A message type, as ts-proto generates it. */
export interface TsProtoMessage {
  fromJSON(json: unknown): object;
  toJSON(message: object): unknown;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** In the project, whose packages the generated code imports. */
const folder = join(root, 'test-output', 'ts-proto');

/** Those of users' projects. */
const options = [
  'esModuleInterop=true',
  'importSuffix=.ts',
  'stringEnums=true',
  'forceLong=string',
  'outputServices=none',
];

/** Generates the messages of the protos, with those of one version of A2A 1.x. @returns a type by its file and name */
export async function generateTsProto(
  version: string,
  others: readonly string[],
): Promise<(file: string) => Promise<TsProtoTypes>> {
  await installTools('compile');
  await installTools('plugins');
  const plugin = join(dirname(resolveTool('plugins', 'ts-proto/package.json')), 'protoc-gen-ts_proto');
  const out = join(folder, version);
  const template = { version: 'v2', plugins: [{ local: [process.execPath, plugin], out, opt: options }] };
  const excluded = others.flatMap((other) => ['--exclude-path', `proto/${other}`]);
  const args = [buf, 'generate', 'proto', '--template', JSON.stringify(template), '--include-imports', ...excluded];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`buf generate failed: ${stderr}`);
  return (file) => import(pathToFileURL(join(out, file)).href);
}

/** By TypeScript name, such as `BadRequest_FieldViolation`. */
export type TsProtoTypes = Readonly<Record<string, TsProtoMessage>>;
