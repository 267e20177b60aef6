import type { Struct } from './a2a.ts';

/** A piece of an agent's answer that could not be read as written. */
export interface Unread {
  /** Path of the piece, such as `artifacts[0].parts[1]`. */
  readonly path: string;
  /** Reason why it could not be read. */
  readonly reason: string;
}

/**
 * Metadata key of a task or a message: pieces of the agent's answer that could not be read, each a path in v1 and the
 * reason, such as `artifacts[0].parts[1]: unknown kind "image"`; at most 20.
 */
export const unreadKey = 'a2a-gateway/unread';

/** Largest number of pieces that the metadata of a task name. */
export const maxUnread = 20;

/** Returns the pieces that could not be read, as metadata name them. */
export function unreadIn(metadata: Struct | undefined): readonly string[] {
  const lines = metadata?.[unreadKey];
  return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
}
