import type { Part, Struct } from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { withoutOwnKeys } from '../../../core/model/own-metadata.ts';
import type { FilePart, Part as WirePart } from '../../../gen/a2a-v0_3/types.ts';
import type { CodecContext } from '../../kernel/codec.ts';
import { decodeData, mark } from '../parts.ts';
import { decodeBytes, encodeBytes, readsLaterFields } from './software.ts';

/**
 * Parts in the protobuf shape. Data that is not an object is wrapped as over JSON-RPC. Metadata and names of files were
 * added after 0.3.0: they are written for software that reads or ignores them, and for all software over gRPC. Strict
 * readers of JSON would refuse the whole answer.
 */

const noData: Struct = {};

export function decodePart({ text, file, data, metadata }: WirePart, cx: CodecContext): Part {
  const own = metadata && withoutOwnKeys(metadata);
  if (data) return decodeData(data.data ?? noData, own);
  const part: Part = file ? decodeFile(file, cx) : { text: text as string };
  if (own) part.metadata = own;
  return part;
}

function decodeFile({ fileWithUri, fileWithBytes, mimeType, name }: FilePart, cx: CodecContext): Part {
  const part: Part =
    fileWithBytes !== undefined ? { raw: decodeBytes(fileWithBytes, cx) } : { url: fileWithUri as string };
  if (mimeType) part.mediaType = mimeType;
  if (name) part.filename = name;
  return part;
}

/** @param at path of the part for losses, with its dot */
export function encodePart(part: Part, cx: CodecContext, at: string): WirePart {
  const { text, raw, url, data, mediaType, filename } = part;
  let metadata = part.metadata && withoutOwnKeys(part.metadata);
  let wire: WirePart;
  if (raw !== undefined || url !== undefined) wire = { file: encodeFile(part, cx, at) };
  else {
    if (mediaType !== undefined) cx.losses.add(`${at}mediaType`);
    if (filename !== undefined) cx.losses.add(`${at}filename`);
    if (text !== undefined) wire = { text };
    else if (isObject(data)) wire = { data: { data: data as Struct } };
    else {
      wire = { data: { data: { value: data } } };
      metadata = { ...metadata, [mark]: true };
    }
  }
  if (!metadata) return wire;
  if (readsLaterFields(cx)) wire.metadata = metadata;
  else cx.losses.add(`${at}metadata`);
  return wire;
}

function encodeFile({ raw, url, mediaType, filename }: Part, cx: CodecContext, at: string): FilePart {
  const file: FilePart =
    raw !== undefined ? { fileWithBytes: encodeBytes(raw, cx, at) } : { fileWithUri: url as string };
  if (mediaType) file.mimeType = mediaType;
  if (!filename) return file;
  if (readsLaterFields(cx)) file.name = filename;
  else cx.losses.add(`${at}filename`);
  return file;
}
