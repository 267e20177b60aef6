import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { versionOf } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { majorMinor } from '../../dialects/kernel/lookup.ts';
import { etagOf, sendDocument } from '../http/headers.ts';

/** A request for a card. */
export interface CardRequest {
  readonly agent: string;
  /** The dialects whose clients must be able to read the card: one if the request names it, otherwise all of the path. */
  readonly dialects: readonly [Dialect, ...Dialect[]];
  /** The dialect of `/as/{dialect}`: the URLs in the card stay on this path. */
  readonly pinned: Dialect | undefined;
  /** Scheme and authority that clients use, such as `https://agents.example.com`. */
  readonly origin: string;
  /** Path of the agent's base, '' or `/demo`, below the gateway's mount point; without `/as/{dialect}`. */
  readonly base: string;
}

/** Creates the JSON value of a card. */
export type CardSource = (request: CardRequest) => unknown;

/** The location of a requested card. */
export interface CardPlace extends Omit<CardRequest, 'dialects'> {
  /** Path below the base. */
  readonly path: string;
  readonly version: string | undefined;
}

export interface Cards {
  /** Whether this path below an agent's base has a card. */
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

/** Below `/as/{dialect}` the dialect's card has this path, besides the paths where the dialect's own clients look. */
const pinnedPath = '/.well-known/agent-card.json';

/** Cards at the well-known paths of all dialects. */
export function createCards({ dialects, source, maxAge = 60 }: CardsOptions): Cards {
  const byPath = new Map<string, [Dialect, ...Dialect[]]>();
  for (const dialect of dialects.list) {
    for (const path of dialect.card.paths) {
      const readers = byPath.get(path);
      if (readers) readers.push(dialect);
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
      const etag = etagOf(body);
      const since = modified.since([rest.agent, path, rest.base, rest.pinned?.name, version].join(' '), etag);
      headers.push('Last-Modified', new Date(since).toUTCString(), 'Cache-Control', `max-age=${maxAge}`);
      res.appendHeader('Vary', 'A2A-Version');
      sendDocument(req, res, { body, mediaType: 'application/json', etag, modified: since }, headers);
    },
  };

  function chosen(path: string, version: string | undefined): CardRequest['dialects'] {
    const candidates = byPath.get(path);
    if (!candidates) throw new A2AError('routeNotFound');
    if (!version || candidates.every((dialect) => dialect.versions.length === 0)) return candidates;
    const one = candidates.find((dialect) => dialect === dialects.byVersion.get(majorMinor(version)));
    // Throws an error that names the supported versions.
    return [one ?? versionOf(dialects, version, 'jsonrpc') ?? candidates[0]];
  }
}

/** Limit of remembered times, because version headers can have any number of values. */
const maxRemembered = 10_000;

/** When each card was first sent with its current content: milliseconds, in whole seconds as HTTP dates have them. */
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
