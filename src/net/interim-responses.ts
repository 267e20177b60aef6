import type { Socket } from 'node:net';

/** First bytes of an interim response. 0 stands for any byte. */
const beginning = Buffer.from('HTTP/1.\0 1');
const zero = 0x30;
const two = 0x32;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Scans the bytes of a connection for interim responses before the response to a request. */
class InterimScanner {
  /** Whether a response is expected and only interim responses have been seen. */
  isDue = false;
  /** Number of bytes seen at the beginning of the current response. */
  #seen = 0;
  #isContinue = false;
  /** Number of consecutive line ends at the end of the bytes seen. */
  #lineEnds = 0;

  begin(): void {
    this.isDue = true;
    this.#seen = 0;
  }

  /** Changes the status of every `100 Continue` to 102, in place. */
  scan(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.isDue; at += 1) {
      const byte = bytes[at] as number;
      if (this.#seen < beginning.length) {
        const expected = beginning[this.#seen];
        if (expected !== 0 && expected !== byte) this.isDue = false;
        this.#seen += 1;
      } else if (this.#seen === beginning.length) {
        this.#isContinue = byte === zero;
        this.#seen += 1;
      } else if (this.#seen === beginning.length + 1) {
        if (this.#isContinue && byte === zero) bytes[at] = two;
        this.#seen += 1;
        this.#lineEnds = 0;
      } else if (byte === lineFeed) {
        this.#lineEnds += 1;
        if (this.#lineEnds === 2) this.#seen = 0;
      } else if (byte !== carriageReturn) this.#lineEnds = 0;
    }
  }
}

/**
 * Makes undici ignore `100 Continue` on an HTTP/1.1 connection. No request asks for it, so undici would close the
 * connection, and the response of an agent that has run would be lost. The status is changed to 102, which undici
 * ignores.
 */
export function readOverContinue(socket: Socket): void {
  const scanner = new InterimScanner();
  const { read, write } = socket;
  socket.write = ((...sent: Parameters<typeof write>) => {
    scanner.begin();
    return write.apply(socket, sent);
  }) as typeof write;
  socket.read = (size) => {
    const bytes: unknown = read.call(socket, size);
    if (scanner.isDue && bytes instanceof Uint8Array) scanner.scan(bytes);
    return bytes;
  };
}
