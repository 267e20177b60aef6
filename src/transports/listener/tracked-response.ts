import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerTarget, Reservation } from '../../core/limits/reservation.ts';
import type { SlowReader, SlowReaders } from './slow-readers.ts';

/** A connection over which HTTP/1.1 is answered. */
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
 * The class of a server's responses: the connections of those whose client does not read them at once are added to
 * `slow`.
 *
 * @param leaving whether clients are to take another connection for their next request
 */
export function trackedResponse(
  slow: SlowReaders,
  leaving: () => boolean = () => false,
): typeof ServerResponse<IncomingMessage> {
  const known = new WeakMap<Socket, SlowSocket>();
  const note = ({ socket, reservation }: ServerResponse & AnswerTarget): void => {
    if (socket === null || socket.writableLength === 0) return;
    let reader = known.get(socket);
    if (!reader) {
      const made = new SlowSocket(socket);
      known.set(socket, made);
      socket.once('close', () => slow.delete(made));
      reader = made;
    }
    reader.caller = reservation?.caller;
    slow.add(reader);
  };
  return class extends ServerResponse<IncomingMessage> implements AnswerTarget {
    reservation?: Reservation;

    // biome-ignore lint/suspicious/noExplicitAny: whatever the base class takes
    override writeHead(...parts: any[]): this {
      if (leaving()) this.shouldKeepAlive = false;
      return super.writeHead(...(parts as Parameters<ServerResponse['writeHead']>));
    }

    // biome-ignore lint/suspicious/noExplicitAny: whatever the base class takes
    override write(...parts: any[]): boolean {
      // Whoever writes it: from now on the connection's bytes are counted.
      this.reservation?.release();
      const taken = super.write(...(parts as Parameters<ServerResponse['write']>));
      if (!taken) note(this);
      return taken;
    }

    // biome-ignore lint/suspicious/noExplicitAny: whatever the base class takes
    override end(...parts: any[]): this {
      this.reservation?.release();
      super.end(...(parts as Parameters<ServerResponse['end']>));
      note(this);
      return this;
    }
  };
}
