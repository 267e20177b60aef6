import type { Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { steadyNow } from '../../core/model/timing.ts';
import { certificateOf, isEncrypted } from '../listener/client-certificate.ts';
import type { Http2Connection } from '../listener/http2-compat.ts';
import { idleHttp2 } from '../listener/idle.ts';
import { SlowReaders } from '../listener/slow-readers.ts';

/** Milliseconds between two pings of a connection with calls; one that has not answered by the next is dead. */
const pingInterval = 60_000;

/** Milliseconds that a client may take to answer the ping before its connection ends. */
const noticeTime = 1_000;

/** Milliseconds after its beginning in which the first call of a connection is probably on its way. */
const firstCallTime = 1_000;

/**
 * GOAWAY with the largest stream id and no error: the notice of RFC 9113 section 6.8 that a connection will end. Calls that
 * cross it on their way are still taken.
 */
const notice = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

interface Session extends Http2Connection {
  readonly http2: ServerHttp2Session;
  /** Time of the last ping, by `steadyNow`. */
  pingedAt: number;
  answered: boolean;
  /** Whether its first call is still to come. */
  silent: boolean;
  /** Whether its end has begun. */
  leaving: boolean;
}

/** The connections of one server: what their calls share, whether they are alive, and their end. */
export class Http2Sessions {
  readonly #known = new Map<Http2Session, Session>();
  readonly #slow: SlowReaders;
  #leaving = false;

  /** @param slow tracks calls whose client does not read */
  constructor(slow: SlowReaders = new SlowReaders()) {
    this.#slow = slow;
  }

  /** @param socket the session's own, which stays readable when the session has ended */
  add(http2: ServerHttp2Session, socket: Socket): void {
    const now = steadyNow();
    const session: Session = {
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
      silent: true,
      leaving: false,
    };
    this.#known.set(http2, session);
    http2.once('stream', () => {
      session.silent = false;
      // A client that knows no other server is still answered.
      if (this.#leaving) end(session);
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
        if (now - session.idleSince >= idleHttp2) end(session);
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

  /**
   * Asks clients to connect elsewhere, and closes each connection when its calls have ended. Connections whose first call is probably
   * on its way, and those that are added from now on, are for one call, and for those that cross its answer.
   */
  closeGracefully(): void {
    this.#leaving = true;
    for (const session of this.#known.values()) if (!awaitsCall(session)) end(session);
  }

  /** Whether the first call of a connection is probably on its way. */
  awaitCalls(): boolean {
    return this.#known.values().some(awaitsCall);
  }

  /** Does not wait for the first calls of connections either. */
  closeAllGracefully(): void {
    this.#leaving = true;
    for (const session of this.#known.values()) end(session);
  }

  destroy(): void {
    for (const http2 of this.#known.keys()) http2.destroy();
  }
}

const awaitsCall = ({ silent, idleSince }: Session): boolean => silent && steadyNow() - idleSince < firstCallTime;

/**
 * Ends a connection without losing a call. Sends the client a notice and a ping, and takes no more calls once the client has answered
 * the ping. `close` alone drops calls that are on their way; clients of gRPC repeat those, and proxies
 * such as nginx answer 502.
 *
 * Node cannot send the notice (its `goaway` drops later calls whatever id it names), so that it is written beside the session,
 * which writes whole frames only. Over TLS two writers are not possible; there the ping alone is sent, so that calls which the client
 * sent at once with the first are taken.
 */
function end(session: Session): void {
  const { http2, socket, encrypted } = session;
  if (session.leaving || http2.closed || http2.destroyed) return;
  session.leaving = true;
  if (!socket.writable) {
    http2.close();
    return;
  }
  if (!encrypted) socket.write(notice);
  const close = (): void => {
    clearTimeout(late);
    http2.close();
  };
  const late = setTimeout(close, noticeTime).unref();
  if (!http2.ping(close)) close();
}
