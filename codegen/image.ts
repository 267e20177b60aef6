import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { clone, createFileRegistry, type FileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { resolveTool } from './project-types/tool-cache.ts';
import { versions } from './versions.ts';

/** Compiled protos: the descriptors with comments, and a registry of them. */
export interface Image {
  readonly set: FileDescriptorSet;
  readonly registry: FileRegistry;
}

/** Error: the protos do not compile. The message is the compiler's output. */
export class ProtoError extends Error {}

/** Images by a digest of their protos, since an update reads the same protos several times. */
const images = new Map<string, Image>();
const maxImages = 8;

/**
 * Compiles a folder of protos with buf, offline. The versions of A2A 1.x declare the same names, so only one of them is
 * included; the names of its files begin with its folder. Results are cached by content.
 *
 * @param protoDir import root
 * @param version name of the version
 * @returns a shared image, which must not be changed
 * @throws ProtoError with the compiler's output
 */
export function buildImage(protoDir: string, version: string = versions[0].name): Image {
  const place = placeOf(protoDir, version);
  return images.get(place.key) ?? keep(place, compiledBy(protoDir, spawnSync(process.execPath, ...bufCall(place))));
}

/**
 * Compiles versions ahead of `buildImage`, which then returns them at once. Does not block the event loop, so that
 * progress can be reported.
 *
 * @param names names of the versions
 * @throws ProtoError with the compiler's output
 */
export async function compileAhead(
  protoDir: string,
  names: readonly string[] = versions.map(({ name }) => name),
): Promise<void> {
  for (const version of names) {
    const place = placeOf(protoDir, version);
    if (images.has(place.key)) continue;
    const [args] = bufCall(place);
    keep(place, compiledBy(protoDir, await spawned(process.execPath, args)));
  }
}

/** The protos of an image, identified by a digest. */
interface Place {
  readonly key: string;
  readonly protoDir: string;
  /** Folders to exclude. */
  readonly others: readonly string[];
}

function placeOf(protoDir: string, version: string): Place {
  const others = versions.map(({ name }) => name).filter((name) => name !== version);
  return { key: digestOf(protoDir, others), protoDir, others };
}

function keep({ key }: Place, image: Image): Image {
  const [oldest] = images.keys();
  if (images.size >= maxImages && oldest !== undefined) images.delete(oldest);
  images.set(key, image);
  return image;
}

function digestOf(protoDir: string, without: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(protoDir, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.proto') || without.some((dir) => file.startsWith(dir + sep))) continue;
    const content = readFileSync(join(protoDir, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Returns the arguments and options with which Node runs buf. */
function bufCall({ protoDir, others }: Place): [args: string[], options: { readonly maxBuffer: number }] {
  const buf = join(dirname(resolveTool('compile', '@bufbuild/buf/package.json')), 'bin', 'buf');
  const dirs = others.map((dir) => join(protoDir, dir)).filter((dir) => existsSync(dir));
  const excluded = dirs.flatMap((dir) => ['--exclude-path', dir]);
  return [[buf, 'build', protoDir, ...excluded, '--as-file-descriptor-set', '-o', '-'], { maxBuffer: 64 << 20 }];
}

/** Exit status and output of a program that has ended. */
interface Ended {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer | null;
  readonly error?: Error | undefined;
}

/** Runs a program like `spawnSync`, without blocking. */
async function spawned(program: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const { promise, resolve } = Promise.withResolvers<Pick<Ended, 'status' | 'error'>>();
  child.on('error', (error) => resolve({ status: null, error }));
  child.on('close', (status) => resolve({ status }));
  const [end, stdout, stderr] = await Promise.all([promise, buffer(child.stdout), buffer(child.stderr)]);
  return { ...end, stdout, stderr };
}

function compiledBy(protoDir: string, { status, stdout, stderr, error }: Ended): Image {
  if (status !== 0) throw new ProtoError(`buf build ${protoDir}: ${stderr?.toString().trim() || error}`);
  return readImage(stdout);
}

/** Reads a serialized FileDescriptorSet. */
export function readImage(bytes: Uint8Array): Image {
  const set = fromBinary(FileDescriptorSetSchema, bytes);
  return { set, registry: createFileRegistry(set) };
}

/**
 * Returns the image used at run time: without comments, and with only the files that `roots` need.
 *
 * @param roots file names, such as `a2a/v1/a2a.proto`
 * @param known names of files in another image, which are omitted
 */
export function runtimeImage(
  image: Image,
  roots: readonly string[],
  known: ReadonlySet<string> = new Set(),
): Uint8Array {
  const set = clone(FileDescriptorSetSchema, image.set);
  const files = new Map(set.file.map((file) => [file.name, file]));
  set.file = [...neededFiles(image, roots)].filter((name) => !known.has(name)).flatMap((name) => files.get(name) ?? []);
  for (const file of set.file) {
    delete file.sourceCodeInfo;
    file.name = importName(file.name);
  }
  return toBinary(FileDescriptorSetSchema, set);
}

/** Returns the image of one file and its imports. Comments of Google's files are removed. */
export function imageOf(image: Image, root: string): Image {
  const set = clone(FileDescriptorSetSchema, image.set);
  const files = new Map(set.file.map((file) => [file.name, file]));
  set.file = [...neededFiles(image, [root])].flatMap((name) => files.get(name) ?? []);
  for (const file of set.file) {
    file.name = importName(file.name);
    if (file.name.startsWith('google/')) delete file.sourceCodeInfo;
    if (!file.sourceCodeInfo) continue;
    file.sourceCodeInfo.location = file.sourceCodeInfo.location.filter(
      ({ leadingComments, trailingComments, leadingDetachedComments }) =>
        leadingComments !== '' || trailingComments !== '' || leadingDetachedComments.length > 0,
    );
  }
  return readImage(toBinary(FileDescriptorSetSchema, set));
}

/** Returns the name by which other protos import a file: its path below its import root. */
export function importName(file: string): string {
  const root = versions.find(({ name }) => file.startsWith(`${name}/`));
  return root ? file.slice(root.name.length + 1) : file;
}

/** Returns the names of files and all their imports, each after its imports. */
export function neededFiles(image: Image, roots: readonly string[]): Set<string> {
  const byName = new Map(image.set.file.map((file) => [file.name, file]));
  const needed = new Set<string>();
  const visit = (name: string): void => {
    if (needed.has(name)) return;
    for (const dependency of byName.get(name)?.dependency ?? []) visit(dependency);
    needed.add(name);
  };
  for (const root of roots) visit(root);
  return needed;
}
