import { statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, extname, join, parse, sep } from 'node:path';
import type { Part, StreamResponse } from '../client/index.ts';
import { trimEnd } from '../core/model/text.ts';
import { UsageError } from './exit-code.ts';
import { extensionOf } from './input.ts';
import type { Output } from './output.ts';
import type { ReadUrl, TargetOptions } from './target.ts';

/** Options for writing the files of an answer. */
export interface OutOptions extends TargetOptions {
  /** A folder, or a file that does not exist. */
  readonly out?: string;
}

/**
 * Collects the files of one answer: those of its artifacts, and of its last message. Throws UsageError if `--out`
 * cannot be used.
 */
export function createAnswerFiles({ out, json }: OutOptions, output: Output) {
  checkOut(out);
  const artifacts = new Map<string, readonly Part[]>();
  let said: readonly Part[] = [];
  return {
    event({ task, message, statusUpdate, artifactUpdate }: StreamResponse): void {
      for (const { artifactId, parts } of task?.artifacts ?? []) artifacts.set(artifactId, parts);
      if (artifactUpdate) {
        const { artifact, append } = artifactUpdate;
        const before = append === true ? (artifacts.get(artifact.artifactId) ?? []) : [];
        artifacts.set(artifact.artifactId, [...before, ...artifact.parts]);
      }
      said = (message ?? (task ?? statusUpdate)?.status.message)?.parts ?? said;
    },
    /** Writes the files according to `--out`. Without it, prints their number. */
    async save(read: ReadUrl): Promise<void> {
      const files = [...artifacts.values(), said]
        .flat()
        .filter(({ raw, url }) => raw !== undefined || url !== undefined);
      if (out !== undefined) await saveFiles(files, out, output, read);
      else if (files.length > 0 && json !== true) {
        output.note(
          `${files.length === 1 ? '1 file' : `${files.length} files`} in the answer; --out FOLDER saves them`,
        );
      }
    },
  };
}

/** Whether `--out` names a folder: an existing one, or a path that ends with a slash. */
const isFolder = (out: string): boolean =>
  out.endsWith('/') || out.endsWith(sep) || statSync(out, { throwIfNoEntry: false })?.isDirectory() === true;

/** Checks `--out` before anything is sent. Throws UsageError. */
function checkOut(out: string | undefined): void {
  if (out === undefined) return;
  if (out === '') throw new UsageError('--out: expected a folder or a file');
  if (isFolder(out)) {
    if (statSync(trimEnd(out, '/'), { throwIfNoEntry: false })?.isDirectory() === false)
      throw new UsageError(`--out: ${out} is a file`);
    return;
  }
  if (statSync(out, { throwIfNoEntry: false })) throw new UsageError(`--out: ${out} exists, and is not overwritten`);
  if (statSync(dirname(out), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--out: there is no folder ${dirname(out)}`);
  }
}

/**
 * Writes files into a folder, or the first of them to a file and the others next to it. Nothing is overwritten: a file
 * whose name exists gets a number. Files that an answer contains only as URLs are read only from the host of the
 * target.
 */
async function saveFiles(files: readonly Part[], out: string, output: Output, read: ReadUrl): Promise<void> {
  if (files.length === 0) {
    output.note('the answer has no files');
    return;
  }
  const inFolder = isFolder(out);
  if (inFolder) await mkdir(out, { recursive: true });
  for (const part of files) {
    const write = (content: Content) => writeNew(inFolder ? join(out, safeName(part)) : out, content);
    const written = await (part.raw === undefined ? read(part.url ?? '', write) : write(decoded(part.raw)));
    if (written === undefined)
      output.note(`not saved: ${part.filename ?? 'a file'} is at ${part.url}, on another host`);
    else output.note(`saved ${written.path} (${written.bytes} bytes)`);
  }
}

/** Number of base64 characters that are decoded at once: a multiple of four. */
const slice = 1 << 20;

/** Decodes a file in chunks, so that memory does not contain the whole file a second time. */
function* decoded(raw: string): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += slice) yield Buffer.from(raw.slice(at, at + slice), 'base64');
}

/** Names of devices on Windows. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns a safe name for a file in a folder of the user: without folders, control characters and leading dots. */
export function safeName({ filename = '', mediaType }: Pick<Part, 'filename' | 'mediaType'>): string {
  const last = filename.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  const allowed = last.replace(/[\u0000-\u001f\u007f-\u009f<>:"|?*]/g, '');
  const name = trimEnd(allowed.replace(/^[\s.]+/, '').trimEnd(), '. ');
  if (name === '') return `file${extensionOf(mediaType)}`;
  const extension = extname(name).slice(0, 20);
  const short = name.length <= 100 ? name : `${name.slice(0, 100 - extension.length)}${extension}`;
  return devices.test(short) ? `_${short}` : short;
}

/** The chunks of a file. */
type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Writes a file that does not exist yet: at the path, or with a number before its extension. A file whose content
 * breaks off is removed.
 *
 * @returns the path of the file, and its size in bytes
 */
async function writeNew(path: string, content: Content): Promise<{ path: string; bytes: number }> {
  const { dir, name, ext } = parse(path);
  for (let count = 1; ; count += 1) {
    const place = count === 1 ? path : join(dir, `${name}-${count}${ext}`);
    try {
      const file = await open(place, 'wx');
      let bytes = 0;
      try {
        for await (const piece of content) {
          await file.writeFile(piece);
          bytes += piece.length;
        }
      } catch (thrown) {
        await rm(place, { force: true });
        throw thrown;
      } finally {
        await file.close();
      }
      return { path: place, bytes };
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST' || count > 10_000) throw thrown;
    }
  }
}
