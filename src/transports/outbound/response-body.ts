import { getHeapStatistics } from 'node:v8';
import { isLarge } from '../../core/limits/loop-turns.ts';
import { A2AError, type ErrorKind, type GrpcStatusName } from '../../core/model/errors.ts';
import type { Salvaging } from '../../dialects/kernel/codec.ts';
import { isA2AError, kindsByStatus } from '../../dialects/kernel/errors.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { type AnswerFacts, withFacts } from '../../net/nothing-ran.ts';
import { hide, secretsIn } from '../../net/secret.ts';
import { parsedSize, parseJson, parseLargeJson } from '../../wire/json-body.ts';

/** Reads the body of an answer that is not a stream, and converts what is wrong with it to errors. */

/** An answer, and the request that it answers. */
export interface ReceivedResponse {
  readonly answer: HttpAnswer;
  readonly url: URL;
  /** Headers of the request that may contain credentials. */
  readonly sentHeaders: Readonly<Record<string, string>>;
}

export interface ResponseBody {
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
  readonly isEmpty: boolean;
  /** The start of the body in one line, without the credentials of the request; '' for an empty body. */
  quote(): string;
}

/** Deepest nesting of an answer: that of a request, and the envelopes around it. */
export const maxDepth = 72;

/** Bytes that are read of a body that is not JSON, and milliseconds for them. */
const preview = { bytes: 4_096, milliseconds: 1_000 } as const;
/** Characters that are quoted of a body. */
const maxQuote = 200;

const isJson = (mediaType: string): boolean => mediaType === 'application/json' || mediaType.endsWith('+json');

/** Bytes that an answer, or an event, may take in memory once it is parsed. */
const largestParsed = getHeapStatistics().heap_size_limit / 8;
/** Up to so many bytes no answer takes too much memory. */
const small = 1_048_576;

/** @throws A2AError `invalidAgentResponse` for JSON of so many small values that it would take too much memory */
export function requireRoomFor(bytes: number, parsedBytes: () => number): void {
  if (bytes <= small) return;
  const inMemory = parsedBytes();
  if (inMemory <= largestParsed) return;
  const message = `The agent's answer of ${bytes} bytes would take about ${inMemory} bytes in memory, more than an eighth of the heap`;
  throw new A2AError('invalidAgentResponse', message);
}

/**
 * Reads the body. It is JSON by its content type. Where that is absent or `text/plain`, which servers in Go send by default,
 * or where the status is an error, it is JSON if it can be parsed.
 *
 * @param limit bytes of the body
 * @param salvage mends JSON that is refused otherwise
 * @throws A2AError `invalidAgentResponse` for an answer that claims to be JSON and is not
 */
export async function readBody(
  received: ReceivedResponse,
  limit: number,
  salvage?: Salvaging | undefined,
): Promise<ResponseBody> {
  const { status, mediaType } = received.answer;
  const claimed = isJson(mediaType);
  if (!claimed && mediaType !== '' && mediaType !== 'text/plain') {
    return bodyOf(received, await startOf(received.answer), undefined);
  }
  const bytes = await received.answer.read(limit);
  if (bytes.length === 0) return bodyOf(received, bytes, undefined);
  requireRoomFor(bytes.length, () => parsedSize(bytes));
  try {
    const json = isLarge(bytes.length) ? await parseLargeJson(bytes, maxDepth) : parseJson(bytes, maxDepth);
    return bodyOf(received, bytes, json);
  } catch (thrown) {
    if (claimed && status < 400) return bodyOf(received, bytes, mendJson(salvage, bytes.toString('utf8'), thrown));
    return bodyOf(received, bytes, undefined);
  }
}

/** Mends JSON that was refused. Throws `invalidAgentResponse` where it cannot be mended, or is not to be. */
export function mendJson(salvage: Salvaging | undefined, text: string, refused: unknown): unknown {
  return decodeResponse(() => {
    if (!salvage) throw refused;
    return salvage.mend(text, maxDepth, refused);
  });
}

const bodyOf = ({ answer, sentHeaders }: ReceivedResponse, bytes: Buffer, json: unknown): ResponseBody => ({
  json,
  isEmpty: bytes.length === 0,
  quote() {
    const text = hide(bytes.toString('utf8', 0, preview.bytes), secretsIn(sentHeaders));
    const visible = answer.mediaType === 'text/html' ? text.replace(/<[^<>]*>/g, ' ') : text;
    const line = visible.replace(/[\p{C}\s\uFFFD]+/gu, ' ').trim();
    return line.length > maxQuote ? `${line.slice(0, maxQuote)}…` : line;
  },
});

/** The part of a body that arrives at once. */
async function startOf(answer: HttpAnswer): Promise<Buffer> {
  const timer = setTimeout(() => answer.discard(), preview.milliseconds);
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.chunks()) {
      parts.push(chunk);
      size += chunk.length;
      if (size >= preview.bytes) break;
    }
  } catch {
    // A body that breaks off is quoted as far as it arrived. The status decides.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(parts);
}

/** The error for an answer that is not JSON. */
export function notJson({ answer, url }: ReceivedResponse, body: ResponseBody): A2AError {
  const type = answer.mediaType === '' ? 'something without a content type' : answer.mediaType;
  return new A2AError('invalidAgentResponse', `${url.href} answered with ${type} instead of JSON${quoteOf(body)}`);
}

/** The error for an HTTP status of 400 or more, for bodies without an A2A error. @param rpcStatus its status over Connect */
export function errorByStatus(
  { answer, url }: ReceivedResponse,
  body: ResponseBody,
  rpcStatus?: GrpcStatusName,
): A2AError {
  const kind = kindsByStatus[answer.status] ?? 'invalidAgentResponse';
  const error = new A2AError(kind, `${url.href} answered HTTP ${answer.status}${quoteOf(body)}`, {
    ...retryAfterOf(answer),
    rpcStatus,
  });
  return withFacts(error, httpFacts(answer, isA2AError(body.json)));
}

/** The facts about an answer with an error status. @param isA2A whether its body holds an error of A2A */
export const httpFacts = ({ status, headers }: HttpAnswer, isA2A: boolean): AnswerFacts => ({
  http: status,
  isA2A,
  challenges: headers['www-authenticate'] !== undefined,
});

function quoteOf(body: ResponseBody): string {
  const quote = body.quote();
  return quote === '' ? '' : `: ${quote}`;
}

/** What the codes of the knowledge graph extension mean with HTTP 501: they say as well that a query failed. */
const languageKinds: Readonly<Partial<Record<ErrorKind, ErrorKind>>> = {
  knowledgeQuery: 'queryLanguageNotSupported',
  knowledgeSubscription: 'subscriptionLanguageNotSupported',
};

/**
 * An error from an answer's body, made more specific by its status and headers: in JSON-RPC, refused credentials, rate
 * limits and others share one code, and only a header says when to retry.
 */
export function refineByStatus(error: A2AError, answer: HttpAnswer): A2AError {
  const byStatus = kindsByStatus[answer.status];
  const isVague = error.kind === 'internal' || error.row.jsonrpc === -32000;
  const specific = answer.status === 501 ? languageKinds[error.kind] : undefined;
  const kind = specific ?? (isVague && byStatus !== undefined ? byStatus : error.kind);
  const retry = retryAfterOf(answer);
  if (kind === error.kind && retry.retryAfter === undefined) return error;
  const { violations, metadata, message } = error;
  return new A2AError(kind, message, { violations, metadata, ...retry });
}

function retryAfterOf({ headers }: HttpAnswer): { retryAfter?: number } {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfter: seconds } : {};
}

/** Decodes something that the agent sent. Errors that would be the caller's fault in a request are the agent's fault here. */
export function decodeResponse<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw decodingError(thrown);
  }
}

/** The error of a response that cannot be decoded: what is said of requests is the agent's fault here. */
export function decodingError(thrown: unknown): A2AError {
  const error = A2AError.from(thrown);
  if (error.kind !== 'invalidParams' && error.kind !== 'parse' && error.kind !== 'invalidRequest') return error;
  return new A2AError('invalidAgentResponse', `The server's answer is not valid: ${error.message}`, { cause: error });
}
