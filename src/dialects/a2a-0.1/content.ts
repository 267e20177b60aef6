import type { Part } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { FilePart, Part as LegacyPart } from '../../gen/a2a-0.1/types.ts';
import { isBase64 } from '../../gen/checks.ts';
import { canonicalBase64 } from '../../wire/values.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeMetadata, encodeMetadata, factsIn } from './metadata.ts';

/** An empty file. Readers take empty `bytes` for missing ones and refuse the part. */
const emptyFile = 'data:;base64,';

/** Media type of data where none is said. */
const json = 'application/json';

/** What of a list of parts can be lost: paths, made once for each place where parts are. */
export interface PartPaths {
  readonly mediaType: string;
  readonly filename: string;
  readonly url: string;
}

/** @param at path of the list's owner, with its dot; '' at the root */
export const partPaths = (at: string): PartPaths => ({
  mediaType: `${at}parts.mediaType`,
  filename: `${at}parts.filename`,
  url: `${at}parts.url`,
});

/** The parts of a message or an artifact. */
export function encodeParts(parts: readonly Part[], cx: CodecContext, paths: PartPaths): LegacyPart[] {
  const encoded: LegacyPart[] = [];
  for (const part of parts) encoded.push(encodePart(part, cx, paths));
  return encoded;
}

function encodePart(part: Part, cx: CodecContext, paths: PartPaths): LegacyPart {
  const { text, raw, url, mediaType, filename } = part;
  if (raw !== undefined || url) return encodeFile(part);
  if (filename) cx.losses.add(paths.filename);
  if (text === undefined && url === undefined) {
    if (mediaType && mediaType !== json) cx.losses.add(paths.mediaType);
    return encodeData(part);
  }
  if (mediaType) cx.losses.add(paths.mediaType);
  // A file at no address is none.
  if (text === undefined) cx.losses.add(paths.url);
  const metadata = encodeMetadata(part.metadata);
  return metadata ? { type: 'text', text: text ?? '', metadata } : { type: 'text', text: text ?? '' };
}

function encodeFile({ raw, url, mediaType, filename, metadata }: Part): LegacyPart {
  const file: FilePart['file'] = {};
  if (filename) file.name = filename;
  if (mediaType) file.mimeType = mediaType;
  if (raw) file.bytes = raw;
  else file.uri = url ?? emptyFile;
  const own = encodeMetadata(metadata);
  return own ? { type: 'file', file, metadata: own } : { type: 'file', file };
}

/** Data of A2A 0.1 are objects; any other value becomes the only member of one, and metadata tell so. */
function encodeData(part: Part): LegacyPart {
  const isBare = isObject(part.data);
  const metadata = encodeMetadata(part.metadata, isBare ? undefined : { value: true });
  const data = isBare ? (part.data as Record<string, unknown>) : { value: part.data };
  return metadata ? { type: 'data', data, metadata } : { type: 'data', data };
}

/**
 * The inverse; `type` may be left out.
 *
 * @param at path of the list's owner, with its dot, for errors
 * @throws A2AError `invalidParams` for a file that is none
 */
export function decodeParts(parts: readonly LegacyPart[], at: string): Part[] {
  const decoded: Part[] = [];
  for (let i = 0; i < parts.length; i++) decoded.push(decodePart(parts[i] as LegacyPart, at, i));
  return decoded;
}

function decodePart(part: LegacyPart, at: string, index: number): Part {
  const { type, text, file, data } = part as { type?: string; text?: string; file?: FilePart['file']; data?: object };
  const metadata = decodeMetadata(part.metadata);
  const decoded: Part = metadata ? { metadata } : {};
  if (type === 'text' || (!type && typeof text === 'string')) decoded.text = text as string;
  else if (type === 'file' || (!type && isObject(file))) decodeFile(file as FilePart['file'], decoded, at, index);
  else {
    const wrapped = factsIn(part.metadata).value === true && 'value' in (data as object);
    decoded.data = wrapped ? (data as { value: unknown }).value : data;
  }
  return decoded;
}

function decodeFile(file: FilePart['file'], into: Part, at: string, index: number): void {
  const { bytes, uri, name, mimeType } = file;
  if (Boolean(bytes) === Boolean(uri)) throw fault(at, index, 'file', 'must have either bytes or uri');
  if (uri && uri !== emptyFile) into.url = uri;
  else {
    into.raw = bytes ? canonicalBase64(bytes) : '';
    if (!isBase64(into.raw)) throw fault(at, index, 'file.bytes', 'must be base64');
  }
  if (mimeType) into.mediaType = mimeType;
  if (name) into.filename = name;
}

const fault = (at: string, index: number, name: string, description: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field: `${at}parts[${index}].${name}`, description }]);
