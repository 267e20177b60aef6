import type { Artifact, Task, TaskStatus } from '../../core/model/a2a.ts';
import { historyId, newId } from '../../core/model/ids.ts';
import type * as wire from '../../gen/a2a-0.1/types.ts';
import type { Codec, CodecContext } from '../kernel/codec.ts';
import { ContentIds, nameMessage, noteIds, preservedIn, preserving } from '../kernel/metadata.ts';
import { codecs, read } from './codecs.ts';
import { key } from './mapping.ts';

/**
 * Ids, which A2A 0.1 does not have. Ids of messages follow from their position or content, so that a second read yields
 * equal ids. Artifacts have a position among those of their task, from 0. In v1 the position becomes the id; on the
 * wire an artifact has the position at which it first appeared, so that streams, replays and the task agree on it.
 */

/** Facts that v1 metadata preserve of an artifact. */
interface Preserved {
  /** Position of the artifact, if it is not the one that it would get by default. */
  readonly index?: number;
  /** Flag of the last chunk of an artifact, within a task. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

const preserved = ({ metadata }: Artifact): Preserved => preservedIn(metadata, key);

const artifactIdAt = (index: number): string => `artifact-${index}`;

/** Positions of a task's artifacts by id, as far as they are known. */
export class ArtifactPlaces {
  readonly #places = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** Returns the position of an artifact: its known position, or the preserved one, or the first that is free. */
  of(artifact: Artifact): number {
    const known = this.#places.get(artifact.artifactId);
    if (known !== undefined) return known;
    let { index } = preserved(artifact);
    if (index === undefined) {
      while (this.#taken.has(this.#next)) this.#next++;
      index = this.#next;
    }
    this.#places.set(artifact.artifactId, index);
    this.#taken.add(index);
    return index;
  }
}

/** Writes the position of an artifact, and the flags of chunks that its metadata preserve. */
export function placeArtifact(
  encoded: wire.Artifact,
  artifact: Artifact,
  index: number,
  { unreported }: CodecContext,
  at: string,
): wire.Artifact {
  if (unreported && artifact.artifactId !== artifactIdAt(index)) unreported.add(`${at}artifactId`);
  encoded.index = index;
  return artifact.metadata ? withChunk(encoded, preserved(artifact)) : encoded;
}

/** Writes the flags of a chunk. */
export function withChunk(encoded: wire.Artifact, { append, lastChunk }: Preserved): wire.Artifact {
  if (append !== undefined) encoded.append = append;
  if (lastChunk !== undefined) encoded.lastChunk = lastChunk;
  return encoded;
}

/** Gives an id to an artifact that was read, made from its position. */
export function nameArtifact(artifact: Artifact, index: number, facts: Preserved): Artifact {
  artifact.artifactId = artifactIdAt(index);
  if (Object.keys(facts).length > 0) artifact.metadata = preserving(artifact.metadata, key, facts);
  return artifact;
}

/**
 * Gives an id to the message of a status that was read. Different statuses get different ids, and so does each status without a
 * time.
 *
 * @param ids the ids of the messages in the stream or answer
 */
export function nameStatus(
  decoded: TaskStatus,
  status: wire.TaskStatus,
  ids: ContentIds,
  taskId: string,
  contextId?: string,
): void {
  if (!decoded.message) return;
  const { timestamp, state, message } = status;
  const id = timestamp ? ids.of(timestamp, state, message) : newId();
  nameMessage(decoded.message, id, taskId, contextId);
}

export const taskCodec: Codec<unknown, Task> = {
  decode: (json, cx) => {
    const wireTask = read('Task', json);
    const task = codecs.task.decode(wireTask, cx);
    const { id, contextId, history = [], status } = task;
    for (const [at, message] of history.entries()) nameMessage(message, historyId(id, at), id, contextId);
    // A status message that is also the last of the history has the same id.
    if (status.message && JSON.stringify(wireTask.status.message) === JSON.stringify(wireTask.history?.at(-1)))
      nameMessage(status.message, historyId(id, history.length - 1), id, contextId);
    else nameStatus(status, wireTask.status, new ContentIds(), id, contextId);
    if (task.artifacts) nameArtifacts(task.artifacts, wireTask.artifacts as wire.Artifact[]);
    return task;
  },
  encode: (task, cx) => {
    const encoded = codecs.task.encode(task, cx, '');
    const { id, contextId, history = [], status, artifacts = [] } = task;
    if (cx.unreported) for (const message of history) noteIds(message, cx, 'history.', id, contextId);
    noteIds(status.message, cx, 'status.message.', id, contextId);
    const places = artifacts.some((artifact) => preserved(artifact).index !== undefined)
      ? new ArtifactPlaces()
      : undefined;
    for (let at = 0; at < artifacts.length; at++) {
      const artifact = artifacts[at] as Artifact;
      const index = places?.of(artifact) ?? at;
      placeArtifact(encoded.artifacts?.[at] as wire.Artifact, artifact, index, cx, 'artifacts.');
    }
    return encoded;
  },
};

/** Names all artifacts of a task. Real servers give several the same position. */
function nameArtifacts(artifacts: readonly Artifact[], wireArtifacts: readonly wire.Artifact[]): void {
  const ids = new Set<string>();
  const inOrder = wireArtifacts.every(({ index }, place) => (index ?? 0) === place);
  artifacts.forEach((artifact, place) => {
    const { index, append, lastChunk } = wireArtifacts[place] as wire.Artifact;
    nameArtifact(artifact, index ?? 0, {
      ...(!inOrder && { index: index ?? 0 }),
      ...(typeof append === 'boolean' && { append }),
      ...(typeof lastChunk === 'boolean' && { lastChunk }),
    });
    if (ids.has(artifact.artifactId)) artifact.artifactId += `.${place}`;
    ids.add(artifact.artifactId);
  });
}
