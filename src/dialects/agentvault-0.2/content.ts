import type { Part } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import type { DataPart, FilePart, TextPart, Part as VaultPart } from '../../gen/agentvault-0.2/types.ts';
import { isBase64 } from '../../gen/checks.ts';
import { canonicalBase64 } from '../../wire/values.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { ownPrefix } from '../kernel/metadata.ts';

/**
 * What a part holds. AgentVault has text, JSON objects, and files by http or https URL. Whatever else v1 knows is
 * wrapped into a JSON object with one key of the gateway's own, and comes out of it again.
 */

type JsonObject = Record<string, unknown>;

const valueKey = `${ownPrefix}value`;
const rawKey = `${ownPrefix}raw`;
const urlKey = `${ownPrefix}url`;

/** A DataPart's media type where none is said. */
const json = 'application/json';

/** Characters of the longest URL that the real client takes. */
const maxUrl = 2_083;

/** Whether the real client takes a text for a URL: one bad URL makes it drop the whole task or card. */
export const isWebUrl = (url: string): boolean =>
  /^https?:\/\//i.test(url) && url.length <= maxUrl && URL.canParse(url);

/** The file that a wrapper holds, or undefined when the object is none that `wrapFile` makes. */
function wrappedFile(object: JsonObject): Part | undefined {
  // Asked of all data, however large.
  if (!(rawKey in object || urlKey in object)) return undefined;
  const { [rawKey]: raw, [urlKey]: url, mediaType, filename, ...others } = object;
  if (Object.keys(others).length > 0) return undefined;
  for (const name of ['mediaType', 'filename'] as const) {
    const value = object[name];
    if (name in object && (typeof value !== 'string' || value === '')) return undefined;
  }
  const rest = { ...(mediaType !== undefined && { mediaType }), ...(filename !== undefined && { filename }) };
  if (typeof raw === 'string' && url === undefined && isBase64(raw) && canonicalBase64(raw) === raw) {
    return { raw, ...rest } as Part;
  }
  return typeof url === 'string' && raw === undefined && !isWebUrl(url) ? ({ url, ...rest } as Part) : undefined;
}

function wrapFile({ raw, url, mediaType, filename }: Part): JsonObject {
  return {
    ...(raw !== undefined ? { [rawKey]: raw } : { [urlKey]: url }),
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
  };
}

/**
 * Any JSON value as something that is no wrapper, or is wrapped.
 *
 * @param bare whether a value may stand as it is
 */
export function wrapValue(value: unknown, bare: (value: unknown) => boolean): unknown {
  return bare(value) && !isWrapper(value, bare) ? value : { [valueKey]: value };
}

/** The value that `wrapValue` was given. */
export function unwrapValue(value: unknown, bare: (value: unknown) => boolean): unknown {
  return isObject(value) && isWrapper(value, bare) && valueKey in value ? value[valueKey] : value;
}

/** Whether reading `value` would unwrap it. */
function isWrapper(value: unknown, bare: (value: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  if (wrappedFile(value as JsonObject)) return true;
  if (!(valueKey in value) || Object.keys(value).length !== 1) return false;
  return !bare(value[valueKey]) || isWrapper(value[valueKey], bare);
}

/** A part's value as JSON: an object for files, else the data. */
export function contentOf(part: Part, bare: (value: unknown) => boolean): unknown {
  return part.raw !== undefined || part.url !== undefined ? wrapFile(part) : wrapValue(part.data, bare);
}

/** The part that `contentOf` was given, without what stands beside the content. */
export function partOf(content: unknown, bare: (value: unknown) => boolean): Part {
  const file = isObject(content) ? wrappedFile(content as JsonObject) : undefined;
  return file ?? { data: unwrapValue(content, bare) };
}

/** The part with its inline bytes at a URL, where somebody serves them. */
export function hosted(part: Part, { fileUrl }: CodecContext, taskId: string | undefined): Part {
  if (part.raw === undefined || !fileUrl || !taskId) return part;
  const { raw: _, ...rest } = part;
  return { ...rest, url: fileUrl(taskId, part) };
}

/**
 * A part of a message.
 *
 * @param at path of the part for losses
 * @param taskId the task that it belongs to, under which inline bytes are served
 */
export function encodePart(given: Part, cx: CodecContext, at: string, taskId?: string): VaultPart {
  const part = hosted(given, cx, taskId);
  if (part.metadata) cx.losses.add(`${at}.metadata`);
  if (part.text !== undefined) {
    if (part.mediaType !== undefined) cx.losses.add(`${at}.mediaType`);
    if (part.filename !== undefined) cx.losses.add(`${at}.filename`);
    return { type: 'text', content: part.text } satisfies TextPart;
  }
  if (part.url !== undefined && isWebUrl(part.url)) {
    const { url, mediaType = null, filename = null } = part;
    return { type: 'file', url, mediaType, filename } satisfies FilePart;
  }
  const content = contentOf(part, isObject) as JsonObject;
  if (part.raw !== undefined || part.url !== undefined) {
    // Nothing is dropped, but no AgentVault client will take it for a file.
    cx.losses.add(`${at}.${part.raw !== undefined ? 'raw' : 'url'}`);
    return { type: 'data', content, mediaType: json } satisfies DataPart;
  }
  if (part.filename !== undefined) cx.losses.add(`${at}.filename`);
  return { type: 'data', content, mediaType: part.mediaType ?? json } satisfies DataPart;
}

/** The inverse; told apart by shape, since `type` may be left out. */
export function decodePart(part: VaultPart): Part {
  if ('url' in part) {
    const { url, mediaType, filename } = part;
    return { url, ...(mediaType && { mediaType }), ...(filename && { filename }) };
  }
  if (typeof part.content === 'string') return { text: part.content };
  const { mediaType } = part as DataPart;
  const decoded = partOf(part.content, isObject);
  return 'data' in decoded && mediaType && mediaType !== json ? { ...decoded, mediaType } : decoded;
}
