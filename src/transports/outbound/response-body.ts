import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { hide, secretsIn } from '../../net/secret.ts';
import { parseJson } from '../../wire/json.ts';

/** Reading the body of an answer that is not a stream, and telling what is wrong with it. */

/** An answer, and the request that it answers. */
export interface ReceivedResponse {
  readonly answer: HttpAnswer;
  readonly url: URL;
  /** Headers of the request that may hold credentials. */
  readonly sentHeaders: Readonly<Record<string, string>>;
}

/** The body of an answer. */
export interface ResponseBody {
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
  readonly isEmpty: boolean;
  /** The start of the body in one line, without the credentials of the request; '' for an empty body. */
  quote(): string;
}

/** How deeply an answer may be nested: what may be sent, and the wrappings around it. */
export const maxDepth = 72;

/** Bytes that are looked at of a body that is not JSON, and characters that are quoted of any body. */
const looked = 4_096;
const quoted = 200;
/** Milliseconds that the start of a body may take that is read for the quotation alone. */
const patience = 1_000;

/** Whether a media type is JSON. */
const isJson = (mediaType: string): boolean => mediaType === 'application/json' || mediaType.endsWith('+json');

/** Types of answers that say nothing: a server in Go that sets no type sends `text/plain`. */
const vague: ReadonlySet<string> = new Set(['', 'text/plain']);

/**
 * Reads the body. It is JSON by its content type; where that is absent or `text/plain`, or where the status tells of an
 * error anyway, by trying.
 *
 * @param limit bytes of a body that is read whole
 * @throws A2AError `invalidAgentResponse` for an answer that claims to be JSON and is not
 */
export async function readBody(received: ReceivedResponse, limit: number): Promise<ResponseBody> {
  const { answer } = received;
  const claimed = isJson(answer.mediaType);
  if (!claimed && !vague.has(answer.mediaType)) return bodyOf(received, await startOf(answer), undefined);
  const bytes = await answer.read(limit);
  if (claimed && answer.status < 400 && bytes.length > 0) return bodyOf(received, bytes, parsed(bytes));
  try {
    return bodyOf(received, bytes, bytes.length > 0 ? parseJson(bytes, maxDepth) : undefined);
  } catch {
    return bodyOf(received, bytes, undefined);
  }
}

const parsed = (bytes: Buffer): unknown => decodeResponse(() => parseJson(bytes, maxDepth));

const bodyOf = ({ answer, sentHeaders: shown }: ReceivedResponse, bytes: Buffer, json: unknown): ResponseBody => ({
  json,
  isEmpty: bytes.length === 0,
  quote() {
    const text = hide(bytes.toString('utf8', 0, looked), secretsIn(shown));
    const plain = answer.mediaType === 'text/html' ? text.replace(/<[^<>]*>/g, ' ') : text;
    const line = plain.replace(/[\p{C}\s\uFFFD]+/gu, ' ').trim();
    return line.length > quoted ? `${line.slice(0, quoted)}…` : line;
  },
});

/** What comes at once of a body. A body that breaks off or does not end tells as much as has come of it. */
async function startOf(answer: HttpAnswer): Promise<Buffer> {
  const timer = setTimeout(() => answer.discard(), patience);
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.chunks()) {
      parts.push(chunk);
      size += chunk.length;
      if (size >= looked) break;
    }
  } catch {
    // The status says what matters.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(parts);
}

/** Kinds by HTTP status, for answers that say no more than that. */
const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'permissionDenied',
  404: 'routeNotFound',
  405: 'verbNotAllowed',
  408: 'requestTimeout',
  413: 'payloadTooLarge',
  415: 'contentTypeNotSupported',
  429: 'tooManyRequests',
  502: 'upstreamUnreachable',
  503: 'unavailable',
  504: 'upstreamTimeout',
};

/** What came where JSON should have been, as an error. */
export function notJson({ answer, url }: ReceivedResponse, body: ResponseBody): A2AError {
  const what = answer.mediaType === '' ? 'something without a content type' : answer.mediaType;
  return new A2AError('invalidAgentResponse', `${url.href} answered with ${what} instead of JSON${said(body)}`);
}

/** What an HTTP status of 400 or more means when the body does not tell. */
export function errorByStatus({ answer, url }: ReceivedResponse, body: ResponseBody): A2AError {
  const kind = kindsByStatus[answer.status] ?? 'invalidAgentResponse';
  return new A2AError(kind, `${url.href} answered HTTP ${answer.status}${said(body)}`, retryAfterOf(answer));
}

function said(body: ResponseBody): string {
  const quote = body.quote();
  return quote === '' ? '' : `: ${quote}`;
}

/**
 * An error that the agent's body told, made exact by the answer around it: the codes for "who are you", "slow down" and
 * their like are one number in JSON-RPC, and only a header says when to try again.
 */
export function refineByStatus(error: A2AError, answer: HttpAnswer): A2AError {
  const byStatus = kindsByStatus[answer.status];
  const vagueError = error.kind === 'internal' || error.row.jsonrpc === -32000;
  const kind = vagueError && byStatus !== undefined ? byStatus : error.kind;
  const { violations, metadata, message } = error;
  const told = retryAfterOf(answer);
  if (kind === error.kind && told.retryAfter === undefined) return error;
  return new A2AError(kind, message, { violations, metadata, ...told });
}

function retryAfterOf({ headers }: HttpAnswer): { retryAfter?: number } {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds } : {};
}

/**
 * Reads something that the agent sent. What does not fit is the agent's fault, whatever it is called where requests are
 * read: `invalidAgentResponse`.
 */
export function decodeResponse<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (error.kind !== 'invalidParams' && error.kind !== 'parse' && error.kind !== 'invalidRequest') throw error;
    throw new A2AError('invalidAgentResponse', `The agent's answer is not valid: ${error.message}`, { cause: error });
  }
}
