import type { Part } from '../../../core/model/a2a.ts';
import { defined, isObject, type JsonObject, own } from '../../../core/model/json.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The last segment of a URI's path. */
function filenameOf(uri: string | undefined): string | undefined {
  const path = uri === undefined ? undefined : URL.parse(uri)?.pathname;
  return path?.slice(path.lastIndexOf('/') + 1) || undefined;
}

/** Standard base64 of any alphabet and padding. */
const bytes = (value: string): string => Buffer.from(value, 'base64').toString('base64');

/** An image or audio part. */
function media({ data, mimeType }: JsonObject): Part | undefined {
  return typeof data === 'string' ? { raw: bytes(data), ...defined({ mediaType: text(mimeType) }) } : undefined;
}

function resource({ resource: embedded }: JsonObject): Part | undefined {
  if (!isObject(embedded)) return undefined;
  const { text: content, blob } = embedded;
  const uri = text(embedded.uri);
  const about = defined({
    mediaType: text(embedded.mimeType),
    filename: filenameOf(uri),
    metadata: uri === undefined ? undefined : { uri },
  });
  if (typeof content === 'string') return { text: content, ...about };
  return typeof blob === 'string' ? { raw: bytes(blob), ...about } : undefined;
}

function link({ uri, name, title, description, mimeType }: JsonObject): Part | undefined {
  if (typeof uri !== 'string') return undefined;
  const about = defined({ title: text(title), description: text(description) });
  const metadata = Object.keys(about).length > 0 ? about : undefined;
  return { url: uri, ...defined({ mediaType: text(mimeType), filename: text(name) ?? filenameOf(uri), metadata }) };
}

/** Content types of MCP (2025-11-25, server/tools: tool result). */
const kinds: Readonly<Record<string, (content: JsonObject) => Part | undefined>> = {
  text: ({ text: words }) => (typeof words === 'string' ? { text: words } : undefined),
  image: media,
  audio: media,
  resource,
  resource_link: link,
};

/** Unknown or invalid content becomes a data part. */
function partOf(content: unknown): Part {
  const kind = isObject(content) && typeof content.type === 'string' ? content.type : '';
  const part = isObject(content) ? own(kinds, kind)?.(content) : undefined;
  return part ?? { data: content as NonNullable<Part['data']> };
}

export function partsOf({ content, structuredContent }: JsonObject): Part[] {
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  if (structuredContent !== undefined) parts.push({ data: structuredContent as NonNullable<Part['data']> });
  return parts;
}

export const textOf = ({ content }: JsonObject): string =>
  (Array.isArray(content) ? content : [])
    .flatMap((item: unknown) => (isObject(item) && typeof item.text === 'string' ? [item.text] : []))
    .join('\n');
