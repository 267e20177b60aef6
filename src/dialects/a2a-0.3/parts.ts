import type { Part, Struct } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type * as wire from '../../gen/a2a-0.3/types.ts';
import { isBase64 } from '../../gen/checks.ts';
import { canonicalBase64 } from '../../wire/values.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { missing } from '../kernel/record.ts';

/**
 * A data part holds a JSON object; any other value is sent as `{ value }` with a mark in the metadata, as the SDKs do.
 */

/** Key in a part's metadata. It marks an object that only wraps a value. */
export const mark = 'data_part_compat';

/** A part as received: `kind` may be left out, and `type` belongs to another dialect. */
interface LoosePart {
  readonly kind?: wire.Part['kind'];
  readonly type?: unknown;
  readonly text?: string;
  readonly file?: wire.FilePart['file'];
  readonly data?: wire.DataPart['data'];
  readonly metadata?: Record<string, unknown> | null;
}

/** @throws A2AError `invalidParams` for an ambiguous part, or bytes that are not base64 */
export function decodePart(part: wire.Part, cx?: CodecContext): Part {
  const { kind = kindOf(part), text, file, data, metadata } = part as LoosePart;
  const own = metadata ? withoutOwnKeys(metadata) : undefined;
  if (kind === 'text') return own ? { text: text as string, metadata: own } : { text: text as string };
  if (kind === 'data') return decodeData(data as wire.DataPart['data'], own);
  if (kind === 'file') return decodeFile(file as wire.FilePart['file'], own, cx);
  throw missing('kind');
}

/** Returns the kind of a part without one; undefined if it is ambiguous. */
function kindOf({ type, text, file, data }: LoosePart): wire.Part['kind'] {
  if (type !== undefined) return undefined;
  if (text !== undefined) return file === undefined && data === undefined ? 'text' : undefined;
  if (file !== undefined) return data === undefined ? 'file' : undefined;
  return 'data';
}

function decodeFile(file: wire.FilePart['file'], metadata: Struct | undefined, cx?: CodecContext): Part {
  const { bytes, uri, url, mimeType, name } = file as Partial<wire.FileWithBytes & wire.FileWithUri & wire.FileWithUrl>;
  const part: Part = {};
  // Some agents write both, one of them empty.
  if (typeof bytes === 'string' && (bytes !== '' || !(uri ?? url))) {
    if (uri ?? url) cx?.salvage?.name([{ path: 'parts.file.uri', reason: 'is left out: it stands beside bytes' }]);
    part.raw = canonicalBase64(bytes);
    if (!isBase64(part.raw)) throw A2AError.invalidField('file.bytes', 'must be base64');
  } else part.url = (uri ?? url) as string;
  if (mimeType) part.mediaType = mimeType;
  if (name) part.filename = name;
  if (metadata) part.metadata = metadata;
  return part;
}

/** Returns a data part's object, or the value wrapped in it. */
export function decodeData(data: wire.DataPart['data'], metadata: Struct | undefined): Part {
  if (!isWrapped(data, metadata)) return metadata ? { data, metadata } : { data };
  const { [mark]: _mark, ...rest } = metadata as Struct;
  return Object.keys(rest).length > 0 ? { data: data.value, metadata: rest } : { data: data.value };
}

/** Whether an object only wraps a value. */
function isWrapped(data: wire.DataPart['data'], metadata: Struct | undefined): data is Struct {
  if (metadata?.[mark] !== true || !('value' in data) || isObject(data.value)) return false;
  return Object.keys(data).length === 1;
}

/** @param at path of the part for losses, with its dot */
export function encodePart(part: Part, cx: CodecContext, at: string): wire.Part {
  const metadata = part.metadata && withoutOwnKeys(part.metadata);
  if (part.raw !== undefined || part.url !== undefined) {
    const encoded: wire.FilePart = { kind: 'file', file: encodeFile(part) };
    if (metadata) encoded.metadata = metadata;
    return encoded;
  }
  if (part.mediaType !== undefined) cx.losses.add(`${at}mediaType`);
  if (part.filename !== undefined) cx.losses.add(`${at}filename`);
  if (part.data !== undefined) return encodeData(part.data, metadata);
  const encoded: wire.TextPart = { kind: 'text', text: part.text ?? '' };
  if (metadata) encoded.metadata = metadata;
  return encoded;
}

function encodeFile({ raw, url, mediaType, filename }: Part): wire.FileWithBytes | wire.FileWithUri {
  const file: wire.FileWithBytes | wire.FileWithUri = raw !== undefined ? { bytes: raw } : { uri: url as string };
  if (mediaType !== undefined) file.mimeType = mediaType;
  if (filename !== undefined) file.name = filename;
  return file;
}

function encodeData(data: unknown, metadata: Struct | undefined): wire.DataPart {
  if (!isObject(data)) return { kind: 'data', data: { value: data }, metadata: { ...metadata, [mark]: true } };
  const encoded: wire.DataPart = { kind: 'data', data: data as Struct };
  if (metadata) encoded.metadata = metadata;
  return encoded;
}
