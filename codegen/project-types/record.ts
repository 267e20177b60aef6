import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { clone, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type Image, readImage } from '../image.ts';
import type { Definitions } from '../json-schema.ts';
import { type ImportExtension, type Part, parts } from './files.ts';
import type { Spec } from './spec.ts';

/** The file of a folder that says what the last run has written there, and of what. */
export const recordName = '.a2a-types.json';

/** A version of A2A, or files of the user's: their paths from the folder of the types, with forward slashes. */
export type Source = { readonly a2a: string } | { readonly proto: string; readonly schema?: string };

/** Output and input of a run. */
export interface LastRun {
  readonly source: Source;
  /** Digest of what the source has. */
  readonly inputs: string;
  readonly with: readonly Part[];
  readonly importExtension: ImportExtension;
  /** Version of the gateway whose generators ran. */
  readonly gateway: string;
  /** Digests of the files, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Name of the proto in the descriptors. */
  readonly proto: string;
  /** A serialised FileDescriptorSet without comments, in base64. */
  readonly descriptors: string;
  /** The JSON form of A2A 0.3. */
  readonly definitions?: Definitions;
}

const note = 'Written by `npx a2a-gateway types`. Commit it with the files.';

/** Whether a text is a record, though it may not be readable any more. */
export const isOfCommand = (text: string): boolean => text.includes(note);

/** The record of a run. The same inputs give the same text, on any machine. */
export function recordText(run: LastRun): string {
  return `${JSON.stringify({ note, ...run }, undefined, 2)}\n`;
}

/** Parses a record; undefined for other text, such as a record with the marks of a merge. */
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

/** Whether two runs have the same inputs and options. */
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

/** The name that headers and messages have for a source. */
export const titleOf = (source: Source): string =>
  'a2a' in source
    ? `A2A ${source.a2a}`
    : [source.proto, source.schema].filter((path) => path !== undefined).join(' and ');

/** The descriptors that a record has. */
export const imageIn = ({ descriptors }: LastRun): Image => readImage(Buffer.from(descriptors, 'base64'));

/** The descriptors of a specification as a record has them. */
export function descriptorsOf({ image }: Spec): string {
  const set = clone(FileDescriptorSetSchema, image.set);
  for (const file of set.file) delete file.sourceCodeInfo;
  return Buffer.from(toBinary(FileDescriptorSetSchema, set)).toString('base64');
}

/** Digest of texts or bytes; of texts whatever their ends of lines, which version control may change. */
export function digestOf(...inputs: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const input of inputs) {
    const content = typeof input === 'string' ? Buffer.from(input.replaceAll('\r\n', '\n')) : input;
    hash.update(`${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
