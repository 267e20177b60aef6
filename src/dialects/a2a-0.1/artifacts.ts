import type { Artifact } from '../../core/model/a2a.ts';
import type { Artifact as LegacyArtifact } from '../../gen/a2a-0.1/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { decodeParts, encodeParts, type PartPaths, partPaths } from './content.ts';
import { decodeMetadata, encodeMetadata, type Preserved, preserved } from './metadata.ts';

/**
 * Artifacts of A2A 0.1 have no id but a place among those of their task, from 0. In v1 the place becomes the id; and
 * back, an artifact has the place at which it first appeared, so that streams, replays and the task agree on it.
 */

/** Id of the artifact at a place. */
export const artifactIdAt = (index: number): string => `artifact-${index}`;

/** The places of a task's artifacts by id, as far as they are known. */
export class ArtifactPlaces {
  readonly #places = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** The place of an artifact: the one that it has, or the one that was kept of it, or the first that is free. */
  of({ artifactId, metadata }: Artifact): number {
    const known = this.#places.get(artifactId);
    if (known !== undefined) return known;
    let { index } = preserved(metadata);
    if (index === undefined) {
      while (this.#taken.has(this.#next)) this.#next++;
      index = this.#next;
    }
    this.#places.set(artifactId, index);
    this.#taken.add(index);
    return index;
  }
}

/** What of an artifact can be lost: paths, made once for each place where an artifact is. */
export interface ArtifactPaths {
  readonly artifactId: string;
  readonly extensions: string;
  readonly parts: PartPaths;
}

/** @param at path of the artifact, with its dot */
export const artifactPaths = (at: string): ArtifactPaths => ({
  artifactId: `${at}artifactId`,
  extensions: `${at}extensions`,
  parts: partPaths(at),
});

/** An artifact at its place. What is said of chunks is written by whoever knows of them. */
export function encodeArtifact(
  artifact: Artifact,
  index: number,
  cx: CodecContext,
  paths: ArtifactPaths,
): LegacyArtifact {
  if (cx.unreported && artifact.artifactId !== artifactIdAt(index)) cx.unreported.add(paths.artifactId);
  if (artifact.extensions) cx.losses.add(paths.extensions);
  const { name, description } = artifact;
  const { append, lastChunk, empty } = preserved(artifact.metadata);
  const metadata = encodeMetadata(artifact.metadata);
  const encoded = {} as LegacyArtifact;
  if (name !== undefined) encoded.name = name;
  if (description !== undefined) encoded.description = description;
  encoded.parts = empty ? [] : encodeParts(artifact.parts, cx, paths.parts);
  if (metadata) encoded.metadata = metadata;
  encoded.index = index;
  if (append !== undefined) encoded.append = append;
  if (lastChunk !== undefined) encoded.lastChunk = lastChunk;
  return encoded;
}

/** All artifacts of a task. */
export function encodeArtifacts(
  artifacts: readonly Artifact[],
  cx: CodecContext,
  paths: ArtifactPaths,
): LegacyArtifact[] {
  const isPlain = artifacts.every(({ metadata }) => preserved(metadata).index === undefined);
  const places = isPlain ? undefined : new ArtifactPlaces();
  return artifacts.map((artifact, at) => encodeArtifact(artifact, places?.of(artifact) ?? at, cx, paths));
}

/**
 * An artifact that was validated before.
 *
 * @param at path of the artifact, with its dot, for errors
 * @param keep what is to be kept of it
 */
export function decodeArtifact(artifact: LegacyArtifact, artifactId: string, at: string, keep: Preserved): Artifact {
  const empty = artifact.parts.length === 0;
  const decoded: Artifact = { artifactId, parts: empty ? [{ text: '' }] : decodeParts(artifact.parts, at) };
  if (typeof artifact.name === 'string') decoded.name = artifact.name;
  if (typeof artifact.description === 'string') decoded.description = artifact.description;
  const all = empty ? { ...keep, empty } : keep;
  const metadata = decodeMetadata(artifact.metadata, Object.keys(all).length > 0 ? all : undefined);
  if (metadata) decoded.metadata = metadata;
  return decoded;
}

/** All artifacts of a task. Real servers give several the same place. */
export function decodeArtifacts(artifacts: readonly LegacyArtifact[]): Artifact[] {
  const ids = new Set<string>();
  const inOrder = artifacts.every(({ index }, place) => (index ?? 0) === place);
  return artifacts.map((artifact, place) => {
    const index = artifact.index ?? 0;
    const id = artifactIdAt(index);
    const artifactId = ids.has(id) ? `${id}.${place}` : id;
    ids.add(artifactId);
    return decodeArtifact(artifact, artifactId, `artifacts[${place}].`, {
      ...(!inOrder && { index }),
      ...(typeof artifact.append === 'boolean' && { append: artifact.append }),
      ...(typeof artifact.lastChunk === 'boolean' && { lastChunk: artifact.lastChunk }),
    });
  });
}
