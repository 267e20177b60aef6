import { spawnSync } from 'node:child_process';
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

/**
 * Compiles a folder of protos with buf, offline.
 *
 * @param protoDir the import root
 * @throws ProtoError with the compiler's words
 */
export function buildImage(protoDir: string): Image {
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
