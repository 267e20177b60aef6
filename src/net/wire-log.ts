import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Dispatcher } from 'undici';
import { A2AError } from '../core/model/errors.ts';
import type { FrameHeaders, FrameTap } from '../core/model/frames.ts';
import { headerHoldsCredential } from './credential-names.ts';
import type { HttpRequest } from './http-exchange.ts';
import { hide, secretsIn } from './secret.ts';
import { withoutSecrets } from './url-query.ts';

/** A line of the traffic between a client and a server. */
export interface WireLine {
  /** Direction of the line; `note` for a remark about the connection. */
  readonly direction: 'sent' | 'received' | 'note';
  /** Text of the line. Credentials are replaced by `[secret]`, and long lines are shortened. */
  readonly text: string;
}

/** Called synchronously with each line. */
export type OnWire = (line: WireLine) => void;

/** Longest line, in characters. */
const longest = 4_000;

export const textTypes = /json|text\/|xml|x-www-form-urlencoded/;

/**
 * Returns a header's value for display; for a credential, only the scheme.
 *
 * @param name the header's name in lower case
 * @param secrets receives the credentials, which other text may repeat
 */
export function shownHeader(
  name: string,
  value: string,
  secrets: Set<string>,
  isCredential = headerHoldsCredential(name),
): string {
  if (!isCredential) return value;
  for (const secret of secretsIn({ [name]: value })) secrets.add(secret);
  const scheme = /^(Bearer|Basic|Digest) /i.exec(value)?.[0] ?? '';
  return `${scheme}[secret]`;
}

/** Wraps the handler of an HTTP/1.1 exchange so that request and response are also passed to `frames`. */
export function tapped(
  handler: Dispatcher.DispatchHandler,
  { method, url, headers, body }: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
  frames: FrameTap,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      frames.sent(`${method} ${url.pathname}${url.search} HTTP/1.1`, { host: url.host, ...headers }, body);
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart(controller, status, received, message) {
      // The client receives `100 Continue` as 102.
      const shown = status === 102 && message === 'Continue' ? 100 : status;
      frames.received(`HTTP/1.1 ${shown} ${message ?? ''}`.trimEnd(), received);
      handler.onResponseStart?.(controller, status, received, message);
    },
    onResponseData(controller, chunk) {
      frames.data(chunk);
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd(controller, trailers) {
      frames.end();
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError(controller, error) {
      frames.end(error);
      handler.onResponseError?.(controller, error);
    },
  };
}

/** Logs the requests and responses of one client, in the style of curl. */
export class WireLog {
  readonly #onWire: OnWire;
  /** Credentials that were sent, which responses may repeat. */
  readonly #secrets = new Set<string>();

  constructor(onWire: OnWire) {
    this.#onWire = onWire;
  }

  /** Logs the first line and the headers of a request or response. */
  head(direction: 'sent' | 'received', first: string, headers: FrameHeaders): void {
    this.#write(direction, this.#shownLine(first));
    this.headers(direction, headers);
    this.#write(direction, '');
  }

  headers(direction: 'sent' | 'received', headers: FrameHeaders): void {
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || name.startsWith(':')) continue;
      for (const one of Array.isArray(value) ? value : [value]) {
        this.#write(direction, `${name}: ${shownHeader(name.toLowerCase(), String(one), this.#secrets)}`);
      }
    }
  }

  /** Masks credentials in the query of a request line. */
  #shownLine(line: string): string {
    const [method = '', path = '', ...rest] = line.split(' ');
    return path.includes('?') ? [method, withoutSecrets(path, this.#secrets), ...rest].join(' ') : line;
  }

  text(direction: 'sent' | 'received', text: string): void {
    for (const line of text.split('\n')) if (line !== '') this.#write(direction, line);
  }

  note(text: string): void {
    this.#write('note', text);
  }

  /** Logs that a connection was opened. */
  connected(host: string, socket: Socket): void {
    this.note(`Connected to ${host} (${socket.remoteAddress ?? 'unknown'}) port ${socket.remotePort ?? 'unknown'}`);
    if (!isEncrypted(socket)) return;
    const { subject, issuer } = socket.getPeerCertificate();
    const certificate = socket.isSessionReused()
      ? 'session resumed'
      : `certificate of ${nameIn(subject)}, issued by ${nameIn(issuer)}`;
    const doubt = socket.authorized ? '' : `, not trusted (${String(socket.authorizationError)})`;
    this.note(
      `${socket.getProtocol() ?? 'TLS'}, ${socket.getCipher().name}, ALPN ${socket.alpnProtocol || 'none'}; ${certificate}${doubt}`,
    );
  }

  /** Logs one request and its response. */
  frames(): FrameTap {
    let rest: BodyLines | undefined;
    return {
      sent: (first, headers, body) => {
        this.head('sent', first, headers);
        if (body !== undefined)
          new BodyLines(this, 'sent', String(headers['content-type'])).push(Buffer.from(body)).end();
      },
      received: (first, headers) => {
        this.head('received', first, headers);
        const isText = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
        rest = new BodyLines(this, 'received', isText ? String(headers['content-type'] ?? '') : '');
      },
      data: (chunk) => void rest?.push(chunk),
      end: (failure) => {
        rest?.end();
        if (failure) this.note(A2AError.from(failure).kind === 'canceled' ? 'Canceled' : failure.message);
      },
    };
  }

  #write(direction: WireLine['direction'], line: string): void {
    const text = hide(line, this.#secrets);
    const more = text.length - longest;
    this.#onWire({ direction, text: more > 0 ? `${text.slice(0, longest)}… (${more} more characters)` : text });
  }
}

const isEncrypted = (socket: Socket): socket is TLSSocket => (socket as TLSSocket).encrypted === true;

const nameIn = (names: PeerCertificate['subject'] | undefined): string => String(names?.CN ?? names?.O ?? 'unknown');

/**
 * Logs the text of a body as it arrives, in lines or in messages with Connect framing; for other bodies, only their
 * size.
 */
class BodyLines {
  readonly #log: WireLog;
  readonly #direction: 'sent' | 'received';
  readonly #isText: boolean;
  readonly #isFramed: boolean;
  /** Received part of an incomplete line or message. */
  #rest: Uint8Array = new Uint8Array();
  #bytes = 0;

  constructor(log: WireLog, direction: 'sent' | 'received', mediaType = '') {
    this.#log = log;
    this.#direction = direction;
    this.#isText = textTypes.test(mediaType);
    this.#isFramed = mediaType.includes('connect+');
  }

  push(chunk: Uint8Array): this {
    this.#bytes += chunk.length;
    if (!this.#isText) return this;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = this.#end(); end > 0; end = this.#end()) {
      this.#write(this.#rest.subarray(this.#isFramed ? headLength : 0, end));
      this.#rest = this.#rest.subarray(end);
    }
    return this;
  }

  end(): void {
    if (this.#isText) this.#write(this.#rest);
    else if (this.#bytes > 0) this.#log.text(this.#direction, `[${this.#bytes} bytes]`);
    this.#rest = new Uint8Array();
    this.#bytes = 0;
  }

  /** Returns the end of the first line or message. 0 while it is incomplete. */
  #end(): number {
    const { buffer, byteOffset, length } = this.#rest;
    if (!this.#isFramed) return this.#rest.indexOf(0x0a) + 1;
    if (length < headLength) return 0;
    const end = headLength + new DataView(buffer, byteOffset).getUint32(1);
    return end <= length ? end : 0;
  }

  #write(line: Uint8Array): void {
    this.#log.text(this.#direction, new TextDecoder().decode(line));
  }
}

/** Number of bytes of flags and length before a Connect message. */
const headLength = 5;
