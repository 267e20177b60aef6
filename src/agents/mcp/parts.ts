import type { Part } from '../../core/model/a2a.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';

/** What a tool's result holds, as parts of A2A. */

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The last segment of a URI's path, for want of a better name. */
function filenameOf(uri: string | undefined): string | undefined {
  const path = uri === undefined ? undefined : URL.parse(uri)?.pathname;
  return path?.slice(path.lastIndexOf('/') + 1) || undefined;
}

const optional = (fields: { [K in keyof Part]?: Part[K] | undefined }): Partial<Part> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Base64 as everybody reads it, whatever alphabet and padding it came in. */
const bytes = (value: string): string => Buffer.from(value, 'base64').toString('base64');

/** An image or a sound. */
function media({ data, mimeType }: JsonObject): Part | undefined {
  return typeof data === 'string' ? { raw: bytes(data), ...optional({ mediaType: text(mimeType) }) } : undefined;
}

function resource({ resource: held }: JsonObject): Part | undefined {
  if (!isObject(held)) return undefined;
  const { text: words, blob } = held;
  const uri = text(held.uri);
  const about = optional({
    mediaType: text(held.mimeType),
    filename: filenameOf(uri),
    metadata: uri === undefined ? undefined : { uri },
  });
  if (typeof words === 'string') return { text: words, ...about };
  return typeof blob === 'string' ? { raw: bytes(blob), ...about } : undefined;
}

function link({ uri, name, title, description, mimeType }: JsonObject): Part | undefined {
  if (typeof uri !== 'string') return undefined;
  const metadata = optional({ title: text(title), description: text(description) } as Partial<Part>);
  return {
    url: uri,
    ...optional({
      mediaType: text(mimeType),
      filename: text(name) ?? filenameOf(uri),
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    }),
  };
}

/** Kinds of content (MCP 2025-11-25, server/tools: tool result). */
const kinds: Readonly<Record<string, (content: JsonObject) => Part | undefined>> = {
  text: ({ text: words }) => (typeof words === 'string' ? { text: words } : undefined),
  image: media,
  audio: media,
  resource,
  resource_link: link,
};

/** A kind that is not known, and what is no content at all, stays what it is: data. */
function partOf(content: unknown): Part {
  const kind = isObject(content) && typeof content.type === 'string' ? content.type : '';
  const made = isObject(content) && Object.hasOwn(kinds, kind) ? kinds[kind]?.(content) : undefined;
  return made ?? { data: content as NonNullable<Part['data']> };
}

/** The parts of a result's content, and its structured content as data. */
export function partsOf({ content, structuredContent }: JsonObject): Part[] {
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  if (structuredContent !== undefined) parts.push({ data: structuredContent as NonNullable<Part['data']> });
  return parts;
}

/** The text of a result, to be read; '' when it has none. */
export const textOf = ({ content }: JsonObject): string =>
  (Array.isArray(content) ? content : [])
    .flatMap((item: unknown) => (isObject(item) && typeof item.text === 'string' ? [item.text] : []))
    .join('\n');
