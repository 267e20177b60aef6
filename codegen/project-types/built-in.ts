import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { states } from '../../src/dialects/a2a-0.3/names.ts';
import { buildImage, compileAhead, type Image, imageOf, readImage } from '../image.ts';
import type { Definitions, Schema } from '../json-schema.ts';
import { describe } from '../model.ts';
import { overlay } from '../overlay.ts';
import { versionProto, versions } from '../versions.ts';
import { withProgress } from './progress.ts';
import { type Spec, withBundle } from './spec.ts';
import { toolCache } from './tool-cache.ts';

/** Input files of a version of A2A. */
interface Source {
  readonly version: string;
  /** Path of the proto below `proto`, and the name by which other protos import it. */
  readonly proto: string;
  readonly file: string;
  /** File name of its bundle or JSON form in `codegen/schemas`. */
  readonly schema: string;
  /** Set if the schema describes a JSON form that differs from the proto's. */
  readonly ownForm?: true;
}

const sources: readonly Source[] = [
  ...versions.map(({ name, version }) => ({
    version,
    proto: `${name}/${versionProto}`,
    file: versionProto,
    schema: `${name}.json`,
  })),
  { version: '0.3', proto: 'a2a/v1/a2a.proto', file: 'a2a/v1/a2a.proto', schema: 'a2a-0.3.json', ownForm: true },
];

/** Versions of A2A for which types can be generated without user files, published versions first. */
export const builtInVersions: readonly string[] = [
  ...versions.filter(({ preview }) => !preview).map(({ version }) => version),
  ...versions.filter(({ preview }) => preview).map(({ version }) => version),
  '0.3',
];

/** The newest published version. */
export const defaultVersion: string = builtInVersions[0] as string;

/** A version in one compressed file of the package: its descriptors with comments, in base64, and its schema. */
interface Packed {
  readonly image: string;
  readonly schema: unknown;
}

/** Returns the path of a packed version, relative to the built generator. */
const packedFile = (version: string): string => `specs/a2a-${version}.json.br`;

/**
 * Whether this code runs from the package, which contains packed versions, and not from a checkout, which may change.
 */
export const isPacked: boolean = existsSync(new URL(`./${packedFile(defaultVersion)}`, import.meta.url));

/** Reads a version: in the package from its packed file, in a checkout from protos and schemas, using buf. */
export async function readBuiltIn(version: string): Promise<Spec> {
  const source = sources.find((one) => one.version === version);
  if (!source) throw new Error(`A2A ${version} is not built in`);
  const packed = new URL(`./${packedFile(version)}`, import.meta.url);
  const { image, schema } = isPacked ? unpack(readFileSync(packed)) : await readSources(source);
  const model = describe(image, source.file, overlay);
  const title = `A2A ${version}`;
  if (!source.ownForm) return { title, image, ...withBundle(model, { name: source.schema, json: schema }) };
  const { definitions } = schema as { readonly definitions: Definitions };
  return { title, image, ...withBundle(model, undefined), definitions: asDocumented(definitions) };
}

/**
 * Returns the JSON form of A2A 0.3 with states and times as documented; the gateway's readers accept any text for them.
 */
function asDocumented(definitions: Definitions): Definitions {
  const entries = Object.entries(definitions).map(([name, schema]): [string, Schema] => {
    if (name === 'TaskState') {
      return [name, { description: 'Where a task is in its life.', enum: Object.values(states) }];
    }
    const { timestamp } = schema.properties ?? {};
    if (timestamp === undefined) return [name, schema];
    return [
      name,
      { ...schema, properties: { ...schema.properties, timestamp: { ...timestamp, format: 'date-time' } } },
    ];
  });
  return Object.fromEntries(entries);
}

/** Returns the built-in versions as package files, by path relative to the built generator. */
export async function packBuiltIn(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const source of sources) {
    const { image, schema } = await readSources(source);
    const bytes = toBinary(FileDescriptorSetSchema, image.set);
    const packed: Packed = { image: Buffer.from(bytes).toString('base64'), schema };
    files.set(packedFile(source.version), brotliCompressSync(JSON.stringify(packed)));
  }
  return files;
}

function unpack(bytes: Uint8Array): { readonly image: Image; readonly schema: unknown } {
  const { image, schema }: Packed = JSON.parse(brotliDecompressSync(bytes).toString());
  return { image: readImage(Buffer.from(image, 'base64')), schema };
}

async function readSources({
  version,
  proto,
  schema,
}: Source): Promise<{ readonly image: Image; readonly schema: unknown }> {
  await toolCache('compile');
  const name = versions.find((one) => one.version === version)?.name;
  const protoDir = fileURLToPath(new URL('../../proto', import.meta.url));
  await withProgress('compiling the protos', () => compileAhead(protoDir, [name ?? versions[0].name]));
  const image = imageOf(buildImage(protoDir, name), proto);
  return { image, schema: JSON.parse(readFileSync(new URL(`../schemas/${schema}`, import.meta.url), 'utf8')) };
}
