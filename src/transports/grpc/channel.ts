import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  constants,
} from 'node:http2';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { A2AError } from '../../core/model/errors.ts';
import { steadyNow } from '../../core/model/timing.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { markUnsent, networkError } from '../../net/network-errors.ts';
import type { WireLog } from '../../net/wire-log.ts';

export interface GrpcChannelOptions {
  /** A name or an address, IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether the connection is encrypted. */
  readonly secure: boolean;
  readonly tls?: ClientTls | undefined;
  /** Milliseconds until the server's first frame, TLS included. */
  readonly connectTimeout: number;
  /** Checks the addresses of the host. Default: they are not checked. */
  readonly guard?: UrlGuard | undefined;
  /** Gets notes on the connection. */
  readonly wire?: WireLog | undefined;
}

/** Milliseconds between two pings while calls are open, and in which a ping must be answered. */
const keepAlive = { interval: 60_000, timeout: 20_000 } as const;

/**
 * Milliseconds for which a connection without calls stays open. Without the limit, the connection to an interface that was used
 * only for a while would stay open forever.
 */
const idleTime = 10 * 60_000;

/** Milliseconds without a byte from the server after which a connection is not used for further calls, if a call was given up. */
const longestSilence = 5_000;

/** Maximum number of open connections. Further calls wait until a call before them ends. */
const mostConnections = 16;

/** Bytes that a server may send before they are read: for one call, and for all calls of a connection. */
const windows = { call: 1 << 20, connection: 8 << 20 } as const;

const sessionOptions: ClientSessionOptions = {
  settings: { enablePush: false, initialWindowSize: windows.call },
  // Megabytes. Each call limits what it reads.
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
};

/** The use of a connection. */
interface Use {
  /** Streams of open calls. */
  readonly calls: Set<ClientHttp2Stream>;
  /** Time since which there are no open calls, by `steadyNow`. */
  idleSince: number;
}

/** The end of a connection as the server announces it. */
interface Goaway {
  readonly code: number;
  /** The last stream that the server processes. */
  readonly lastStream: number;
}

const { NGHTTP2_REFUSED_STREAM } = constants;

/**
 * The HTTP/2 connections to a gRPC server: one in most cases, opened by the first call, and anew by the next call after it ended or
 * after the server took its last one (GOAWAY). Another one is opened when a server takes no more calls at a time over those that are
 * open (SETTINGS_MAX_CONCURRENT_STREAMS). Each is closed after a while without calls, and keeps the process alive only while a call is
 * open.
 */
export class GrpcChannel {
  /** Host and port. */
  readonly target: string;
  /** The scheme of requests. */
  readonly scheme: 'http' | 'https';
  readonly #options: GrpcChannelOptions;
  #opening: Promise<ClientHttp2Session> | undefined;
  readonly #closing = new AbortController();
  /** The connections that are not closed yet. */
  readonly #uses = new Map<ClientHttp2Session, Use>();
  readonly #goaways = new WeakMap<ClientHttp2Session, Goaway>();

  constructor(options: GrpcChannelOptions) {
    this.#options = options;
    this.target = `${options.host}:${options.port}`;
    this.scheme = options.secure ? 'https' : 'http';
  }

  /**
   * A connection that takes a further call, or the promise of a new one, for which several calls may wait. The promise rejects with
   * A2AError `upstreamUnreachable`, marked as unsent, and caused by UrlRefused if the guard refused the address.
   */
  session(): ClientHttp2Session | Promise<ClientHttp2Session> {
    let open = 0;
    for (const [session, { calls }] of this.#uses) {
      if (hasEnded(session)) continue;
      if (calls.size === 0 || calls.size < maxCalls(session)) return session;
      open += 1;
    }
    const least = open < mostConnections ? undefined : this.leastUsed();
    if (least) return least;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The open connection with the fewest calls. Undefined: there is none. */
  leastUsed(): ClientHttp2Session | undefined {
    const open = [...this.#uses].filter(([session]) => !hasEnded(session));
    const [first] = open.sort(([, one], [, other]) => one.calls.size - other.calls.size);
    return first?.[0];
  }

  callBegan(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    const use = this.#uses.get(session);
    if (!use) return;
    use.calls.add(stream);
    if (use.calls.size === 1 && !session.destroyed) session.ref();
  }

  /**
   * Notes that this side has given up a call without an answer. If nothing has arrived over the connection since the call began,
   * the connection may be dead, which a ping shows only later. The next call then opens another one.
   *
   * @param call time when the call began, by `steadyNow`, and number of bytes that had arrived over the connection by then
   */
  gaveUp(session: ClientHttp2Session, call: { readonly at: number; readonly bytesRead: number }): void {
    if (session.destroyed || steadyNow() - call.at < longestSilence) return;
    if (session.socket.bytesRead === call.bytesRead) session.close();
  }

  callEnded(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    const use = this.#uses.get(session);
    if (!use) return;
    use.calls.delete(stream);
    if (use.calls.size > 0) return;
    use.idleSince = steadyNow();
    if (!session.destroyed) session.unref();
  }

  /** Whether the server has provably not processed a stream that ended without an answer (RFC 9113 sections 6.8 and 8.7). */
  isUnprocessed(session: ClientHttp2Session, { id = 0, pending, rstCode }: ClientHttp2Stream): boolean {
    const goaway = this.#goaways.get(session);
    if (pending || (goaway && id > goaway.lastStream)) return true;
    // Node ends the streams of a connection with the code of its GOAWAY, also those that the server has processed.
    return rstCode === NGHTTP2_REFUSED_STREAM && goaway?.code !== NGHTTP2_REFUSED_STREAM;
  }

  /** Closes each connection when its calls have ended. */
  close(): void {
    this.#closing.abort();
    for (const session of this.#uses.keys()) session.close();
  }

  async #open(): Promise<ClientHttp2Session> {
    const { target } = this;
    const { connectTimeout } = this.#options;
    const late = AbortSignal.timeout(connectTimeout);
    const signal = AbortSignal.any([late, this.#closing.signal]);
    let socket: Socket | undefined;
    try {
      signal.throwIfAborted();
      socket = await this.#connect(signal);
      const session = await this.#greet(socket, signal);
      // The channel was closed at the moment when the session was opened.
      if (this.#closing.signal.aborted) session.close();
      return session;
    } catch (thrown) {
      socket?.destroy();
      if (!signal.aborted) throw markUnsent(networkError(target, thrown));
      const message = late.aborted
        ? `${target} did not accept a connection within ${connectTimeout} ms`
        : `the connection to ${target} is closed`;
      throw markUnsent(new A2AError('upstreamUnreachable', message, { cause: thrown }));
    }
  }

  /** Connects, and completes the TLS handshake. */
  async #connect(signal: AbortSignal): Promise<Socket> {
    const { port, secure, guard, tls, wire } = this.#options;
    const host = this.#options.host.replace(/^\[|\]$/g, '');
    const lookup = guard?.lookupAt(port);
    // Sockets do not look up addresses.
    if (lookup && isIP(host) !== 0) await judge(lookup, host);
    const place = { host, port, ...(lookup && { lookup }) };
    const named = isIP(host) === 0 ? { servername: host } : {};
    const socket = secure ? connectTls({ ...place, ...named, ...tls, ALPNProtocols: ['h2'] }) : connectTcp(place);
    socket.setNoDelay(true);
    try {
      await once(socket, secure ? 'secureConnect' : 'connect', { signal });
    } catch (error) {
      socket.on('error', () => {}).destroy();
      throw error;
    }
    wire?.connected(host, socket);
    return socket;
  }

  /**
   * Begins HTTP/2 on a connection, and waits for the server's settings. Before that, the other side may not be an HTTP/2 server
   * at all.
   */
  async #greet(socket: Socket, signal: AbortSignal): Promise<ClientHttp2Session> {
    const session = connect(`${this.scheme}://${this.target}`, { ...sessionOptions, createConnection: () => socket });
    // Errors reach the calls, too.
    session.on('error', () => {});
    session.on('goaway', (code, lastStream) => this.#leave(session, { code, lastStream }));
    const closed = new AbortController();
    session.once('close', () => closed.abort());
    try {
      await once(session, 'remoteSettings', { signal: AbortSignal.any([signal, closed.signal]) });
    } catch (error) {
      session.destroy();
      throw closed.signal.aborted && !signal.aborted
        ? Object.assign(new Error('closed'), { code: 'ECONNRESET' })
        : error;
    }
    session.setLocalWindowSize(windows.connection);
    session.unref();
    const use: Use = { calls: new Set(), idleSince: steadyNow() };
    this.#uses.set(session, use);
    session.once('close', () => this.#uses.delete(session));
    this.#keepAlive(session, use);
    return session;
  }

  /** Ends the calls that the server leaves out, also those that Node keeps until the server takes more streams at a time. */
  #leave(session: ClientHttp2Session, goaway: Goaway): void {
    this.#goaways.set(session, goaway);
    for (const stream of this.#uses.get(session)?.calls ?? []) {
      if ((stream.id ?? 0) > goaway.lastStream) resetNow(stream, NGHTTP2_REFUSED_STREAM);
    }
  }

  /** Finds dead connections while calls wait for answers, and closes idle ones. */
  #keepAlive(session: ClientHttp2Session, use: Use): void {
    const timer = setInterval(() => {
      if (use.calls.size === 0) {
        if (steadyNow() - use.idleSince >= idleTime) session.close();
        return;
      }
      const dead = setTimeout(
        () => session.destroy(Object.assign(new Error('no answer to a ping'), { code: 'ETIMEDOUT' })),
        keepAlive.timeout,
      ).unref();
      if (!session.ping(() => clearTimeout(dead))) clearTimeout(dead);
    }, keepAlive.interval).unref();
    session.once('close', () => clearInterval(timer));
  }
}

/** Whether a connection takes no more calls. */
export const hasEnded = ({ closed, destroyed }: ClientHttp2Session): boolean => closed || destroyed;

/** Number of calls that the server takes at a time over a connection. */
const maxCalls = ({ remoteSettings }: ClientHttp2Session): number =>
  remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;

/**
 * Ends a stream. `close` alone keeps a stream, and the message that it is to send, for as long as the server takes no more streams
 * at a time.
 */
export function resetNow(stream: ClientHttp2Stream, code: number): void {
  stream.close(code);
  stream.destroy();
}

const judge = (lookup: LookupFunction, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error) => (error ? reject(error) : resolve()));
  });
