import type { IncomingMessage } from 'node:http';

/**
 * Whether the client has what it asks for already (RFC 9110 section 13.2.2): `If-Modified-Since` counts only without
 * `If-None-Match`.
 *
 * @param since when it was last changed, in milliseconds; nothing where only the tag tells
 */
export function isUnchanged({ headers }: IncomingMessage, etag: string, since?: number): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  }
  return since !== undefined && Date.parse(headers['if-modified-since'] ?? '') >= since;
}
