import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildImage, neededFiles } from '../../codegen/image.ts';
import { runGenerator } from '../../codegen/project-types/plugin-process.ts';
import { toolCache } from '../../codegen/project-types/tool-cache.ts';

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

/** Options of users' projects. */
const options = [
  'esModuleInterop=true',
  'importSuffix=.ts',
  'stringEnums=true',
  'forceLong=string',
  'outputServices=none',
];

/** Generates the messages of the protos, with those of one version of A2A 1.x. @returns a type by its file and name */
export async function generateTsProto(version: string): Promise<(file: string) => Promise<TsProtoTypes>> {
  await toolCache('compile');
  const image = buildImage(join(root, 'proto'), version);
  const names = image.set.file.map(({ name }) => name);
  const byName = new Map(image.set.file.map((file) => [file.name, file]));
  const protos = [...neededFiles(image, names)].flatMap((name) => byName.get(name) ?? []);
  const generator = { name: 'ts-proto', package: 'ts-proto', program: 'protoc-gen-ts_proto' };
  const out = join(folder, version);
  for (const [path, text] of await runGenerator(generator, protos, protos, options)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  }
  return (file) => import(pathToFileURL(join(out, file)).href);
}

/** By TypeScript name, such as `BadRequest_FieldViolation`. */
export type TsProtoTypes = Readonly<Record<string, TsProtoMessage>>;
