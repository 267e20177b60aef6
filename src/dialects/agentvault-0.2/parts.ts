import type { Part } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { ownPrefix } from '../../core/model/own-metadata.ts';
import { isFilePart, isTextPart } from '../../gen/agentvault-0.2/guards.ts';
import type { Part as WirePart } from '../../gen/agentvault-0.2/types.ts';
import { isBase64 } from '../../gen/checks.ts';
import { canonicalBase64 } from '../../wire/values.ts';
import type { CodecContext } from '../kernel/codec.ts';

/**
 * Content of a part. AgentVault has text, JSON objects, and files by http or https URL. Any other content of v1 is
 * wrapped into a JSON object with one key of the gateway's own, and unwrapped on reading.
 */

type JsonObject = Record<string, unknown>;

/** Whether a value may be written without a wrapper. */
type IsBare = (value: unknown) => boolean;

const valueKey = `${ownPrefix}value`;
const rawKey = `${ownPrefix}raw`;
const urlKey = `${ownPrefix}url`;

/** Default media type of a DataPart. */
const json = 'application/json';

/** Characters of the longest URL that the real client accepts. */
const maxUrl = 2_083;

/** Whether the real client accepts a text as a URL: one bad URL makes it drop the whole task or card. */
export const isWebUrl = (url: string): boolean =>
  /^https?:\/\//i.test(url) && url.length <= maxUrl && URL.canParse(url);

function wrapFile({ raw, url, mediaType, filename }: Part): JsonObject {
  return {
    ...(raw !== undefined ? { [rawKey]: raw } : { [urlKey]: url }),
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
  };
}

/** Returns the file in a wrapper, or undefined if the object is not one that `wrapFile` makes. */
function wrappedFile(object: JsonObject): Part | undefined {
  // A quick check, since this runs for all data, however large.
  if (!(rawKey in object || urlKey in object)) return undefined;
  const { [rawKey]: raw, [urlKey]: url, ...rest } = object;
  const isNamed = Object.entries(rest).every(
    ([name, value]) => (name === 'mediaType' || name === 'filename') && typeof value === 'string' && value !== '',
  );
  if (!isNamed) return undefined;
  if (typeof raw === 'string' && url === undefined && isBase64(raw) && canonicalBase64(raw) === raw)
    return { raw, ...rest };
  return typeof url === 'string' && raw === undefined && !isWebUrl(url) ? { url, ...rest } : undefined;
}

/** Whether reading `value` would unwrap it. */
function isWrapper(value: unknown, isBare: IsBare): boolean {
  if (!isObject(value)) return false;
  if (wrappedFile(value as JsonObject)) return true;
  if (!(valueKey in value) || Object.keys(value).length !== 1) return false;
  return !isBare(value[valueKey]) || isWrapper(value[valueKey], isBare);
}

/**
 * Returns a part's value as JSON: an object for files, else the data, wrapped if they may not be written without a
 * wrapper.
 */
export function contentOf(part: Part, isBare: IsBare): unknown {
  if (part.raw !== undefined || part.url !== undefined) return wrapFile(part);
  const { data } = part;
  return isBare(data) && !isWrapper(data, isBare) ? data : { [valueKey]: data };
}

/** Returns the part that `contentOf` was given, without its members besides the content. */
export function partOf(content: unknown, isBare: IsBare): Part {
  if (!isObject(content)) return { data: content };
  const file = wrappedFile(content as JsonObject);
  if (file) return file;
  return { data: valueKey in content && isWrapper(content, isBare) ? content[valueKey] : content };
}

/** Returns the context of a task's content: inline bytes are served under the task's id. */
export const within = (cx: CodecContext, taskId: string): CodecContext => (cx.fileUrl ? { ...cx, taskId } : cx);

/** Returns the part with its inline bytes at a URL, if the gateway serves them. */
export function hosted(part: Part, { fileUrl, taskId }: CodecContext): Part {
  if (part.raw === undefined || !fileUrl || !taskId) return part;
  const { raw: _, ...rest } = part;
  return { ...rest, url: fileUrl(taskId, part) };
}

export function encodePart(given: Part, cx: CodecContext, at: string): WirePart {
  const part = hosted(given, cx);
  const { text, raw, url, mediaType, filename } = part;
  if (text === undefined && url !== undefined && isWebUrl(url))
    return { type: 'file', url, mediaType: mediaType ?? null, filename: filename ?? null };
  const isFile = raw !== undefined || url !== undefined;
  // The file's data are all sent, but no AgentVault client will recognize them as a file.
  if (text === undefined && isFile) cx.losses.add(`${at}${raw !== undefined ? 'raw' : 'url'}`);
  else if (filename !== undefined) cx.losses.add(`${at}filename`);
  if (text !== undefined) {
    if (mediaType !== undefined) cx.losses.add(`${at}mediaType`);
    return { type: 'text', content: text };
  }
  const content = contentOf(part, isObject) as JsonObject;
  return { type: 'data', content, mediaType: isFile ? json : (mediaType ?? json) };
}

/** The inverse. The shape decides, since `type` may be left out. */
export function decodePart(part: WirePart): Part {
  if (isTextPart(part)) return { text: part.content };
  if (isFilePart(part)) {
    const { url, mediaType, filename } = part;
    return { url, ...(mediaType && { mediaType }), ...(filename && { filename }) };
  }
  const { mediaType } = part;
  const decoded = partOf(part.content, isObject);
  return 'data' in decoded && mediaType && mediaType !== json ? { ...decoded, mediaType } : decoded;
}
