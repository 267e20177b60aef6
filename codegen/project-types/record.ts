import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { clone, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type Image, readImage } from '../image.ts';
import type { Definitions } from '../json-schema.ts';
import { type ImportExtension, type Part, parts } from './files.ts';
import type { Spec } from './spec.ts';

/** Name of the file that records the input and output of the last run in a folder. */
export const recordName = '.a2a-types.json';

/** A version of A2A, or user files: their paths relative to the folder of the types, with forward slashes. */
export type Source = { readonly a2a: string } | { readonly proto: string; readonly schema?: string };

/** Input and output of a run. */
export interface LastRun {
  readonly source: Source;
  /** Digest of the source's contents. */
  readonly inputs: string;
  readonly with: readonly Part[];
  readonly importExtension: ImportExtension;
  /** Version of the gateway whose generators ran. */
  readonly gateway: string;
  /** Digests of the files, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Name of the proto in the descriptors. */
  readonly proto: string;
  /** A serialized FileDescriptorSet without comments, in base64. */
  readonly descriptors: string;
  /** JSON form of A2A 0.3. */
  readonly definitions?: Definitions;
}

const note = 'Written by `npx a2a-gateway types`. Commit it with the files.';

/** Whether a text is a record, even an unreadable one. */
export const isOfCommand = (text: string): boolean => text.includes(note);

/** Returns the record of a run. The text is deterministic, on every machine. */
export function recordText(run: LastRun): string {
  return `${JSON.stringify({ note, ...run }, undefined, 2)}\n`;
}

/** Parses a record; undefined for other text, such as a record with merge conflict markers. */
export function readRecord(text: string): LastRun | undefined {
  try {
    const run: LastRun = JSON.parse(text);
    const isRecord =
      typeof sourceOf(run) === 'string' &&
      Array.isArray(run.with) &&
      run.with.every((part) => parts.includes(part)) &&
      /^\.[jt]s$/.test(run.importExtension) &&
      typeof run.files === 'object' &&
      typeof run.descriptors === 'string' &&
      typeof run.proto === 'string' &&
      imageIn(run).registry.getFile(run.proto) !== undefined;
    return isRecord ? run : undefined;
  } catch {
    return undefined;
  }
}

const sourceOf = ({ source }: LastRun): string => ('a2a' in source ? source.a2a : source.proto);

/** Whether two runs have equal inputs and options. */
export function sameRun(a: RunOptions, b: RunOptions): boolean {
  const own = ({ source, inputs, with: wanted, importExtension }: RunOptions) => ({
    source,
    inputs,
    wanted,
    importExtension,
  });
  return isDeepStrictEqual(own(a), own(b));
}

type RunOptions = Pick<LastRun, 'source' | 'inputs' | 'with' | 'importExtension'>;

/** Returns the name of a source in headers and messages. */
export const titleOf = (source: Source): string =>
  'a2a' in source
    ? `A2A ${source.a2a}`
    : [source.proto, source.schema].filter((path) => path !== undefined).join(' and ');

/** Returns the descriptors in a record. */
export const imageIn = ({ descriptors }: LastRun): Image => readImage(Buffer.from(descriptors, 'base64'));

/** Returns the descriptors of a specification in the form of records. */
export function descriptorsOf({ image }: Spec): string {
  const set = clone(FileDescriptorSetSchema, image.set);
  for (const file of set.file) delete file.sourceCodeInfo;
  return Buffer.from(toBinary(FileDescriptorSetSchema, set)).toString('base64');
}

/** Returns a digest of texts or bytes. In texts, line endings are ignored, since version control may change them. */
export function digestOf(...inputs: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const content = typeof input === 'string' ? Buffer.from(input.replaceAll('\r\n', '\n')) : input;
    hash.update(`${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
