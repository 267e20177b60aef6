import type { Part } from '../../core/model/a2a.ts';
import { defined, isObject, type JsonObject, own } from '../../core/model/json.ts';
import type { Unread } from '../../core/model/unread.ts';
import { JsonMender } from '../../wire/mend-json.ts';

/** Levels of nesting of a result that are passed on; it gets a few more around it, and receivers have limits too. */
export const maxResultDepth = 56;

/** A tool's result, however its server has written it down. */
export interface ToolResult {
  /** The result as the server sent it, without what no receiver of JSON takes. */
  readonly raw: JsonObject;
  /** The items of its content, and a part for each. */
  readonly items: readonly { readonly item: unknown; readonly part: Part }[];
  /** `structuredContent`; undefined: there is none. */
  readonly structured: unknown;
  readonly isError: boolean;
  /** Parts that could not be read, with paths such as `parts[1]`, and `raw.…` for what is left out of the result. */
  readonly unread: readonly Unread[];
}

/**
 * Reads a result. Null is absence, `content` may be a text or a single item, and other spellings of members are known. An item of
 * another kind, or one that cannot be read, becomes a data part with the item as it is.
 */
export function readToolResult(given: JsonObject): ToolResult {
  const { value, unread: left } = isPassable(given) ? { value: given, unread: [] } : mended(given);
  const raw = value as JsonObject;
  const unread = left.map(({ path, reason }) => ({ path: `raw.${path}`, reason }));
  const items = contentOf(raw).map((item, at) => {
    const { part, reason } = readItem(item);
    if (reason !== undefined) unread.push({ path: `parts[${at}]`, reason });
    return { item, part };
  });
  const error = member(raw, 'isError');
  const isError = error === true || error === 'true' || error === 1;
  if (!isError && error !== undefined && error !== false)
    unread.push({ path: 'raw.isError', reason: `expected true or false, not ${shortened(JSON.stringify(error))}` });
  return { raw, items, structured: member(raw, 'structuredContent'), isError, unread };
}

function mended(given: JsonObject): { readonly value: unknown; readonly unread: readonly Unread[] } {
  const mender = new JsonMender();
  const { value, unread } = mender.mend(given, maxResultDepth);
  return { value, unread: [...unread, ...mender.takeHalves()] };
}

const shortened = (words: string): string => words.slice(0, 100);

/** The parts of a result: those of its content, and one for structured content. */
export const partsOf = ({ items, structured }: Pick<ToolResult, 'items' | 'structured'>): Part[] => [
  ...items.map(({ part }) => part),
  ...(structured === undefined ? [] : [{ data: structured as NonNullable<Part['data']> }]),
];

/** The texts of a result's content, without those of resources. */
export const textIn = ({ items }: Pick<ToolResult, 'items'>): string =>
  items
    .flatMap(({ item, part }) => (part.text === undefined || own(item as JsonObject, 'resource') ? [] : [part.text]))
    .join('\n');

/** Whether every receiver takes a value: not nested too deeply, without a key `__proto__` and without halves of characters. */
function isPassable(value: unknown, depth: number = maxResultDepth): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (depth <= 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && isPassable(child, depth - 1));
}

/** A member in MCP's spelling, or with underscores as some servers in Python write it. Null is absence. */
export function member(value: JsonObject, name: string): unknown {
  const found =
    own(value, name) ??
    own(
      value,
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
  return found ?? undefined;
}

/** The result in the form of MCP, which servers may also answer with a text, a list or null. */
export function asResult(result: unknown): JsonObject {
  if (isObject(result)) return result;
  if (result === null || result === undefined) return { content: [] };
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  const isContent = Array.isArray(result) && result.every((item) => isObject(item) && typeof item.type === 'string');
  return isContent ? { content: result } : { content: [], structuredContent: result };
}

/** The items of a result's content. MCP 2024-10-07 had `toolResult` in its place. */
function contentOf(result: JsonObject): unknown[] {
  const { content = null, toolResult } = result;
  if (content === null) return toolResult === undefined || toolResult === null ? [] : contentOf(asResult(toolResult));
  return [content].flat().filter((item) => item !== null);
}

interface ReadItem {
  readonly part: Part;
  /** Says what of the item could not be read. */
  readonly reason?: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The last segment of a URI's path. */
function filenameOf(uri: string | undefined): string | undefined {
  const path = uri === undefined ? undefined : URL.parse(uri)?.pathname;
  return path?.slice(path.lastIndexOf('/') + 1) || undefined;
}

/** Bytes in base64 of any alphabet and padding, with white space or as a `data:` URL. Undefined: they are none. */
function bytesIn(value: unknown): { readonly raw: string; readonly mediaType?: string } | undefined {
  if (typeof value !== 'string') return undefined;
  const { mediaType, encoded } = dataUrl(value) ?? { encoded: value };
  const plain = encoded.replaceAll(/\s/g, '');
  if (!/^[\w+/-]*={0,2}$/.test(plain)) return undefined;
  return { raw: Buffer.from(plain, 'base64').toString('base64'), ...(mediaType && { mediaType }) };
}

/** The parts of a `data:` URL in base64; undefined for another text. */
function dataUrl(text: string): { readonly mediaType: string; readonly encoded: string } | undefined {
  const comma = text.indexOf(',');
  const head = text.slice(0, Math.max(comma, 0));
  if (!/^data:/i.test(head) || !/;base64$/i.test(head)) return undefined;
  const [mediaType = ''] = head.slice('data:'.length).split(';', 1);
  return { mediaType, encoded: text.slice(comma + 1) };
}

/** An image or audio. */
function media(item: JsonObject): Part | string {
  const bytes = bytesIn(member(item, 'data'));
  if (!bytes) return 'its data is not base64';
  const mediaType = text(member(item, 'mimeType')) ?? bytes.mediaType;
  return { raw: bytes.raw, ...defined({ mediaType }) };
}

function resource({ resource: embedded }: JsonObject): Part | string {
  if (!isObject(embedded)) return 'it has no resource';
  const uri = text(embedded.uri);
  const about = defined({
    mediaType: text(member(embedded, 'mimeType')),
    filename: filenameOf(uri),
    metadata: uri === undefined ? undefined : { uri },
  });
  if (typeof embedded.text === 'string') return { text: embedded.text, ...about };
  const bytes = bytesIn(embedded.blob);
  return bytes ? { raw: bytes.raw, ...about } : 'its resource has neither a text nor bytes in base64';
}

function link(item: JsonObject): Part | string {
  const uri = text(item.uri);
  if (uri === undefined) return 'it has no URI';
  const about = defined({ title: text(item.title), description: text(item.description) });
  const metadata = Object.keys(about).length > 0 ? about : undefined;
  const filename = text(item.name) ?? filenameOf(uri);
  return { url: uri, ...defined({ mediaType: text(member(item, 'mimeType')), filename, metadata }) };
}

function words(item: JsonObject): Part | string {
  const { type: _, text: given = null, annotations: __, _meta: ___, ...others } = item;
  if (typeof given === 'string') return { text: given };
  if (typeof given === 'number' || typeof given === 'boolean') return { text: String(given) };
  // Without a text, and with nothing that could stand in its place, it is an empty one.
  const isEmpty = given === null && Object.values(others).every((value) => value === null);
  return isEmpty ? { text: '' } : 'its text is not a text';
}

/** Content types of MCP (2025-11-25, server/tools: tool result). Each returns the part, or what cannot be read. */
const kinds: Readonly<Record<string, (content: JsonObject) => Part | string>> = {
  text: words,
  image: media,
  audio: media,
  resource,
  resource_link: link,
};

function readItem(item: unknown): ReadItem {
  if (typeof item === 'string') return { part: { text: item } };
  const fallback = { data: item as NonNullable<Part['data']> };
  if (!isObject(item)) return { part: fallback, reason: 'expected content, and it is not an object' };
  const kind = text(item.type) ?? (typeof item.text === 'string' ? 'text' : '');
  const read = own(kinds, kind.toLowerCase());
  if (!read) return { part: fallback, reason: `unknown kind ${JSON.stringify(shortened(kind))}` };
  const part = read(item);
  return typeof part === 'string' ? { part: fallback, reason: part } : { part };
}
