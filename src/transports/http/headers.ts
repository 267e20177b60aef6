import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallContext, Replay, ReplyNotes } from '../../core/call.ts';
import { A2AError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { Exchange } from './exchange.ts';

/** What request headers say of a call, and what response headers tell of its answer. */

/** A gateway that calls a gateway that calls a gateway: more is a circle. */
const maxHops = 8;

const none: readonly string[] = [];

const one = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'object' ? header.join(', ') : header;

/** The request's own id where it has a usable one, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.~:-]{1,128}$/.test(given) ? given : newId();
}

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

/** URIs under the header's v1 name and under that of 0.3. */
function extensionsOf({ headers }: IncomingMessage): readonly string[] {
  const now = one(headers['a2a-extensions']);
  const before = one(headers['x-a2a-extensions']);
  if (now === undefined && before === undefined) return none;
  const uris = `${now ?? ''},${before ?? ''}`.split(',').map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}

/** Position after which a stream is taken up again; what is no position is as good as none. */
function replayOf({ headers }: IncomingMessage): Replay | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? { after: Number(id) } : undefined;
}

function hopsOf({ headers }: IncomingMessage): number {
  const given = one(headers['a2a-hops']);
  if (given === undefined) return 0;
  const hops = Number(given);
  if (!Number.isInteger(hops) || hops < 0) return 0;
  if (hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  return hops;
}

/** What the dialect's method and path add to a context. */
export interface CallFacts {
  readonly dialect: Dialect;
  readonly tenant?: string;
  /** What the method itself implies. */
  readonly replay?: Replay | undefined;
  /** Whether the method streams, so that `Last-Event-ID` counts. */
  readonly streaming: boolean;
  readonly notes: ReplyNotes;
}

/**
 * The context of a call. Its signal aborts when the client goes away before it has its answer.
 *
 * @throws A2AError `invalidRequest` when the call has passed too many gateways
 */
export function contextOf({ req, res, requestId, agent, principal }: Exchange, facts: CallFacts): CallContext {
  const { dialect, tenant = '', streaming, notes } = facts;
  const { headers } = req;
  const gone = new AbortController();
  res.on('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  const replay = facts.replay ?? (streaming ? replayOf(req) : undefined);
  const context: { -readonly [K in keyof CallContext]: CallContext[K] } = {
    requestId,
    agent,
    tenant,
    principal,
    dialect: dialect.name,
    tasksOnly: dialect.tasksOnly,
    extensions: extensionsOf(req),
    signal: gone.signal,
    hops: hopsOf(req),
    notes,
  };
  const idempotencyKey = one(headers['idempotency-key']);
  const traceparent = one(headers.traceparent);
  if (idempotencyKey !== undefined) context.idempotencyKey = idempotencyKey;
  if (traceparent !== undefined) context.traceparent = traceparent;
  if (replay !== undefined) context.replay = replay;
  return context;
}

export const newNotes = (): ReplyNotes => ({ extensions: new Set(), losses: new Set() });

/** What may stand in a list in a header: visible ASCII without the comma that separates. */
const headerSafe = /^[\x21-\x2b\x2d-\x7e]+$/;

function listHeader(values: ReadonlySet<string>, max: number): string {
  let text = '';
  for (const value of values) {
    if (!headerSafe.test(value) || text.length + value.length + 2 > max) continue;
    text += text === '' ? value : `, ${value}`;
  }
  return text;
}

/** The headers that every answer to a call has, as a flat list of names and values. */
export function answerHeaders(requestId: string, dialect: Dialect | undefined, notes?: ReplyNotes): string[] {
  const headers = ['X-Request-Id', requestId];
  const version = dialect?.versions[0];
  if (version !== undefined) headers.push('A2A-Version', version);
  if (notes && notes.extensions.size > 0) {
    const extensions = listHeader(notes.extensions, 4_096);
    if (extensions !== '') headers.push('A2A-Extensions', extensions);
  }
  if (notes && notes.losses.size > 0) {
    const losses = listHeader(notes.losses, 1_024);
    if (losses !== '') headers.push('A2A-Gateway-Loss', losses);
  }
  return headers;
}

/** Headers that an error brings with it. */
export function errorHeaders({ kind, retryAfter }: A2AError): string[] {
  const headers: string[] = [];
  if (kind === 'unauthenticated') headers.push('WWW-Authenticate', 'Bearer realm="a2a-gateway"');
  if (retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
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
