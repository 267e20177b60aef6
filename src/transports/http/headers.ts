import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { Reservation } from '../../core/limits/reservation.ts';
import type { BindingKind, CallContext, CallSemantics, ReplyNotes } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { withSignal } from '../../core/model/lazy-signal.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { contextFromHead, headerLimits, listHeader } from './call-head.ts';
import type { Exchange } from './exchange.ts';
import { RequestFacts } from './request-facts.ts';

/** What request headers say of a call, and what response headers tell of its answer. */

const one = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'object' ? header.join(', ') : header;

/** `A2A-Version`: the header, or the query parameter of that name in any case. '' and absence are the same. */
export function versionOfRequest({ req, query }: Pick<Exchange, 'req' | 'query'>): string | undefined {
  const header = one(req.headers['a2a-version'])?.trim();
  if (header) return header;
  if (!/a2a-version=/i.test(query)) return undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name.toLowerCase() === 'a2a-version' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** What the dialect's method and path add to a context. */
export interface CallFacts {
  readonly binding: BindingKind;
  readonly dialect: WireProtocol;
  readonly tenant?: string;
  readonly semantics?: CallSemantics | undefined;
  /** Whether the method streams, so that `Last-Event-ID` counts. */
  readonly streaming: boolean;
  readonly notes: ReplyNotes;
  /** Where the request and the answer are reserved. */
  readonly budget: MemoryBudget;
}

/**
 * The context of a call. Its signal aborts when the client goes away before it has its answer.
 *
 * @throws A2AError `invalidRequest` when the call has passed too many gateways
 */
export function contextOf({ req, res, requestId, agent, principal }: Exchange, facts: CallFacts): CallContext {
  const { binding, dialect, tenant = '', streaming, notes, budget } = facts;
  const context = {
    requestId,
    agent,
    tenant,
    principal,
    dialect: dialect.name,
    binding,
    notes,
    reservation: Reservation.for(res, budget, principal),
    ...contextFromHead(new RequestFacts(req), facts.semantics, streaming, principal),
  };
  return withSignal<CallContext>(context, () => goneSignal(res));
}

/** Aborts when the client goes away before it has its answer. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const judge = (): void => {
    if (!res.writableFinished) gone.abort(new A2AError('canceled'));
  };
  if (res.destroyed) judge();
  else res.on('close', judge);
  return gone.signal;
}

/** The notes of a call, whose software is noted where it matters to the dialect. */
export const newNotes = (dialect?: WireProtocol, req?: IncomingMessage): ReplyNotes => ({
  extensions: new Set(),
  losses: new Set(),
  ...(dialect?.software && { peerSoftware: { userAgent: req?.headers['user-agent'] } }),
});

/** The headers that every answer to a call has, as a flat list of names and values. */
export function answerHeaders(requestId: string, dialect: WireProtocol | undefined, notes?: ReplyNotes): string[] {
  const headers = ['X-Request-Id', requestId];
  const version = dialect?.versions[0];
  if (version !== undefined) headers.push('A2A-Version', version);
  if (notes && notes.extensions.size > 0) {
    const extensions = listHeader(notes.extensions, headerLimits.extensions);
    if (extensions !== '') {
      for (const name of dialect?.extensionHeaders ?? ['A2A-Extensions']) headers.push(name, extensions);
    }
  }
  if (notes && notes.losses.size > 0) {
    const losses = listHeader(notes.losses, headerLimits.losses);
    if (losses !== '') headers.push('A2A-Gateway-Loss', losses);
  }
  return headers;
}

/**
 * Headers that an error brings with it.
 *
 * @param challenge value of `WWW-Authenticate` in the words of a dialect, for callers who are not known
 */
export function errorHeaders(error: A2AError, challenge = error.challenge ?? 'Bearer realm="a2a-gateway"'): string[] {
  const headers: string[] = [];
  if (error.kind === 'unauthenticated') headers.push('WWW-Authenticate', challenge);
  if (error.retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))));
  return headers;
}

/** Sends a whole answer at once. Does nothing when the client is gone or an answer was begun. */
export function send(res: ServerResponse, status: number, headers: string[], mediaType: string, text: string): void {
  if (res.headersSent || res.destroyed) return;
  headers.push('Content-Type', mediaType, 'Content-Length', String(Buffer.byteLength(text)));
  res.writeHead(status, headers);
  res.end(text);
}

/** Sends an answer without a body. */
export function sendEmpty(res: ServerResponse, status: number, headers: string[]): void {
  if (res.headersSent || res.destroyed) return;
  if (status !== 204 && status !== 304) headers.push('Content-Length', '0');
  res.writeHead(status, headers);
  res.end();
}

/** The type and subtype in lower case, without parameters; undefined when the request names none. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['content-type'];
  if (given === undefined) return undefined;
  const end = given.indexOf(';');
  return (end < 0 ? given : given.slice(0, end)).trim().toLowerCase();
}

/** Whether a media type is JSON: `application/json` and whatever says `+json`. */
export const isJsonType = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^application\/[\w.-]+\+json$/.test(mediaType);

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
