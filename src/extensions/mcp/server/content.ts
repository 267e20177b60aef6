import type { ContentBlock } from '@modelcontextprotocol/server';
import type { Part } from '../../../core/model/a2a.ts';
import { createJoiner } from '../../../core/model/text.ts';

/** Bytes that are sent within a result; larger files become links if they are served. */
const mostInline = 1 << 20;

/** The location of parts. */
interface PartLocation {
  /** Prefix of the URI of a part without a URL. */
  readonly uri: string;
  /** A URL for bytes. Absent: they are sent as they are. */
  readonly fileUrl?: ((part: Part) => string) | undefined;
}

/** A file in structured results. */
type FileFacts = {
  readonly name?: string;
  readonly media_type?: string;
  readonly url?: string;
};

/** Parts as MCP content and as structured results. */
export interface McpContent {
  readonly content: ContentBlock[];
  readonly text: string;
  readonly data: unknown[];
  readonly files: FileFacts[];
}

/** Kinds of content with a block of their own, by the first half of their media type. */
const blockTypes = { image: 'image', audio: 'audio' } as const;

const isText = (mediaType: string): boolean => /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(mediaType);

/** Consecutive texts become one block; every other part becomes one each. */
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
  const kind = blockTypes[mediaType.split('/', 1)[0] as keyof typeof blockTypes];
  if (kind) return { type: kind, data: raw, mimeType: mediaType } as const;
  const uri = `${place.uri}/${encodeURIComponent(filename ?? String(index))}`;
  const content = isText(mediaType) ? { text: Buffer.from(raw, 'base64').toString('utf8') } : { blob: raw };
  return { type: 'resource', resource: { uri, mimeType: mediaType, ...content } } as const;
}
