import type { Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { steadyNow } from '../../core/model/timing.ts';
import { certificateOf, isEncrypted } from '../listener/client-certificate.ts';
import type { Http2Connection } from '../listener/http2-compat.ts';
import { idleHttp2 } from '../listener/idle.ts';
import { SlowReaders } from '../listener/slow-readers.ts';

/** Milliseconds between two pings of a connection with calls; one that has not answered by the next is dead. */
const pingInterval = 60_000;

interface Session extends Http2Connection {
  readonly http2: ServerHttp2Session;
  /** When it was last pinged: by `steadyNow`. */
  pingedAt: number;
  answered: boolean;
}

/** The connections of one server: what their calls share, whether they are alive, and their end. */
export class Http2Sessions {
  readonly #known = new Map<Http2Session, Session>();
  readonly #slow: SlowReaders;

  /** @param slow tracks calls whose client does not read */
  constructor(slow: SlowReaders = new SlowReaders()) {
    this.#slow = slow;
  }

  /** @param socket the session's own, which stays readable when the session has ended */
  add(http2: ServerHttp2Session, socket: Socket): void {
    const now = steadyNow();
    this.#known.set(http2, {
      http2,
      socket,
      slow: this.#slow,
      remoteAddress: socket.remoteAddress ?? '',
      encrypted: isEncrypted(socket),
      certificate: certificateOf(socket),
      calls: 0,
      largeAnswers: 0,
      idleSince: now,
      pingedAt: now,
      answered: true,
    });
    // Calls learn of errors from their streams.
    http2.on('error', () => {});
    http2.on('close', () => this.#known.delete(http2));
  }

  connectionOf(http2: Http2Session | undefined): Http2Connection | undefined {
    return http2 && this.#known.get(http2);
  }

  /** Closes idle connections, and pings the others. Must be called every few seconds. */
  check(): void {
    const now = steadyNow();
    for (const session of this.#known.values()) {
      const { http2 } = session;
      if (session.calls === 0) {
        if (now - session.idleSince >= idleHttp2) http2.close();
        continue;
      }
      if (http2.destroyed || now - session.pingedAt < pingInterval) continue;
      if (!session.answered) {
        http2.destroy();
        continue;
      }
      session.pingedAt = now;
      session.answered = false;
      http2.ping(() => {
        session.answered = true;
      });
    }
  }

  /** Takes no new calls, and closes each connection when its calls have ended. */
  closeGracefully(): void {
    for (const http2 of this.#known.keys()) http2.close();
  }

  destroy(): void {
    for (const http2 of this.#known.keys()) http2.destroy();
  }
}
