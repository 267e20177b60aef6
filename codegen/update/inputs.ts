import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Bundle, readBundle, SchemaError } from '../bundle.ts';
import { buildImage, compileAhead, type Image, ProtoError } from '../image.ts';
import { describe, type Model } from '../model.ts';
import { type Described, DisagreementError, describeAll, type Images, imagesOf, type Target } from '../outputs.ts';
import { overlay } from '../overlay.ts';
import { versions } from '../versions.ts';
import { type Change, compareProtos, type ProtoFile } from './diff.ts';
import { mergeBundle, mergeProto } from './merge.ts';
import { writeBundle } from './write-bundle.ts';

/** The inputs of a project. */
export interface Inputs {
  readonly described: readonly Described[];
  /** Proto of the target to update. */
  readonly proto: ProtoFile;
}

/** Reads the inputs of a project. */
export async function readInputs(root: string, target: Target): Promise<Inputs> {
  await compileAhead(join(root, 'proto'));
  const images = imagesOf(join(root, 'proto'));
  const described = describeAll(images, (one) => schemaPath(root, one));
  return { described, proto: protoOf(images(target.version), target) };
}

/** Result of replacing the inputs of a project. */
export interface Replaced {
  readonly changes: readonly Change[];
  /** Number of declarations with other comments. The project's comments are kept. */
  readonly comments: number;
  /** Whether the bundle was generated from the proto. */
  readonly generated: boolean;
}

/**
 * Replaces proto and bundle in a copy of the project. Files whose new version declares the same are left byte for byte
 * unchanged; otherwise only the differences are taken over.
 *
 * @param copy copy of the project, which is modified
 * @param before current proto of the copy
 * @param proto new proto; undefined: the proto is kept
 * @param schema new bundle; undefined: the bundle is kept if it fits the proto, and otherwise generated from the proto
 */
export async function replaceInputs(
  copy: string,
  target: Target,
  before: ProtoFile,
  proto: string | undefined,
  schema: string | undefined,
): Promise<Replaced> {
  const protoPath = join(copy, 'proto', target.proto);
  const vendored = readFileSync(protoPath, 'utf8');
  const proposed = proto === undefined ? vendored : readFileSync(proto, 'utf8');
  writeFileSync(protoPath, proposed);
  await compileAhead(join(copy, 'proto'));
  const images = imagesOf(join(copy, 'proto'));
  const image = images(target.version);
  const after = protoOf(image, target);
  if (after.file.proto.package !== target.package) {
    throw new ProtoError(`${target.proto}: package ${after.file.proto.package}, expected ${target.package}`);
  }
  const changes = compareProtos(before, after);
  const { json, generated } = bundleFor(copy, images, target, schema);
  const inProto = await keepProto(copy, target, vendored, proposed, after);
  const inBundle = json === undefined ? 0 : keepBundle(copy, target, describe(image, target.proto, overlay), json);
  // A bundle repeats the comments of its proto. If it was generated from the proto, its comments are not counted again.
  return { changes, generated, comments: proto !== undefined ? inProto : generated ? 0 : inBundle };
}

/**
 * Applies the changes that an update made to the proto of one version to a later version. The later version's bundle is
 * generated from its proto if it no longer fits.
 *
 * @param copy copy of the project, which is modified
 * @param was former proto of the updated version
 * @param is new proto of the updated version
 * @throws ProtoError if the later version conflicts with an addition
 */
export async function replaceLater(copy: string, later: Target, was: string, is: string): Promise<Replaced> {
  await compileAhead(join(copy, 'proto'));
  const before = protoOf(buildImage(join(copy, 'proto'), later.version), later);
  const proposed = join(copy, '..', 'later.proto');
  const { text } = mergeProto(readFileSync(join(copy, 'proto', later.proto), 'utf8'), is, was);
  writeFileSync(proposed, text);
  try {
    return await replaceInputs(copy, later, before, proposed, undefined);
  } catch (error) {
    if (!(error instanceof ProtoError)) throw error;
    throw new ProtoError(`${later.version} cannot adopt the additions:\n${error.message}`);
  }
}

function protoOf({ registry }: Image, target: Target): ProtoFile {
  const file = registry.getFile(target.proto);
  if (!file) throw new ProtoError(`no such proto file: ${target.proto}`);
  return { file, registry };
}

const schemaPath = (root: string, { schema }: Target): string | undefined =>
  schema === undefined ? undefined : join(root, 'codegen', 'schemas', schema);

/** Returns the new bundle, compared with the proto. `json` is undefined if the project's own bundle fits. */
function bundleFor(
  copy: string,
  images: Images,
  target: Target,
  schema: string | undefined,
): { json?: unknown; generated: boolean } {
  const check = (path: string | undefined): void => {
    describeAll(images, (one) => (one === target && path !== undefined ? path : schemaPath(copy, one)));
  };
  if (schema !== undefined) {
    try {
      check(schema);
    } catch (error) {
      if (!(error instanceof SchemaError) || error.message.startsWith(schema)) throw error;
      throw new SchemaError(`${schema}: ${error.message}\nIs it the bundle of this version of the proto?`);
    }
    return { json: JSON.parse(readFileSync(schema, 'utf8')), generated: false };
  }
  try {
    check(undefined);
    return { generated: false };
  } catch (error) {
    if (!(error instanceof DisagreementError)) throw error;
    const json = writeBundle(images(target.version), target.proto);
    const path = join(copy, '..', 'generated.json');
    writeFileSync(path, JSON.stringify(json));
    check(path);
    return { json, generated: true };
  }
}

/** Merges the declarations of the new proto into the project's proto. Returns the number of changed comments. */
async function keepProto(
  copy: string,
  target: Target,
  vendored: string,
  proposed: string,
  after: ProtoFile,
): Promise<number> {
  const path = join(copy, 'proto', target.proto);
  const merged = mergeProto(vendored, proposed);
  writeFileSync(path, merged.text);
  try {
    await compileAhead(join(copy, 'proto'), [target.version ?? versions[0].name]);
    const read = protoOf(buildImage(join(copy, 'proto'), target.version), target);
    if (compareProtos(read, after).length === 0) return merged.comments;
  } catch (error) {
    if (!(error instanceof ProtoError)) throw error;
  }
  // Text that cannot be merged is taken over unchanged.
  writeFileSync(path, proposed);
  return 0;
}

/** Merges the definitions of the new bundle into the project's bundle. Returns the number of changed descriptions. */
function keepBundle(copy: string, target: Target, model: Model, json: unknown): number {
  const path = schemaPath(copy, target) as string;
  const vendored = readFileSync(path, 'utf8');
  const shape = (bundle: unknown): unknown => shapeOf(readBundle(bundle, model));
  const merged = mergeBundle(vendored, json, target.package);
  if (isDeepStrictEqual(shape(JSON.parse(vendored)), shape(json))) return merged.comments;
  const fits = isDeepStrictEqual(shape(JSON.parse(merged.text)), shape(json));
  writeFileSync(path, fits ? merged.text : `${JSON.stringify(json, undefined, 2)}\n`);
  return fits ? merged.comments : 0;
}

/** Returns a bundle without descriptions, in a canonical order. */
function shapeOf({ messages, enums }: Bundle): unknown {
  const byName = <T extends { name: string }>(list: readonly T[]): T[] =>
    [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    messages: byName(messages).map(({ description: _, fields, aliases, ...message }) => ({
      ...message,
      aliases: [...aliases].sort(),
      fields: fields.map(({ description: _, ...field }) => field).sort((a, b) => (a.jsonName < b.jsonName ? -1 : 1)),
    })),
    enums: byName(enums),
  };
}
