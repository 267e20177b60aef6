import type { Part } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type { FilePart, Part as WirePart } from '../../gen/a2a-0.1/types.ts';
import { isBase64 } from '../../gen/checks.ts';
import { canonicalBase64 } from '../../wire/values.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { ownKey, preservedIn, preserving } from '../kernel/metadata.ts';

/** An empty file. Readers treat empty `bytes` as missing and refuse the part. */
const emptyFile = 'data:;base64,';

/** Media type of data by default. */
const json = 'application/json';

/**
 * Metadata key of a data part for values that A2A 0.1 cannot express: the data are the content of the only member
 * `value`.
 */
const v1Key = ownKey('a2a-1.0');
const wrapped = { value: true };

export function encodePart(part: Part, cx: CodecContext, at: string): WirePart {
  const { text, raw, url, mediaType, filename, data } = part;
  let metadata = part.metadata && withoutOwnKeys(part.metadata);
  let encoded: WirePart;
  if (raw !== undefined || url) encoded = { type: 'file', file: encodeFile(part) };
  else {
    if (filename) cx.losses.add(`${at}filename`);
    const isText = text !== undefined || url !== undefined;
    if (mediaType && (isText || mediaType !== json)) cx.losses.add(`${at}mediaType`);
    if (isText) {
      // A file without bytes and URL is not a file.
      if (text === undefined) cx.losses.add(`${at}url`);
      encoded = { type: 'text', text: text ?? '' };
    } else if (isObject(data)) encoded = { type: 'data', data: data as Record<string, unknown> };
    else {
      encoded = { type: 'data', data: { value: data } };
      metadata = preserving(metadata, v1Key, wrapped);
    }
  }
  if (metadata) encoded.metadata = metadata;
  return encoded;
}

function encodeFile({ raw, url, mediaType, filename }: Part): FilePart['file'] {
  const file: FilePart['file'] = {};
  if (filename) file.name = filename;
  if (mediaType) file.mimeType = mediaType;
  if (raw) file.bytes = raw;
  else file.uri = url ?? emptyFile;
  return file;
}

/**
 * The inverse; `type` may be left out.
 *
 * @throws A2AError `invalidParams` for a file without content
 */
export function decodePart(part: WirePart): Part {
  const { type, text, file, data, metadata } = part as {
    type?: string;
    text?: string;
    file?: FilePart['file'];
    data?: Record<string, unknown>;
    metadata?: Record<string, unknown> | null;
  };
  const decoded: Part = {};
  if (type === 'text' || (!type && typeof text === 'string')) decoded.text = text as string;
  else if (type === 'file' || (!type && isObject(file))) decodeFile(file as FilePart['file'], decoded);
  else {
    const isWrapped = preservedIn(metadata, v1Key).value === true && 'value' in (data as object);
    decoded.data = isWrapped ? data?.value : data;
  }
  const own = metadata && withoutOwnKeys(metadata);
  if (own) decoded.metadata = own;
  return decoded;
}

function decodeFile({ bytes, uri, name, mimeType }: FilePart['file'], into: Part): void {
  if (Boolean(bytes) === Boolean(uri)) throw A2AError.invalidField('file', 'must have either bytes or uri');
  if (uri && uri !== emptyFile) into.url = uri;
  else {
    into.raw = bytes ? canonicalBase64(bytes) : '';
    if (!isBase64(into.raw)) throw A2AError.invalidField('file.bytes', 'must be base64');
  }
  if (mimeType) into.mediaType = mimeType;
  if (name) into.filename = name;
}
