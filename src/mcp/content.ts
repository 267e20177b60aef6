import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { Part } from '../core/model/a2a.ts';
import { createJoiner } from '../core/model/text.ts';

/** Bytes that are sent within a result; more become a link where they are served somewhere. */
const mostInline = 1 << 20;

/** Where parts come from, for those that need an address. */
export interface PartLocation {
  /** What the address of a part without one begins with. */
  readonly uri: string;
  /** A URL for bytes. Absent: they are sent as they are. */
  readonly fileUrl?: ((part: Part) => string) | undefined;
}

/** What results say of a file besides the file itself. */
export type FileFacts = {
  readonly name?: string;
  readonly media_type?: string;
  readonly url?: string;
};

/** Parts as MCP content, and what structured results hold of them. */
export interface McpContent {
  readonly content: ContentBlock[];
  readonly text: string;
  readonly data: unknown[];
  readonly files: FileFacts[];
}

/** Kinds of content that have a block of their own, by the first half of their media type. */
const pictured = { image: 'image', audio: 'audio' } as const;

const isText = (mediaType: string): boolean => /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(mediaType);

/** Text that stands together becomes one block; whatever else there is, one each. */
export function convertParts(parts: readonly Part[], place: PartLocation): McpContent {
  const converted: McpContent = { content: [], text: '', data: [], files: [] };
  const joiner = createJoiner(({ text = '' }) => text);
  let text = '';
  let whole = '';
  const endText = (): void => {
    if (text !== '') converted.content.push({ type: 'text', text });
    text = '';
  };
  for (const [index, part] of parts.entries()) {
    if (part.text !== undefined) {
      const more = joiner.push(part);
      text += text === '' ? more.replace(/^\n/, '') : more;
      whole += more;
      continue;
    }
    endText();
    if (part.data !== undefined) {
      converted.data.push(part.data);
      converted.content.push({ type: 'text', text: JSON.stringify(part.data, undefined, 2) });
    } else {
      const { block, facts } = fileBlock(part, index, place);
      converted.content.push(block);
      converted.files.push(facts);
    }
  }
  endText();
  return { ...converted, text: whole };
}

function fileBlock(part: Part, index: number, place: PartLocation): { block: ContentBlock; facts: FileFacts } {
  const { filename, mediaType, raw = '' } = part;
  const large = Buffer.byteLength(raw, 'base64') > mostInline;
  const url = part.url ?? (large ? place.fileUrl?.(part) : undefined);
  const facts: FileFacts = {
    ...(filename !== undefined && { name: filename }),
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(url !== undefined && { url }),
  };
  return { block: url === undefined ? inline(part, index, place) : linkTo(url, part), facts };
}

const linkTo = (uri: string, { filename, mediaType }: Part): ContentBlock => ({
  type: 'resource_link',
  uri,
  name: filename ?? uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? 'file',
  ...(mediaType !== undefined && { mimeType: mediaType }),
});

function inline(
  { raw = '', mediaType = 'application/octet-stream', filename }: Part,
  index: number,
  place: PartLocation,
) {
  const kind = pictured[mediaType.split('/', 1)[0] as keyof typeof pictured];
  if (kind) return { type: kind, data: raw, mimeType: mediaType } as const;
  const uri = `${place.uri}/${encodeURIComponent(filename ?? String(index))}`;
  const content = isText(mediaType) ? { text: Buffer.from(raw, 'base64').toString('utf8') } : { blob: raw };
  return { type: 'resource', resource: { uri, mimeType: mediaType, ...content } } as const;
}
