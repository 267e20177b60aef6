import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { clone, createFileRegistry, type FileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** Compiled protos: the descriptors with comments, and the registry over them. */
export interface Image {
  readonly set: FileDescriptorSet;
  readonly registry: FileRegistry;
}

/** The protos do not compile; the message is what the compiler says. */
export class ProtoError extends Error {}

/** Images by a digest of their protos. An update reads the same protos several times. */
const images = new Map<string, Image>();
const maxImages = 8;

/**
 * Compiles a folder of protos with buf, offline. Protos that have been compiled before are not compiled again.
 *
 * @param protoDir the import root
 * @returns an image that is shared: it must not be changed
 * @throws ProtoError with the compiler's words
 */
export function buildImage(protoDir: string): Image {
  const key = digestOf(protoDir);
  let image = images.get(key);
  if (!image) {
    image = compileImage(protoDir);
    const [oldest] = images.keys();
    if (images.size >= maxImages && oldest !== undefined) images.delete(oldest);
    images.set(key, image);
  }
  return image;
}

function digestOf(protoDir: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(protoDir, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.proto')) continue;
    const content = readFileSync(join(protoDir, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function compileImage(protoDir: string): Image {
  const buf = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin', 'buf');
  const run = spawnSync(process.execPath, [buf, 'build', protoDir, '--as-file-descriptor-set', '-o', '-'], {
    maxBuffer: 64 << 20,
  });
  if (run.status !== 0) throw new ProtoError(`buf build ${protoDir}: ${run.stderr?.toString().trim() || run.error}`);
  return readImage(run.stdout);
}

/** Reads a serialised FileDescriptorSet. */
export function readImage(bytes: Uint8Array): Image {
  const set = fromBinary(FileDescriptorSetSchema, bytes);
  return { set, registry: createFileRegistry(set) };
}

/**
 * The image for run time: without comments, and only the files that `roots` need.
 *
 * @param roots file names, such as `lf/a2a/v1/a2a.proto`
 */
export function runtimeImage(image: Image, roots: readonly string[]): Uint8Array {
  const byName = new Map(image.set.file.map((file) => [file.name, file]));
  const needed = new Set<string>();
  const visit = (name: string): void => {
    if (needed.has(name)) return;
    for (const dependency of byName.get(name)?.dependency ?? []) visit(dependency);
    needed.add(name);
  };
  for (const root of roots) visit(root);
  const set = clone(FileDescriptorSetSchema, image.set);
  const files = new Map(set.file.map((file) => [file.name, file]));
  set.file = [...needed].flatMap((name) => files.get(name) ?? []);
  for (const file of set.file) delete file.sourceCodeInfo;
  return toBinary(FileDescriptorSetSchema, set);
}
