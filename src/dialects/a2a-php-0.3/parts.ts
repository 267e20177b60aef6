import type { Part, Struct } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type { DataPart, FilePart, Part as Part03 } from '../../gen/a2a-0.3/types.ts';
import type { File, Part as WirePart } from '../../gen/a2a-php-0.3/types.ts';
import { decodePart as decodePart03, encodePart as encodePart03 } from '../a2a-0.3/parts.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { missing } from '../kernel/record.ts';
import { objectOf } from './read.ts';

/** Parts in the spellings that the PHP SDK accepts in addition to those of A2A 0.3. */

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const texts: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

const kinds: Readonly<Record<string, (part: WirePart) => Part03>> = {
  text(part) {
    const text = part.text ?? part.content ?? '';
    if (!texts.has(typeof text)) throw A2AError.invalidField('content', 'must be a string');
    return { kind: 'text', text: String(text) };
  },
  file({ file }) {
    if (!file) throw missing('file');
    return { kind: 'file', file: plainFile(file) };
  },
  data({ data }) {
    if (data === undefined || data === null) throw missing('data');
    // A list that is not empty is one; v1 has a place for it.
    return { kind: 'data', data: (isList(data) && data.length === 0 ? {} : data) as Struct };
  },
};

function plainFile({ bytes, uri, url, href, mimeType, name }: File): FilePart['file'] {
  const others = { ...(mimeType && { mimeType }), ...(name && { name }) };
  if (typeof bytes === 'string') return { bytes, ...others };
  const reference = uri ?? url ?? href;
  if (typeof reference === 'string') return { uri: reference, ...others };
  throw A2AError.invalidField('file', 'must have bytes or uri');
}

/** Returns the kind by `kind` or `type`, else by the shape. */
function kindOf({ kind, type, text, content, file, data }: WirePart): string {
  const given = kind ?? type;
  if (typeof given === 'string') return given;
  if (text !== undefined || content !== undefined) return 'text';
  if (file) return 'file';
  return data ? 'data' : 'text';
}

function isPlain({ kind, text, file, data, metadata }: WirePart): boolean {
  if (isList(metadata)) return false;
  if (kind === 'text') return typeof text === 'string';
  if (kind === 'data') return isObject(data);
  return kind === 'file' && (typeof file?.bytes === 'string' || typeof file?.uri === 'string');
}

/** @throws A2AError `invalidParams` for a value that is not a part */
export function decodePart(part: WirePart): Part {
  if (isPlain(part)) return decodePart03(part as Part03);
  const kind = kindOf(part);
  const convert = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!convert) throw A2AError.invalidField('kind', 'must be one of text, file, data');
  const converted = convert(part);
  const metadata = objectOf(part.metadata, 'metadata');
  if (metadata) converted.metadata = metadata;
  return decodePart03(converted);
}

/**
 * Encodes a part. Lists as data stay unchanged, since PHP has one kind of array. An empty one would be read as an
 * object.
 */
export function encodePart(part: Part, cx: CodecContext, at: string): Part03 {
  const { data, metadata, mediaType, filename } = part;
  if (!Array.isArray(data) || data.length === 0) return encodePart03(part, cx, at);
  if (mediaType !== undefined) cx.losses.add(`${at}mediaType`);
  if (filename !== undefined) cx.losses.add(`${at}filename`);
  const encoded: DataPart = { kind: 'data', data: data as never };
  const own = metadata && withoutOwnKeys(metadata);
  if (own) encoded.metadata = own;
  return encoded;
}
