import type { ServerResponse } from 'node:http';
import type { ReplyNotes } from '../../core/model/call.ts';
import type { A2AError, GrpcStatusName } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import { connectCodeOf } from '../../dialects/kernel/rpc-status.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import type { RefusedExchange } from '../http/exchange.ts';
import { answerHeaders, errorHeaders, send } from '../http/headers.ts';
import { envelope, flags } from '../rpc/envelope.ts';
import {
  headerMessage,
  metadataOf,
  packDetails,
  plainStatus,
  type StatusOfError,
  statusHeaders,
  statusOfError,
} from '../rpc/errors.ts';
import { trailersOf } from '../rpc/serve-call.ts';
import { acceptedEncodings, type ConnectFormat } from './request.ts';

/** Writes the response of one call in the format of its request. Does nothing once it has ended or the client is gone. */
export class ConnectResponse {
  /** Undefined until the request is valid. */
  notes: ReplyNotes | undefined;
  readonly #res: ServerResponse;
  readonly #requestId: string;
  readonly #format: ConnectFormat;
  readonly #dialect: WireProtocol | undefined;

  constructor({ res, requestId }: RefusedExchange, format: ConnectFormat, dialect: WireProtocol | undefined) {
    this.#res = res;
    this.#requestId = requestId;
    this.#format = format;
    this.#dialect = dialect;
  }

  get over(): boolean {
    return this.#res.writableEnded || this.#res.destroyed;
  }

  /** Sends the one message of a unary call, and ends the response. */
  value(message: Uint8Array | string): void {
    if (this.over) return;
    if (this.#format.enveloped) {
      this.begin();
      this.message(message);
      this.end();
      return;
    }
    const length = String(Buffer.byteLength(message));
    this.#res.writeHead(200, [...this.#headers(), ...this.#trailersAhead(), 'Content-Length', length]);
    this.#res.end(message);
  }

  /** Sends the headers of a stream with its first message. */
  begin(): void {
    if (this.over || this.#res.headersSent) return;
    this.#res.writeHead(200, [...this.#headers(), 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no']);
  }

  /** Sends one message of a stream. False when the caller should wait until the client has read it. */
  message(message: Uint8Array | string): boolean {
    return this.over || this.#write(envelope(typeof message === 'string' ? Buffer.from(message) : message));
  }

  end(): void {
    if (this.over) return;
    this.begin();
    if (this.#format.web) this.#write(webTrailers(['grpc-status', '0', ...this.#trailers()]));
    else this.#write(this.#endOfStream({}));
    this.#res.end();
  }

  /** Ends the response with an error, whatever was sent before. */
  fail(error: A2AError): void {
    if (this.over) return;
    const ahead = [...(error.kind === 'unimplemented' ? acceptedEncodings(this.#format) : []), ...errorHeaders(error)];
    const toStatus = this.#dialect ? this.#dialect.grpc?.encodeError : plainStatus;
    if (this.#format.web) this.#failWeb(statusHeaders(error, toStatus), ahead);
    else if (this.#format.enveloped) this.#failStream(encodeError(error, toStatus).body, ahead);
    else {
      const { status, body } = encodeError(error, toStatus);
      // Connect has 404 for what does not exist.
      const code = !this.#dialect && error.kind === 'routeNotFound' ? 404 : status;
      const headers = [...this.#ownHeaders(), ...this.#trailersAhead(), ...ahead];
      send(this.#res, code, headers, 'application/json', JSON.stringify(body));
    }
  }

  #failWeb({ 'retry-after': _, ...own }: ReturnType<typeof statusHeaders>, ahead: readonly string[]): void {
    const status = [...Object.entries(own).flat(), ...this.#trailers()];
    if (this.#res.headersSent) this.#write(webTrailers(status));
    // A response without messages has its trailers in the headers.
    else this.#res.writeHead(200, [...this.#headers(), ...ahead, ...status, 'Content-Length', '0']);
    this.#res.end();
  }

  #failStream(error: object, ahead: readonly string[]): void {
    if (!this.#res.headersSent) this.#res.writeHead(200, [...this.#headers(), ...ahead]);
    this.#write(this.#endOfStream({ error }));
    this.#res.end();
  }

  #write(bytes: Buffer): boolean {
    return this.#res.write(this.#format.text ? bytes.toString('base64') : bytes);
  }

  #ownHeaders(): string[] {
    return answerHeaders(this.#requestId, this.#dialect, this.notes);
  }

  #headers(): string[] {
    return [...this.#ownHeaders(), 'Content-Type', this.#format.mediaType];
  }

  #trailers(): readonly string[] {
    return trailersOf(this.notes);
  }

  /** Trailers of a unary call, whose headers contain them. */
  #trailersAhead(): readonly string[] {
    return this.notes?.trailers?.map((text, at) => (at % 2 === 0 ? `trailer-${text}` : text)) ?? [];
  }

  #endOfStream(outcome: object): Buffer {
    const metadata = Object.entries(metadataOf(this.#trailers())).map(([name, values]) => [name, [values].flat()]);
    const end = metadata.length === 0 ? outcome : { ...outcome, metadata: Object.fromEntries(metadata) };
    return envelope(Buffer.from(JSON.stringify(end)), flags.connectEnd);
  }
}

/** Trailers as the last message of a gRPC-Web body. */
function webTrailers(entries: readonly string[]): Buffer {
  let text = '';
  for (let i = 0; i < entries.length; i += 2) text += `${entries[i]}: ${entries[i + 1]}\r\n`;
  return envelope(Buffer.from(text), flags.webTrailers);
}

/** HTTP statuses of unary calls by code. Default: 500. */
const httpStatuses: Readonly<Partial<Record<GrpcStatusName, number>>> = {
  CANCELLED: 499,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};

/** The body for an error in Connect's JSON, `{ code, message, details: [{ type, value }] }`, and its HTTP status. */
function encodeError(error: A2AError, toStatus: StatusOfError = statusOfError) {
  const { status, message, details: packed = packDetails(error) } = toStatus(error);
  const details = packed.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value: trimEnd(Buffer.from(value).toString('base64'), '='),
  }));
  const body = { code: connectCodeOf(status), message: headerMessage(message), details };
  return { status: httpStatuses[status] ?? 500, body };
}
