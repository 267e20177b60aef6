import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerTarget, Reservation } from '../../core/limits/memory-budget.ts';
import type { SlowReader, SlowReaders } from './slow-readers.ts';

/** An HTTP/1.1 connection with bytes that its client has not read. */
class SlowSocket implements SlowReader {
  caller: string | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get pendingBytes(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength;
  }

  get progress(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  disconnect(): void {
    this.#socket.destroy();
  }
}

/**
 * The class of a server's responses. It adds a connection to `slow` when the client does not read a response at once.
 *
 * @param closing whether connections are to be closed after their response
 */
export function trackedResponse(
  slow: SlowReaders,
  closing: () => boolean = () => false,
): typeof ServerResponse<IncomingMessage> {
  const readers = new WeakMap<Socket, SlowSocket>();
  const track = ({ socket, reservation }: ServerResponse & AnswerTarget): void => {
    if (socket === null || socket.writableLength === 0) return;
    const reader = readers.get(socket) ?? new SlowSocket(socket);
    if (!readers.has(socket)) {
      readers.set(socket, reader);
      socket.once('close', () => slow.delete(reader));
    }
    reader.caller = reservation?.caller;
    slow.add(reader);
  };
  return class extends ServerResponse<IncomingMessage> implements AnswerTarget {
    reservation?: Reservation;

    // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
    override writeHead(...parts: any[]): this {
      if (closing()) this.shouldKeepAlive = false;
      return super.writeHead(...(parts as Parameters<ServerResponse['writeHead']>));
    }

    // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
    override write(...parts: any[]): boolean {
      // From now on the connection's pending bytes are counted instead.
      this.reservation?.release();
      const flushed = super.write(...(parts as Parameters<ServerResponse['write']>));
      if (!flushed) track(this);
      return flushed;
    }

    // biome-ignore lint/suspicious/noExplicitAny: any arguments of the base class
    override end(...parts: any[]): this {
      this.reservation?.release();
      super.end(...(parts as Parameters<ServerResponse['end']>));
      track(this);
      return this;
    }
  };
}
