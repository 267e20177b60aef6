import type { ServerResponse } from 'node:http';
import type { ReplyNotes } from '../../core/model/call.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { answerHeaders, errorHeaders, send } from '../http/headers.ts';
import { envelope, flags } from '../rpc/envelope.ts';
import { statusHeaders } from '../rpc/errors.ts';
import { encodeError } from './error.ts';
import type { WireFormat } from './wire-format.ts';

/** Writes the response of one call in the format of its request. Does nothing once the response has ended or the client is gone. */
export class ConnectResponse {
  readonly #res: ServerResponse;
  readonly #format: WireFormat;
  readonly #requestId: string;
  readonly #dialect: WireProtocol | undefined;
  notes: ReplyNotes | undefined;

  constructor(res: ServerResponse, format: WireFormat, requestId: string, dialect: WireProtocol | undefined) {
    this.#res = res;
    this.#format = format;
    this.#requestId = requestId;
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
    this.#res.writeHead(200, [...this.#headers(), 'Content-Length', String(Buffer.byteLength(message))]);
    this.#res.end(message);
  }

  /** Sends the headers of a stream with its first message. */
  begin(): void {
    if (this.over || this.#res.headersSent) return;
    this.#res.writeHead(200, [...this.#headers(), 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no']);
  }

  /** Sends the headers of a stream whose first message may take long. */
  beginAtOnce(): void {
    this.begin();
    if (!this.over) this.#res.flushHeaders();
  }

  /** Sends one message of a stream. False when the caller should wait until the client has read it. */
  message(message: Uint8Array | string): boolean {
    if (this.over) return true;
    return this.#write(envelope(typeof message === 'string' ? Buffer.from(message) : message));
  }

  end(): void {
    if (this.over) return;
    this.begin();
    if (this.#format.web) this.#write(webTrailers(['grpc-status', '0']));
    else this.#write(envelope(Buffer.from('{}'), flags.connectEnd));
    this.#res.end();
  }

  /** Ends the response with an error, whatever was sent before. */
  fail(error: A2AError): void {
    if (this.over) return;
    const format = this.#format;
    const begun = this.#res.headersSent;
    const toStatus = this.#dialect?.grpc?.encodeError;
    if (format.web) {
      const { 'retry-after': _, ...headers } = statusHeaders(error, toStatus);
      const status = Object.entries(headers).flat();
      if (begun) {
        this.#write(webTrailers(status));
        this.#res.end();
      } else {
        // A response without messages has its trailers in the headers.
        this.#res.writeHead(200, [...this.#headers(), ...errorHeaders(error), ...status, 'Content-Length', '0']);
        this.#res.end();
      }
    } else if (format.enveloped) {
      if (!begun) this.#res.writeHead(200, [...this.#headers(), ...errorHeaders(error)]);
      this.#write(
        envelope(Buffer.from(JSON.stringify({ error: encodeError(error, toStatus).body })), flags.connectEnd),
      );
      this.#res.end();
    } else {
      const headers = [...answerHeaders(this.#requestId, this.#dialect, this.notes), ...errorHeaders(error)];
      const { status, body } = encodeError(error, toStatus);
      send(this.#res, status, headers, 'application/json', JSON.stringify(body));
    }
  }

  #headers(): string[] {
    return [...answerHeaders(this.#requestId, this.#dialect, this.notes), 'Content-Type', this.#format.mediaType];
  }

  #write(bytes: Buffer): boolean {
    return this.#res.write(this.#format.text ? bytes.toString('base64') : bytes);
  }
}

/** Trailers as the last message of a gRPC-Web body. */
function webTrailers(entries: readonly string[]): Buffer {
  let text = '';
  for (let i = 0; i < entries.length; i += 2) text += `${entries[i]}: ${entries[i + 1]}\r\n`;
  return envelope(Buffer.from(text), flags.webTrailers);
}
