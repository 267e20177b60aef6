import type { Socket } from 'node:net';

/** Bytes of the beginning of an interim response's head; 0 stands for any. */
const beginning = Buffer.from('HTTP/1.\0 1');
const zero = 0x30;
const two = 0x32;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Position of a connection's bytes in the heads before the response to a request. */
class InterimScanner {
  /** Whether an answer is due of which no head but interim ones was seen. */
  isDue = false;
  /** Bytes of the current head's beginning that were seen. */
  #seen = 0;
  #isContinue = false;
  /** Line ends in a row, at the end of what was seen. */
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
 * Has `100 Continue` read over on a connection over HTTP/1.1, although no request asks for it: undici would close the
 * connection, and the answer of an agent that has run would be lost. It becomes a status 102, which undici reads over.
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
