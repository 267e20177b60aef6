import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { AnswerTarget, Reservation } from '../../core/limits/memory-budget.ts';

/**
 * A response with the interface of HTTP/1.1, which is sent in another way: its members are those of `ServerResponse` that
 * bindings and the MCP SDK use.
 */
export abstract class CompatResponse extends Writable implements AnswerTarget {
  reservation?: Reservation;
  statusCode = 200;
  statusMessage = '';
  shouldKeepAlive = true;
  sendDate = true;
  /** Whether the head is written, although it may be sent with the first bytes of the body. */
  headersSent = false;
  /** The headers, by their names in lower case. */
  readonly fields: Map<string, OutgoingHttpHeader> = new Map();

  abstract get socket(): Socket;

  /** Sends the head before the body. */
  abstract flushHeaders(): void;

  setHeader(name: string, value: OutgoingHttpHeader): this {
    this.fields.set(name.toLowerCase(), value);
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    const former = this.getHeader(name);
    this.fields.set(name.toLowerCase(), [former ?? [], value].flat().map(String));
    return this;
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.fields.get(name.toLowerCase());
  }

  getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(this.fields);
  }

  getHeaderNames(): string[] {
    return [...this.fields.keys()];
  }

  hasHeader(name: string): boolean {
    return this.fields.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.fields.delete(name.toLowerCase());
  }

  /** Headers as an object, or as a flat list of names and values. */
  writeHead(status: number, ...more: readonly unknown[]): this {
    this.statusCode = status;
    this.headersSent = true;
    const headers = more.findLast((each) => typeof each === 'object' && each !== null);
    if (Array.isArray(headers)) {
      for (let i = 0; i + 1 < headers.length; i += 2) {
        const name = headers[i] as string;
        if (this.hasHeader(name) && isBefore(headers, i)) this.appendHeader(name, headers[i + 1]);
        else this.setHeader(name, headers[i + 1]);
      }
    } else if (headers) {
      for (const [name, value] of Object.entries(headers)) this.setHeader(name, value as OutgoingHttpHeader);
    }
    return this;
  }

  /** Interim answers are not sent. */
  writeContinue(): void {}
}

/** Whether a flat list of names and values has the name at this place before it, too. */
function isBefore(list: readonly string[], at: number): boolean {
  const name = (list[at] as string).toLowerCase();
  for (let i = 0; i < at; i += 2) if ((list[i] as string).toLowerCase() === name) return true;
  return false;
}
