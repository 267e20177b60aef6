import { isUtf8 } from 'node:buffer';
import { getHeapStatistics } from 'node:v8';
import { answerCounts } from '../../core/limits/counts.ts';
import { isLarge } from '../../core/limits/loop-turns.ts';
import { A2AError, type GrpcStatusName, kindsWithStatus501 } from '../../core/model/errors.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import type { Salvaging } from '../../dialects/kernel/codec.ts';
import { isA2AError, kindsByStatus } from '../../dialects/kernel/errors.ts';
import { nameLostDigits } from '../../dialects/kernel/number-losses.ts';
import type { AvailableBody, HttpAnswer } from '../../net/http-exchange.ts';
import { tooLarge } from '../../net/network-errors.ts';
import { type AnswerFacts, withFacts } from '../../net/nothing-ran.ts';
import { requestedWait } from '../../net/retry.ts';
import { hide, secretsIn, secretsInQuery } from '../../net/secret.ts';
import { excessiveAnswer } from '../../wire/counts.ts';
import { parseJsonText } from '../../wire/json.ts';
import { excessIn, excessInLarge, parsedSize, parseJson, parseLargeJson } from '../../wire/json-body.ts';
import { type BodyForm, FrameReader, formOf } from './frame-reader.ts';

/** Reads the body of an answer that is not a stream, and converts its faults to errors. */

/** An answer, and the request that it answers. */
export interface ReceivedResponse {
  readonly answer: HttpAnswer;
  readonly url: URL;
  /** Headers of the request that may contain credentials. */
  readonly sentHeaders: Readonly<Record<string, string>>;
}

export interface ResponseBody {
  /** The parsed JSON. Undefined if the body is not JSON. */
  readonly json: unknown;
  readonly isEmpty: boolean;
  /** The start of the body in one line, without the credentials of the request; '' for an empty body. */
  quote(): string;
}

/** Deepest nesting of an answer: that of a request, with the envelopes around it. */
export const maxDepth = 72;

/** Bytes that are read of a body that is not JSON, and milliseconds for them. */
const preview = { bytes: 4_096, milliseconds: 1_000 } as const;
/** Characters that are quoted of a body. */
const maxQuote = 200;

const isJson = (mediaType: string): boolean => mediaType === 'application/json' || mediaType.endsWith('+json');

/** Whether a body of this type is read whole: JSON, and the default types of servers whose programs set none. */
const mayBeJson = (mediaType: string): boolean => isJson(mediaType) || mediaType === '' || mediaType === 'text/plain';

/** Bytes that an answer, or an event, may take in memory once it is parsed. */
const largestParsed = getHeapStatistics().heap_size_limit / 8;
/** Largest number of bytes with which an answer never takes too much memory. */
const small = 1_048_576;

/** @throws A2AError `invalidAgentResponse` for JSON with so many small values that it would take too much memory */
export function requireRoomFor(bytes: number, parsedBytes: () => number): void {
  if (bytes <= small) return;
  const inMemory = parsedBytes();
  if (inMemory <= largestParsed) return;
  const message = `The agent's answer of ${bytes} bytes would take about ${inMemory} bytes in memory, more than an eighth of the heap`;
  throw new A2AError('invalidAgentResponse', message);
}

/**
 * Reads the body. It is JSON if it can be parsed, regardless of its content type: PHP sends `text/html` by default. A list of one
 * object, as Google's transcoding writes it, counts as that object. A body that breaks off counts as whole if its JSON is
 * complete.
 *
 * @param limit largest number of bytes of the body
 * @param salvage mends JSON that would be refused otherwise
 * @throws A2AError `invalidAgentResponse` for an answer that claims to be JSON and is not
 */
export async function readBody(
  received: ReceivedResponse,
  limit: number,
  salvage?: Salvaging | undefined,
): Promise<ResponseBody> {
  const { answer } = received;
  const { status, mediaType } = answer;
  const { bytes, failure } = mayBeJson(mediaType)
    ? await answer.readAvailable(limit)
    : await readUnclaimed(answer, limit);
  if (failure && status < 400 && (bytes.length === 0 || !isBreak(failure))) throw failure;
  if (bytes.length === 0) return bodyOf(received, bytes, undefined);
  requireRoomFor(bytes.length, () => parsedSize(bytes));
  const excess = await excessInLarge(bytes, answerCounts);
  if (excess) throw excessiveAnswer(excess);
  try {
    const json = isLarge(bytes.length) ? await parseLargeJson(bytes, maxDepth) : parseJson(bytes, maxDepth);
    nameLostDigits(json, salvage);
    return bodyOf(received, bytes, unwrapped(json));
  } catch (thrown) {
    const json = jsonBeneath(answer, bytes, salvage);
    if (json === undefined && status < 400) {
      if (failure) throw failure;
      if (isJson(mediaType)) throw notParsed(received, bytes, thrown);
    }
    return bodyOf(received, bytes, unwrapped(json));
  }
}

/** Whether a body ended early because of the connection or the server, and not because the caller has left. */
const isBreak = ({ kind }: A2AError): boolean => kind !== 'canceled' && kind !== 'deadlineExceeded';

/** Returns the item of a list of one, or the value of a text that is JSON itself. */
function unwrapped(json: unknown): unknown {
  if (Array.isArray(json)) return json.length === 1 ? json[0] : json;
  return typeof json === 'string' ? (parsedText(json) ?? json) : json;
}

/**
 * JSON text as a value; undefined for any other text.
 *
 * @param salvage mends JSON that would be refused otherwise
 * @throws A2AError `invalidAgentResponse` for JSON that exceeds the limits
 */
export function parsedText(text: string, salvage?: Salvaging): unknown {
  const excess = excessIn(text, answerCounts);
  if (excess) throw excessiveAnswer(excess);
  try {
    return parseJsonText(text, maxDepth);
  } catch (thrown) {
    return salvage && mended(salvage, text, thrown);
  }
}

function mended(salvage: Salvaging, text: string, refused: unknown): unknown {
  try {
    return salvage.mend(text, maxDepth, refused);
  } catch {
    return undefined;
  }
}

/** Mends JSON that was refused. Throws `invalidAgentResponse` if it cannot or must not be mended. */
export function mendJson(salvage: Salvaging | undefined, text: string, refused: unknown): unknown {
  return decodeResponse(() => {
    if (!salvage) throw refused;
    return salvage.mend(text, maxDepth, refused);
  });
}

/** JSON in a body in another form: in another encoding than UTF-8, or within an event stream. */
function jsonBeneath({ headers, mediaType }: HttpAnswer, bytes: Buffer, salvage?: Salvaging): unknown {
  const text = textOf(bytes, headers['content-type']);
  if (formOf(text) !== 'events') return parsedText(text, salvage);
  const reader = new FrameReader(text.length, mediaType);
  const frames = [...reader.push(Buffer.from(text)), ...reader.end()];
  return frames.map(({ data }) => parsedText(data)).find((json) => json !== undefined);
}

/**
 * The text of a body. It is UTF-16 if it has a byte order mark, or zeros next to its first character, which is a bracket in JSON;
 * otherwise its content type names the encoding. Bytes that cannot be decoded become U+FFFD.
 */
function textOf(bytes: Buffer, contentType = ''): string {
  const [first = 0, second = 0] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return decoderOf('utf-16le').decode(bytes);
  if ((first === 0xfe && second === 0xff) || first === 0) return decoderOf('utf-16be').decode(bytes);
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType) ?? [];
  return decoderOf(isUtf8(bytes) ? 'utf-8' : charset).decode(bytes);
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder();
  }
}

/** The body of a type other than JSON: all of it if it begins like JSON, otherwise its beginning, for the error. */
async function readUnclaimed(answer: HttpAnswer, limit: number): Promise<AvailableBody> {
  let timer: NodeJS.Timeout | undefined;
  const limitTime = (): void => {
    timer ??= setTimeout(() => answer.discard(), preview.milliseconds);
  };
  if (answer.status >= 400) limitTime();
  const parts: Uint8Array[] = [];
  let size = 0;
  let form: BodyForm | undefined;
  let failure: A2AError | undefined;
  try {
    for await (const chunk of answer.chunks()) {
      parts.push(chunk);
      size += chunk.length;
      form ??= formOf(Buffer.concat(parts).toString('latin1', 0, preview.bytes));
      if (form !== undefined && form !== 'other') clearTimeout(timer);
      else if (form !== undefined) limitTime();
      if (size > limit || (form === 'other' && size >= preview.bytes)) break;
    }
  } catch (thrown) {
    // Other bodies are quoted as far as they have arrived. The status decides.
    if (form !== 'other') failure = A2AError.from(thrown);
  } finally {
    clearTimeout(timer);
  }
  if (form !== 'other' && size > limit) throw tooLarge(limit);
  return { bytes: Buffer.concat(parts), failure };
}

/** A body whose JSON was already read. */
export const bodyFromText = (received: ReceivedResponse, text: string, json: unknown): ResponseBody =>
  bodyOf(received, Buffer.from(text.slice(0, preview.bytes)), json);

const bodyOf = ({ answer, sentHeaders, url }: ReceivedResponse, bytes: Buffer, json: unknown): ResponseBody => ({
  json,
  isEmpty: bytes.length === 0,
  quote() {
    const text = hide(bytes.toString('utf8', 0, preview.bytes), [...secretsIn(sentHeaders), ...secretsInQuery(url)]);
    return quoted(answer.mediaType === 'text/html' ? textOfPage(text) : text);
  },
});

/** The start of a text in one line. */
export function quoted(text: string): string {
  const line = text.replace(/[\p{C}\s\uFFFD]+/gu, ' ').trim();
  return line.length > maxQuote ? `${line.slice(0, maxQuote)}…` : line;
}

/** A page without its tags, and without the text that browsers do not show. */
function textOfPage(html: string): string {
  const [first = '', ...pieces] = html.split('<');
  let text = first;
  /** The comment or element that contains the next piece. */
  let hidden: string | undefined;
  for (const piece of pieces) {
    const opened = hidden === undefined ? hiddenBy(piece) : undefined;
    hidden ??= opened;
    const end = hidden === undefined ? endOfTag(piece) : endOfHidden(hidden, piece, opened?.length ?? 0);
    if (end === undefined) continue;
    hidden = undefined;
    text += ` ${piece.slice(end)}`;
  }
  return text.replaceAll('&nbsp;', ' ');
}

const comment = '!--';

/** The comment, or the element without text, that begins after a `<`. */
const hiddenBy = (piece: string): string | undefined =>
  piece.startsWith(comment) ? comment : /^(?:script|style|svg)\b/i.exec(piece)?.[0].toLowerCase();

const endOfTag = (piece: string): number => piece.indexOf('>') + 1 || piece.length;

/** Returns the end of a comment or an element in a piece that begins after a `<`; undefined if it goes on. */
function endOfHidden(hidden: string, piece: string, from: number): number | undefined {
  if (hidden === comment) {
    const end = piece.indexOf('-->', from);
    return end < 0 ? undefined : end + '-->'.length;
  }
  const [tag, name] = /^\/(\w+)\s*>/.exec(piece) ?? [];
  return name?.toLowerCase() === hidden ? tag?.length : undefined;
}

/** Describes an answer for errors: its content type, or that it has no body. */
function formIn({ mediaType, status }: HttpAnswer, { isEmpty }: Pick<ResponseBody, 'isEmpty'>): string {
  if (isEmpty) return `HTTP ${status} and an empty body`;
  return mediaType === '' ? 'something without a content type' : mediaType;
}

/** The error for an answer that is not JSON. */
export function notJson({ answer, url }: ReceivedResponse, body: ResponseBody): A2AError {
  const what = formIn(answer, body);
  return new A2AError('invalidAgentResponse', `${shownUrl(url)} answered with ${what} instead of JSON${quoteOf(body)}`);
}

/** The error for a body that claims to be JSON. */
function notParsed(received: ReceivedResponse, bytes: Buffer, thrown: unknown): A2AError {
  const { message, cause } = decodingError(thrown);
  const body = bodyOf(received, bytes, undefined);
  return new A2AError('invalidAgentResponse', `${message}${quoteOf(body)}`, { cause });
}

/** The error for an HTTP status of 400 or more, for bodies without an A2A error. @param rpcStatus its status over Connect */
export function errorByStatus(
  { answer, url }: ReceivedResponse,
  body: ResponseBody,
  rpcStatus?: GrpcStatusName,
): A2AError {
  const kind = kindsByStatus[answer.status] ?? 'invalidAgentResponse';
  const type = answer.mediaType === 'text/html' ? ' with text/html' : '';
  const error = new A2AError(kind, `${shownUrl(url)} answered HTTP ${answer.status}${type}${quoteOf(body)}`, {
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

/**
 * An error from an answer's body, made more specific by its status and headers: in JSON-RPC, refused credentials, rate
 * limits and others share one code, and only a header says when to retry.
 */
export function refineByStatus(error: A2AError, answer: HttpAnswer): A2AError {
  const byStatus = kindsByStatus[answer.status];
  const isVague = error.kind === 'internal' || error.row.jsonrpc === -32000;
  const specific = answer.status === 501 ? kindsWithStatus501[error.kind] : undefined;
  const kind = specific ?? (isVague && byStatus !== undefined ? byStatus : error.kind);
  const retry = retryAfterOf(answer);
  if (kind === error.kind && retry.retryAfter === undefined) return error;
  const { violations, metadata, message, extraDetails: details, retryAfter } = error;
  return new A2AError(kind, message, { violations, metadata, details, retryAfter, ...retry });
}

function retryAfterOf({ headers }: HttpAnswer): { retryAfter?: number } {
  const wait = requestedWait(headers['retry-after']);
  return wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1_000) };
}

/** Decodes data from the agent. Errors that would be the caller's fault in a request are the agent's fault here. */
export function decodeResponse<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw decodingError(thrown);
  }
}

/** The error of a response that cannot be decoded. Errors about requests become errors of the agent. */
export function decodingError(thrown: unknown): A2AError {
  const error = A2AError.from(thrown);
  if (error.kind !== 'invalidParams' && error.kind !== 'parse' && error.kind !== 'invalidRequest') return error;
  return new A2AError('invalidAgentResponse', `The server's answer is not valid: ${error.message}`, { cause: error });
}
