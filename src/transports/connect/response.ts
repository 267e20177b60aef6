import type { ServerResponse } from 'node:http';
import type { ReplyNotes } from '../../core/model/call.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import { answerHeaders, errorHeaders, send } from '../http/headers.ts';
import { statusHeaders } from '../rpc/errors.ts';
import { envelope, flags } from './envelope.ts';
import { encodeError } from './error.ts';
import type { WireFormat } from './wire-format.ts';

/** Writes the answer of one call in the shape of its request. Once it is over, or the client gone, it does nothing. */
export class ConnectResponse {
  readonly #res: ServerResponse;
  readonly #shape: WireFormat;
  readonly #requestId: string;
  readonly #dialect: WireProtocol | undefined;
  notes: ReplyNotes | undefined;

  constructor(res: ServerResponse, shape: WireFormat, requestId: string, dialect: WireProtocol | undefined) {
    this.#res = res;
    this.#shape = shape;
    this.#requestId = requestId;
    this.#dialect = dialect;
  }

  get over(): boolean {
    return this.#res.writableEnded || this.#res.destroyed;
  }

  /** The one message of a unary call, and the end. */
  value(message: Uint8Array | string): void {
    if (this.over) return;
    if (this.#shape.enveloped) {
      this.begin();
      this.message(message);
      this.end();
      return;
    }
    this.#res.writeHead(200, [...this.#headers(), 'Content-Length', String(Buffer.byteLength(message))]);
    this.#res.end(message);
  }

  /** The headers of a stream. */
  begin(): void {
    if (this.over || this.#res.headersSent) return;
    this.#res.writeHead(200, [...this.#headers(), 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no']);
  }

  /** The headers of a stream whose first message may be long in coming. */
  beginAtOnce(): void {
    this.begin();
    if (!this.over) this.#res.flushHeaders();
  }

  /** One message of a stream. False when the client should read first. */
  message(message: Uint8Array | string): boolean {
    if (this.over) return true;
    return this.#write(envelope(typeof message === 'string' ? Buffer.from(message) : message));
  }

  end(): void {
    if (this.over) return;
    this.begin();
    if (this.#shape.web) this.#write(webTrailers(['grpc-status', '0']));
    else this.#write(envelope(Buffer.from('{}'), flags.connectEnd));
    this.#res.end();
  }

  /** Ends the call with an error, wherever it stands. */
  fail(error: A2AError): void {
    if (this.over) return;
    const shape = this.#shape;
    const begun = this.#res.headersSent;
    const tell = this.#dialect?.grpc?.encodeError;
    if (shape.web) {
      const { 'retry-after': _, ...headers } = statusHeaders(error, tell);
      const status = Object.entries(headers).flat();
      if (begun) {
        this.#write(webTrailers(status));
        this.#res.end();
      } else {
        // A call without messages has its trailers in the headers.
        this.#res.writeHead(200, [...this.#headers(), ...errorHeaders(error), ...status, 'Content-Length', '0']);
        this.#res.end();
      }
    } else if (shape.enveloped) {
      if (!begun) this.#res.writeHead(200, [...this.#headers(), ...errorHeaders(error)]);
      this.#write(envelope(Buffer.from(JSON.stringify({ error: encodeError(error, tell).body })), flags.connectEnd));
      this.#res.end();
    } else {
      const headers = [...answerHeaders(this.#requestId, this.#dialect, this.notes), ...errorHeaders(error)];
      const { status, body } = encodeError(error, tell);
      send(this.#res, status, headers, 'application/json', JSON.stringify(body));
    }
  }

  #headers(): string[] {
    return [...answerHeaders(this.#requestId, this.#dialect, this.notes), 'Content-Type', this.#shape.mediaType];
  }

  #write(bytes: Buffer): boolean {
    return this.#res.write(this.#shape.text ? bytes.toString('base64') : bytes);
  }
}

/** Trailers as the last message of a body. */
function webTrailers(entries: readonly string[]): Buffer {
  let text = '';
  for (let i = 0; i < entries.length; i += 2) text += `${entries[i]}: ${entries[i + 1]}\r\n`;
  return envelope(Buffer.from(text), flags.webTrailers);
}
