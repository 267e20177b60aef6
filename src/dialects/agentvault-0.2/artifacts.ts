import { type Artifact, api, type Part } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import type { Artifact as VaultArtifact } from '../../gen/agentvault-0.2/types.ts';
import { parseAs } from '../../wire/validate.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { ownPrefix } from '../kernel/metadata.ts';
import { contentOf, hosted, isWebUrl, partOf } from './content.ts';
import { decodeMetadata, encodeMetadata, preserved } from './messages.ts';

/**
 * An AgentVault artifact is one value under a label. One part is that value; text in several parts (chunks, mostly) is
 * joined; content beside a URL is two parts; and any other list of parts is one JSON value that holds them all, in the form
 * of A2A 1.0.
 */

const partsKey = `${ownPrefix}parts`;

/** JSON that may stand as an artifact's content: a string would be text, null nothing. */
const isBare = (value: unknown): boolean =>
  typeof value !== 'string' && value !== null && value !== undefined && partsIn(value) === undefined;

/** The parts that an object holds, where it is one that stands for several. */
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

type Layout = 'nothing' | 'text' | 'data' | 'file' | 'both' | 'list';

/** How parts are laid out; also the label of an artifact without a name. */
function layoutOf(parts: readonly Part[]): Layout {
  const [first, second] = parts;
  if (!first) return 'nothing';
  if (
    parts.every(({ text, mediaType, filename }) => text !== undefined && !filename && mediaType === first.mediaType)
  ) {
    return 'text';
  }
  if (!second) {
    if (first.text !== undefined) return 'text';
    return first.url !== undefined && isWebUrl(first.url) ? 'file' : 'data';
  }
  const plain = (first.text !== undefined || 'data' in first) && !first.mediaType && !first.filename;
  const both = parts.length === 2 && plain && second.url !== undefined && isWebUrl(second.url);
  return both ? 'both' : 'list';
}

const labels: Readonly<Record<Layout, string>> = {
  nothing: 'text',
  text: 'text',
  data: 'data',
  file: 'file',
  both: 'file',
  list: 'parts',
};

type Value = Pick<VaultArtifact, 'content' | 'url' | 'mediaType'>;

/**
 * What AgentVault has for an artifact, with the nulls that real servers write.
 *
 * @param at path of the artifact for losses, with its dot
 * @param taskId the task that it belongs to, under which inline bytes are served
 */
export function encodeArtifact(
  artifact: Artifact,
  cx: CodecContext,
  at: string,
  taskId: string,
): Required<VaultArtifact> {
  const { artifactId, name } = artifact;
  const inline = cx.fileUrl !== undefined && artifact.parts.some(({ raw }) => raw !== undefined);
  const parts = inline ? artifact.parts.map((part) => hosted(part, cx, taskId)) : artifact.parts;
  const layout = layoutOf(parts);
  const label = labels[layout];
  if (name === label) cx.unreported?.add(`${at}name`);
  if (artifact.description !== undefined) cx.losses.add(`${at}description`);
  if (artifact.extensions) cx.losses.add(`${at}extensions`);
  if (layout !== 'list') {
    for (const { metadata, filename, raw } of artifact.parts) {
      if (metadata) cx.losses.add(`${at}parts.metadata`);
      // Who fetches a file is told its name.
      if (filename !== undefined && raw === undefined) cx.losses.add(`${at}parts.filename`);
    }
  }
  const empty = preserved(artifact.metadata).empty === true && parts.length === 1 && parts[0]?.text === '';
  const value = empty
    ? { content: null, url: null, mediaType: parts[0]?.mediaType ?? null }
    : contentAndUrl(layout, parts, cx, at);
  const { content = null, url = null, mediaType = null } = value;
  return { id: artifactId, type: name ?? label, content, url, mediaType, metadata: encodeMetadata(artifact.metadata) };
}

function contentAndUrl(layout: Layout, parts: readonly Part[], cx: CodecContext, at: string): Value {
  // As they are in A2A 1.0: nothing of them is lost.
  if (layout === 'list') return { content: { [partsKey]: parts } };
  const [first, second] = parts;
  if (!first) return {};
  const { mediaType } = first;
  if (layout === 'text') {
    // The list's division is lost, which mostly comes from chunks, and not its content.
    if (second) cx.unreported?.add(`${at}parts[]`);
    const content = second ? parts.map(({ text }) => text).join('') : first.text;
    return { content, ...(mediaType && { mediaType }) };
  }
  if (layout === 'file') return { url: first.url as string, ...(mediaType && { mediaType }) };
  if (layout === 'both' && second) {
    const content = first.text ?? contentOf(first, isBare);
    return { content, url: second.url as string, ...(second.mediaType && { mediaType: second.mediaType }) };
  }
  if (first.raw !== undefined) cx.losses.add(`${at}parts.raw`);
  else if (first.url !== undefined) cx.losses.add(`${at}parts.url`);
  const { mediaType: _beside, ...bare } = first;
  return { content: contentOf(bare, isBare), ...(mediaType && { mediaType }) };
}

/** An artifact that was validated before. */
export function decodeArtifact(artifact: VaultArtifact): Artifact {
  const { id, type, content, url, mediaType } = artifact;
  const typed = mediaType ? { mediaType } : {};
  const parts: Part[] = [];
  if (content !== null && content !== undefined) {
    const several = partsIn(content);
    const one = typeof content === 'string' ? { text: content } : partOf(content, isBare);
    if (several) parts.push(...several);
    else parts.push({ ...one, ...(!url && typed) });
  }
  if (url) parts.push({ url, ...typed });
  const empty = parts.length === 0;
  // v1 artifacts have at least one part.
  if (empty) parts.push({ text: '', ...typed });
  const label = labels[layoutOf(parts)];
  return {
    artifactId: id,
    ...(type !== label && type !== '' && { name: type }),
    parts,
    ...decodeMetadata(artifact.metadata, empty ? { empty: true } : {}),
  };
}
