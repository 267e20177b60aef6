import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { versionOf } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { majorMinor } from '../../dialects/kernel/lookup.ts';
import { isUnchanged, sendEmpty } from '../http/headers.ts';

/** A card that somebody asked for. */
export interface CardRequest {
  readonly agent: string;
  /** The dialects whose clients must be able to read the card: one when the request says which, else all of the path. */
  readonly dialects: readonly [Dialect, ...Dialect[]];
  /** The dialect of `/as/{dialect}`: the URLs in the card stay on this path. */
  readonly pinned: Dialect | undefined;
  /** Scheme and authority that clients use, such as `https://agents.example.com`. */
  readonly origin: string;
  /** Path of the agent's base, '' or `/demo`, with what the gateway is mounted below; without `/as/{dialect}`. */
  readonly base: string;
}

/** Makes cards: the JSON value as it is sent. */
export type CardSource = (request: CardRequest) => unknown;

/** Where a card was asked for. */
export interface CardPlace extends Omit<CardRequest, 'dialects'> {
  /** Path below the base. */
  readonly path: string;
  readonly version: string | undefined;
}

export interface Cards {
  /** Whether a card is found at this path below an agent's base. */
  has(path: string, pinned: Dialect | undefined): boolean;
  /**
   * Answers GET and HEAD, with ETag, Last-Modified and Cache-Control, or 304.
   *
   * @throws A2AError `versionNotSupported` when no dialect of this path has the version
   */
  serve(req: IncomingMessage, res: ServerResponse, place: CardPlace, headers: string[]): void;
}

export interface CardsOptions {
  readonly dialects: Dialects;
  readonly source: CardSource;
  /** Seconds for `Cache-Control: max-age`. Default 60. */
  readonly maxAge?: number;
}

/** Below `/as/{dialect}`, where that dialect's card is found wherever its own clients look for it. */
const pinnedPath = '/.well-known/agent-card.json';

/** Cards at the well-known paths of all dialects. */
export function createCards({ dialects, source, maxAge = 60 }: CardsOptions): Cards {
  const byPath = new Map<string, [Dialect, ...Dialect[]]>();
  for (const dialect of dialects.list) {
    for (const path of dialect.card.paths) {
      const there = byPath.get(path);
      if (there) there.push(dialect);
      else byPath.set(path, [dialect]);
    }
  }
  const modified = new Modified();
  return {
    has: (path, pinned) => (pinned ? path === pinnedPath || pinned.card.paths.includes(path) : byPath.has(path)),
    serve(req, res, place, headers) {
      const { path, version, ...rest } = place;
      const readers = place.pinned ? ([place.pinned] as const) : chosen(path, version);
      const body = Buffer.from(JSON.stringify(source({ ...rest, dialects: readers })));
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
      const since = modified.since([rest.agent, path, rest.base, rest.pinned?.name, version].join(' '), etag);
      headers.push('ETag', etag, 'Last-Modified', new Date(since).toUTCString());
      headers.push('Cache-Control', `max-age=${maxAge}`);
      res.appendHeader('Vary', 'A2A-Version');
      if (isUnchanged(req, etag, since)) return sendEmpty(res, 304, headers);
      headers.push('Content-Type', 'application/json', 'Content-Length', String(body.length));
      res.writeHead(200, headers);
      res.end(req.method === 'HEAD' ? undefined : body);
    },
  };

  function chosen(path: string, version: string | undefined): CardRequest['dialects'] {
    const candidates = byPath.get(path);
    if (!candidates) throw new A2AError('routeNotFound');
    if (!version || candidates.every((dialect) => dialect.versions.length === 0)) return candidates;
    const one = candidates.find((dialect) => dialect === dialects.byVersion.get(majorMinor(version)));
    // The error names the versions that there are.
    return [one ?? versionOf(dialects, version, 'jsonrpc') ?? candidates[0]];
  }
}

/** As many cards as times are remembered of; an unknown version in a header must not fill the memory. */
const maxRemembered = 10_000;

/** Since when each card is what it is: since it was first seen so. Milliseconds, in whole seconds as headers have them. */
class Modified {
  readonly #seen = new Map<string, { etag: string; since: number }>();

  since(key: string, etag: string): number {
    const seen = this.#seen.get(key);
    if (seen?.etag === etag) return seen.since;
    if (this.#seen.size >= maxRemembered) this.#seen.clear();
    const since = Math.floor(Date.now() / 1000) * 1000;
    this.#seen.set(key, { etag, since });
    return since;
  }
}
