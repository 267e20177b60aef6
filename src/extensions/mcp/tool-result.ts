import type { Part } from '../../core/model/a2a.ts';
import { defined, isObject, type JsonObject, own } from '../../core/model/json.ts';
import type { Unread } from '../../core/model/unread.ts';
import { JsonMender } from '../../wire/mend-json.ts';

/**
 * Maximum nesting depth of a result that is passed on. It is wrapped in a few more levels, and receivers have limits
 * too.
 */
export const maxResultDepth = 56;

/** The result of a tool, independent of how its server formats it. */
export interface ToolResult {
  /** The result as the server sent it, without values that JSON receivers refuse. */
  readonly raw: JsonObject;
  /** Items of the content, each with its part. */
  readonly items: readonly { readonly item: unknown; readonly part: Part }[];
  /** Value of `structuredContent`; undefined if there is none. */
  readonly structured: unknown;
  readonly isError: boolean;
  /** Unreadable parts, with paths such as `parts[1]`; `raw.…` for omitted members of the result. */
  readonly unread: readonly Unread[];
}

/**
 * Reads a result. Null counts as absent, `content` may be a text or a single item, and other spellings of members are
 * accepted. An item of an unknown kind, or one that cannot be read, becomes a data part that contains the item
 * unchanged.
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

/** Returns the parts of a result: one for each item of its content, and one for structured content. */
export const partsOf = ({ items, structured }: Pick<ToolResult, 'items' | 'structured'>): Part[] => [
  ...items.map(({ part }) => part),
  ...(structured === undefined ? [] : [{ data: structured as NonNullable<Part['data']> }]),
];

/** Returns the texts of a result's content, except those of resources. */
export const textIn = ({ items }: Pick<ToolResult, 'items'>): string =>
  items
    .flatMap(({ item, part }) => (part.text === undefined || own(item as JsonObject, 'resource') ? [] : [part.text]))
    .join('\n');

/**
 * Whether all receivers accept a value: not nested too deeply, without a key `__proto__` and without unpaired
 * surrogates.
 */
function isPassable(value: unknown, depth: number = maxResultDepth): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (depth <= 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && isPassable(child, depth - 1));
}

/** Returns a member in MCP's spelling, or in snake_case, which some servers in Python use. Null counts as absent. */
export function member(value: JsonObject, name: string): unknown {
  const found =
    own(value, name) ??
    own(
      value,
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
  return found ?? undefined;
}

/** Converts a result to MCP's form. Servers may also return a text, a list or null. */
export function asResult(result: unknown): JsonObject {
  if (isObject(result)) return result;
  if (result === null || result === undefined) return { content: [] };
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  const isContent = Array.isArray(result) && result.every((item) => isObject(item) && typeof item.type === 'string');
  return isContent ? { content: result } : { content: [], structuredContent: result };
}

/** Returns the items of a result's content. MCP 2024-10-07 used `toolResult` instead. */
function contentOf(result: JsonObject): unknown[] {
  const { content = null, toolResult } = result;
  if (content === null) return toolResult === undefined || toolResult === null ? [] : contentOf(asResult(toolResult));
  return [content].flat().filter((item) => item !== null);
}

interface ReadItem {
  readonly part: Part;
  /** Describes the part of the item that could not be read. */
  readonly reason?: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns the last segment of a URI's path. */
function filenameOf(uri: string | undefined): string | undefined {
  const path = uri === undefined ? undefined : URL.parse(uri)?.pathname;
  return path?.slice(path.lastIndexOf('/') + 1) || undefined;
}

/**
 * Returns the bytes of base64 text in any alphabet and padding, with white space, or as a `data:` URL. Undefined for
 * other values.
 */
function bytesIn(value: unknown): { readonly raw: string; readonly mediaType?: string } | undefined {
  if (typeof value !== 'string') return undefined;
  const { mediaType, encoded } = dataUrl(value) ?? { encoded: value };
  const plain = encoded.replaceAll(/\s/g, '');
  if (!/^[\w+/-]*={0,2}$/.test(plain)) return undefined;
  return { raw: Buffer.from(plain, 'base64').toString('base64'), ...(mediaType && { mediaType }) };
}

/** Splits a base64 `data:` URL into media type and data; undefined for other text. */
function dataUrl(text: string): { readonly mediaType: string; readonly encoded: string } | undefined {
  const comma = text.indexOf(',');
  const head = text.slice(0, Math.max(comma, 0));
  if (!/^data:/i.test(head) || !/;base64$/i.test(head)) return undefined;
  const [mediaType = ''] = head.slice('data:'.length).split(';', 1);
  return { mediaType, encoded: text.slice(comma + 1) };
}

/** Reads an image or audio. */
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
  // A text item without a text, and without another member in its place, is empty.
  const isEmpty = given === null && Object.values(others).every((value) => value === null);
  return isEmpty ? { text: '' } : 'its text is not a text';
}

/**
 * Readers of MCP's content types (2025-11-25, server/tools: tool result). Each returns the part, or a description of
 * what cannot be read.
 */
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
