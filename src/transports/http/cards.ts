import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { type Dialects, majorMinor, versionOf } from '../../dialects/kernel/detect.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { etagOf, sendDocument } from './headers.ts';

interface CardRequest {
  readonly agent: string;
  /** The dialects whose clients must be able to read the card: one if the request names it, otherwise all of the path. */
  readonly dialects: readonly [Dialect, ...Dialect[]];
  /** The dialect of `/as/{dialect}`: the URLs in the card stay on this path. */
  readonly pinned: Dialect | undefined;
  /** Scheme and authority that clients use, such as `https://agents.example.com`. */
  readonly origin: string;
  /** Path of the agent's base, '' or `/demo`, below the gateway's mount point; without `/as/{dialect}`. */
  readonly base: string;
  /** Whether the card may list gRPC: the server serves it, and the client can read its addresses. */
  readonly grpc: boolean;
}

/** Creates the JSON value of a card. */
export type CardSource = (request: CardRequest) => unknown;

/** The location of a requested card. */
interface CardPlace extends Omit<CardRequest, 'dialects'> {
  /** Path below the base. */
  readonly path: string;
  readonly version: string | undefined;
  /** Whether it was sent without credentials. Otherwise caches must not store it for others. */
  readonly isPublic: boolean;
}

/** Seconds that clients may cache a card. */
const maxAge = 60;

/**
 * The path of cards of the current versions. Below `/as/{dialect}`, the dialect's card is also at this path, in addition to the
 * paths where the dialect's own clients look.
 */
export const cardPath = '/.well-known/agent-card.json';

/** Cards at the well-known paths of all dialects. */
export function createCards(dialects: Dialects, source: CardSource) {
  const byPath = Map.groupBy(
    dialects.list.flatMap((dialect) => dialect.card.paths.map((path) => ({ path, dialect }))),
    ({ path }) => path,
  );
  /** Time when each card was first sent with its current content, in milliseconds. HTTP dates have whole seconds. */
  const sent = new Map<string, { readonly etag: string; readonly since: number }>();
  const sentSince = (key: string, etag: string): number => {
    const before = sent.get(key);
    if (before?.etag === etag) return before.since;
    if (sent.size >= maxSent) sent.clear();
    const since = Math.floor(Date.now() / 1000) * 1000;
    sent.set(key, { etag, since });
    return since;
  };

  function readersOf(path: string, version: string | undefined): CardRequest['dialects'] {
    const [first, ...others] = (byPath.get(path) ?? []).map(({ dialect }) => dialect);
    if (!first) throw new A2AError('routeNotFound');
    const candidates = [first, ...others] as const;
    if (!version || candidates.every((dialect) => dialect.versions.length === 0)) return candidates;
    const one = candidates.find((dialect) => dialect === dialects.byVersion.get(majorMinor(version)));
    // Throws an error that names the supported versions.
    return [one ?? versionOf(dialects, version, 'jsonrpc') ?? first];
  }

  return {
    /** Whether this path below an agent's base has a card. */
    has: (path: string, pinned: Dialect | undefined): boolean =>
      pinned ? path === cardPath || pinned.card.paths.includes(path) : byPath.has(path),
    /**
     * Answers GET and HEAD, with ETag, Last-Modified and Cache-Control, or 304.
     *
     * @throws A2AError `versionNotSupported` when no dialect of this path has the version
     */
    serve(req: IncomingMessage, res: ServerResponse, place: CardPlace, headers: string[]): void {
      const { path, version, isPublic, ...rest } = place;
      const readers = place.pinned ? ([place.pinned] as const) : readersOf(path, version);
      const body = Buffer.from(JSON.stringify(source({ ...rest, dialects: readers })));
      const etag = etagOf(body);
      const { agent, origin, base, grpc, pinned } = rest;
      const modified = sentSince([agent, path, origin, base, grpc, pinned?.name, version].join(' '), etag);
      const caching = `${isPublic ? '' : 'private, '}max-age=${maxAge}`;
      headers.push('Last-Modified', new Date(modified).toUTCString(), 'Cache-Control', caching);
      res.appendHeader('Vary', 'A2A-Version');
      sendDocument(req, res, { body, mediaType: 'application/json', etag, modified }, headers);
    },
  };
}

/** Largest number of remembered times, because version headers can have any number of values. */
const maxSent = 10_000;
