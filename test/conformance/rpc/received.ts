import { type ReceivedStatus, readStatus } from '../../../src/dialects/kernel/rpc-status.ts';
import type { OnWire } from '../../../src/net/wire-log.ts';

interface Header {
  readonly name: string;
  readonly value: string[];
}

function add(headers: Header[], name: string, values: readonly string[]): void {
  const known = headers.find((header) => header.name === name);
  if (known) known.value.push(...values);
  else headers.push({ name, value: [...values] });
}

/** Data that a client received in addition to the messages, read from its log. */
export class Received {
  readonly headers: Header[] = [];
  readonly trailers: Header[] = [];
  details: ReceivedStatus['details'] = [];
  readonly #isConnect: boolean;
  #inHead = false;

  constructor(isConnect: boolean) {
    this.#isConnect = isConnect;
  }

  readonly onWire: OnWire = ({ direction, text }) => {
    if (direction !== 'received') return;
    if (/^HTTP\/[12]/.test(text)) this.#inHead = true;
    else if (text === '') this.#inHead = false;
    else if (text.startsWith('{')) this.#readJson(text);
    else this.#readHeader(text);
  };

  #readHeader(text: string): void {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) return;
    if (name === 'grpc-status-details-bin') {
      this.details = readStatus({ 'grpc-status': '0', [name]: value })?.details ?? [];
    }
    const isTrailer = !this.#inHead || (this.#isConnect && name.startsWith('trailer-'));
    if (isTrailer) add(this.trailers, this.#isConnect ? name.slice('trailer-'.length) : name, [value]);
    else add(this.headers, name, [value]);
  }

  /** An error of Connect, or the end of one of its streams. */
  #readJson(text: string): void {
    if (!this.#isConnect) return;
    try {
      const { error, metadata, details } = JSON.parse(text);
      const packed = error?.details ?? details;
      if (Array.isArray(packed)) {
        this.details = packed.map(({ type, value }) => ({ typeUrl: type, value: Buffer.from(value, 'base64') }));
      }
      for (const [name, value] of Object.entries<string[]>(metadata ?? {})) add(this.trailers, name, value);
    } catch {
      // Hostile, as some answers are meant to be.
    }
  }
}
