import { type Artifact, api, type Part } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { ownPrefix, withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type { Artifact as WireArtifact } from '../../gen/agentvault-0.2/types.ts';
import { parseAs } from '../../wire/validate.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { ownKey, preservedIn, preserving } from '../kernel/metadata.ts';
import { contentOf, hosted, isWebUrl, partOf } from './parts.ts';

/**
 * An AgentVault artifact is one value under a label. One part is that value; text in several parts (chunks, mostly) is
 * joined; content with a URL is two parts; and any other list of parts is one JSON value with all of them, in the form
 * of A2A 1.0.
 */

const partsKey = `${ownPrefix}parts`;
const key = ownKey('agentvault-0.2');

/** Whether JSON may be an artifact's content without a wrapper: a string would be text, null nothing. */
const isBare = (value: unknown): boolean =>
  typeof value !== 'string' && value !== null && value !== undefined && partsIn(value) === undefined;

/** Returns the parts in an object, if it stands for several. */
function partsIn(value: unknown): Part[] | undefined {
  if (!isObject(value) || !(partsKey in value) || Object.keys(value).length !== 1) return undefined;
  const list = value[partsKey];
  return Array.isArray(list) && list.every(isPart) && layoutOf(list) === 'list' ? list : undefined;
}

/** Whether a value is a part of A2A 1.0 in canonical form. */
function isPart(value: unknown): value is Part {
  try {
    return parseAs(api, 'lf.a2a.v1.Part', value) === value;
  } catch {
    return false;
  }
}

/** Layouts of parts, with the label of an artifact without a name. */
const labels = { nothing: 'text', text: 'text', data: 'data', file: 'file', both: 'file', list: 'parts' } as const;

function layoutOf(parts: readonly Part[]): keyof typeof labels {
  const [first, second] = parts;
  if (!first) return 'nothing';
  const isSameText = ({ text, mediaType, filename }: Part): boolean =>
    text !== undefined && !filename && mediaType === first.mediaType;
  if (parts.every(isSameText)) return 'text';
  const isFile = ({ url }: Part): boolean => url !== undefined && isWebUrl(url);
  if (!second) {
    if (first.text !== undefined) return 'text';
    return isFile(first) ? 'file' : 'data';
  }
  const isPlain = (first.text !== undefined || 'data' in first) && !first.mediaType && !first.filename;
  return parts.length === 2 && isPlain && isFile(second) ? 'both' : 'list';
}

type Value = Pick<WireArtifact, 'content' | 'url' | 'mediaType'>;

/** Encodes an artifact, with the nulls that real servers write. */
export function encodeArtifact(artifact: Artifact, cx: CodecContext, at: string): Required<WireArtifact> {
  const { artifactId, name, metadata } = artifact;
  const parts = cx.fileUrl ? artifact.parts.map((part) => hosted(part, cx)) : artifact.parts;
  const layout = layoutOf(parts);
  const label = labels[layout];
  if (name === label) cx.unreported?.add(`${at}name`);
  if (layout !== 'list') {
    for (const { metadata, filename, raw } of artifact.parts) {
      if (metadata) cx.losses.add(`${at}parts.metadata`);
      // The response to a fetch of the file has its name.
      if (filename !== undefined && raw === undefined) cx.losses.add(`${at}parts.filename`);
    }
  }
  const isEmpty = preservedIn(metadata, key).empty === true && parts.length === 1 && parts[0]?.text === '';
  const value = isEmpty ? typeOf(parts[0]) : contentAndUrl(layout, parts, cx, at);
  const own = (metadata && withoutOwnKeys(metadata)) ?? null;
  return { id: artifactId, type: name ?? label, content: null, url: null, mediaType: null, ...value, metadata: own };
}

const typeOf = ({ mediaType }: Part = {}): Value => (mediaType ? { mediaType } : {});

function contentAndUrl(layout: keyof typeof labels, parts: readonly Part[], cx: CodecContext, at: string): Value {
  const [first, second] = parts;
  if (!first) return {};
  // The form of A2A 1.0: nothing is lost.
  if (layout === 'list') return { content: { [partsKey]: parts } };
  const typed = typeOf(first);
  if (layout === 'text') {
    if (!second) return { content: first.text, ...typed };
    // The division of the list is lost, which mostly comes from chunks, but not its content.
    cx.unreported?.add(`${at}parts[]`);
    return { content: parts.map(({ text }) => text).join(''), ...typed };
  }
  if (layout === 'file') return { url: first.url as string, ...typed };
  if (second) {
    const content = first.text ?? contentOf(first, isBare);
    return { content, url: second.url as string, ...typeOf(second) };
  }
  if (first.raw !== undefined) cx.losses.add(`${at}parts.raw`);
  else if (first.url !== undefined) cx.losses.add(`${at}parts.url`);
  const { mediaType: _beside, ...untyped } = first;
  return { content: contentOf(untyped, isBare), ...typed };
}

/** Decodes a validated artifact. */
export function decodeArtifact({ id, type, content, url, mediaType, metadata }: WireArtifact): Artifact {
  const typed = mediaType ? { mediaType } : {};
  const parts: Part[] = [];
  if (content !== null && content !== undefined) {
    const one = typeof content === 'string' ? { text: content } : partOf(content, isBare);
    parts.push(...(partsIn(content) ?? [{ ...one, ...(!url && typed) }]));
  }
  if (url) parts.push({ url, ...typed });
  const isEmpty = parts.length === 0;
  // v1 artifacts have at least one part.
  if (isEmpty) parts.push({ text: '', ...typed });
  const decoded: Artifact = { artifactId: id, parts };
  if (type !== '' && type !== labels[layoutOf(parts)]) decoded.name = type;
  const own = metadata && withoutOwnKeys(metadata);
  if (isEmpty) decoded.metadata = preserving(own, key, { empty: true });
  else if (own) decoded.metadata = own;
  return decoded;
}
