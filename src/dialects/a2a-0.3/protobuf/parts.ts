import type { FilePart, Part as WirePart } from '../../../gen/a2a-v0_3/types.ts';
import type { Part, Struct } from '../../../gen/a2a-v1/types.ts';
import type { CodecContext } from '../../dialect.ts';
import { isObject } from '../../errors.ts';
import { decodeMetadata, encodeMetadata } from '../metadata.ts';
import { decodeData, mark } from '../parts.ts';

/**
 * Parts in the protobuf shape. Data is an object there; any other value is wrapped as over JSON-RPC. Metadata and names
 * of files came after 0.3.0: peers in Python write and read them, those in JavaScript pass over them.
 */

const noData: Struct = {};

/** A list of canonical parts. */
export function decodeParts(parts: readonly WirePart[] = []): Part[] {
  const decoded: Part[] = [];
  for (let i = 0; i < parts.length; i++) decoded.push(decodePart(parts[i] as WirePart));
  return decoded;
}

function decodePart({ text, file, data, metadata }: WirePart): Part {
  const own = decodeMetadata(metadata);
  if (data) return decodeData(data.data ?? noData, own);
  const part: Part = file ? decodeFile(file) : { text: text as string };
  if (own) part.metadata = own;
  return part;
}

function decodeFile({ fileWithUri, fileWithBytes, mimeType, name }: FilePart): Part {
  const part: Part = fileWithBytes !== undefined ? { raw: fileWithBytes } : { url: fileWithUri as string };
  if (mimeType) part.mediaType = mimeType;
  if (name) part.filename = name;
  return part;
}

/**
 * The parts of a message or an artifact.
 *
 * @param at path of the object that holds the list, with its dot, for losses
 */
export function encodeParts(parts: readonly Part[], cx: CodecContext, at: string): WirePart[] {
  const encoded: WirePart[] = [];
  for (let i = 0; i < parts.length; i++) encoded.push(encodePart(parts[i] as Part, cx, at));
  return encoded;
}

function encodePart(part: Part, cx: CodecContext, at: string): WirePart {
  const { text, raw, url, data, mediaType, filename } = part;
  const metadata = encodeMetadata(part.metadata);
  let wire: WirePart;
  if (raw !== undefined || url !== undefined) wire = { file: encodeFile(part) };
  else {
    if (mediaType !== undefined) cx.losses.add(`${at}parts.mediaType`);
    if (filename !== undefined) cx.losses.add(`${at}parts.filename`);
    if (text !== undefined) wire = { text };
    else if (isObject(data)) wire = { data: { data: data as Struct } };
    else return { data: { data: { value: data } }, metadata: { ...metadata, [mark]: true } };
  }
  if (metadata) wire.metadata = metadata;
  return wire;
}

function encodeFile({ raw, url, mediaType, filename }: Part): FilePart {
  const file: FilePart = raw !== undefined ? { fileWithBytes: raw } : { fileWithUri: url as string };
  if (mediaType) file.mimeType = mediaType;
  if (filename) file.name = filename;
  return file;
}
