import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { ambiguityOf } from './authority.ts';
import { inRequestOrder } from './request-order.ts';
import { SlowReaders } from './slow-readers.ts';
import { trackedResponse } from './tracked-response.ts';
import { Watchdog, type Watched } from './watchdog.ts';

/**
 * Milliseconds of silence after which the system asks whether the other side is still there. Some bindings have no sign of
 * life of their own for streams (gRPC-Web, Connect), and what is between may forget a connection that is silent.
 */
const quiet = 60_000;

/** Contents of PEM files. */
export interface ListenerTls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** Authorities; given, clients may show a certificate, and it must be one of theirs. */
  readonly clientCa?: string | Buffer | undefined;
  /** Whether clients must show one. Default, with `clientCa`: true. */
  readonly certificateRequired?: boolean | undefined;
}

export interface TcpListenerLimits {
  /** Milliseconds until a connection must have said what it speaks, TLS included. Default 10,000. */
  readonly firstBytes?: number;
  /** Milliseconds until a request's headers must be there. Default 15,000. */
  readonly headers?: number;
  /** Milliseconds until a whole request must be there. Default 120,000. */
  readonly request?: number;
  /** Milliseconds that an idle HTTP/1.1 connection stays. Default 65,000, more than balancers keep theirs. */
  readonly idle?: number;
  /** Bytes of a request's headers. Default 16 KiB. */
  readonly headerBytes?: number;
  /** Connections at the same time. Default: no bound. */
  readonly connections?: number;
}

export interface TcpListenerOptions {
  /** A host name or address; `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls?: ListenerTls | undefined;
  readonly onRequest: RequestListener;
  /** Takes connections on which HTTP/2 is spoken. Absent: they are closed. */
  readonly onHttp2?: ((socket: Socket) => void) | undefined;
  readonly limits?: TcpListenerLimits;
  /** Told of clients that do not read their answers. Default: one of the port's own. */
  readonly slow?: SlowReaders;
  /** Called for what is no HTTP request and refused as such. */
  readonly onRefused?: (kind: ErrorKind) => void;
}

/** One TCP port that speaks HTTP/1.1 and HTTP/2, plain or with TLS. */
export interface TcpListener {
  /** Resolves with the port number. Rejects with the system's error, such as EADDRINUSE. */
  listen(): Promise<number>;
  /** From now on clients are told with every answer to take another connection; new ones are still accepted. */
  disableKeepAlive(): void;
  /**
   * Lets another certificate count for connections that are made from now on; those that are there stay. Whether TLS is
   * spoken, and whether certificates are asked for, does not change.
   *
   * @throws the system's error for a certificate or key that cannot be used; then nothing has changed
   */
  renew(tls: ListenerTls): void;
  /** Bounds the connections at the same time from now on; none is closed. Undefined: any number. */
  bound(connections: number | undefined): void;
  /** Takes no new connections, and closes those that are idle as soon as they are. Does nothing the second time. */
  retire(): void;
  /**
   * Retires, waits until every connection is closed, but no longer than `drainMs` milliseconds (default 10,000), then
   * cuts what is left. Event streams and HTTP/2 connections are open until somebody ends them.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** An HTTP/2 connection with prior knowledge begins with `PRI * HTTP/2.0`; no HTTP/1.1 method begins with these three. */
const preface = Buffer.from('PRI');

/** Makes the port; nothing listens yet. Throws for a certificate or key that cannot be read. */
export function createTcpListener(options: TcpListenerOptions): TcpListener {
  const { host, onHttp2, limits = {}, slow = new SlowReaders(), onRefused = () => {} } = options;
  const firstBytes = limits.firstBytes ?? 10_000;
  const sweeper = new Watchdog(Math.min(1_000, Math.max(10, firstBytes / 4)));
  const sockets = new Set<Socket>();
  const waiting = new Set<Socket>();
  let leaving = false;
  const response = trackedResponse(slow, () => leaving);
  const refuse = refusing(onRefused);
  const onRequest: RequestListener = (req, res) => {
    // Whoever answers may have made something else of the response by then, as Express does.
    if (leaving) res.shouldKeepAlive = false;
    options.onRequest(req, res);
  };
  const http = createHttp(strict(inRequestOrder(onRequest, slow.budget), refuse), limits, response, refuse);
  const secure = options.tls && createTls(options.tls, firstBytes, (socket) => route(socket));
  let { connections } = limits;
  let servers: TcpServer[] = [];

  /** By what TLS agreed on, else by the first bytes. */
  function route(socket: TLSSocket): void {
    if (socket.alpnProtocol === 'h2') toHttp2(socket);
    else if (socket.alpnProtocol === 'http/1.1') http.emit('connection', socket);
    else sniff(socket);
  }

  function toHttp2(socket: Socket): void {
    if (!onHttp2) {
      socket.destroy();
      return;
    }
    // HTTP/2 has its own way to end one direction.
    socket.allowHalfOpen = false;
    // Node refuses HTTP/2 over TLS whose client asked for no protocol; this one has shown what it speaks.
    if (socket instanceof TLSSocket) socket.alpnProtocol = 'h2';
    onHttp2(socket);
  }

  function sniff(socket: Socket): void {
    let seen: Buffer | undefined;
    const due = Date.now() + firstBytes;
    const watch: Watched = {
      previous: undefined,
      next: undefined,
      check: (now) => {
        if (now >= due) socket.destroy();
      },
    };
    const stop = () => {
      sweeper.delete(watch);
      waiting.delete(socket);
      socket.off('data', onData).off('error', ignore).off('end', onEnd).off('close', stop);
    };
    const onEnd = () => socket.destroy();
    const onData = (chunk: Buffer) => {
      seen = seen ? Buffer.concat([seen, chunk]) : chunk;
      const length = Math.min(seen.length, preface.length);
      const same = preface.compare(seen, 0, length, 0, length) === 0;
      if (same && length < preface.length) return;
      stop();
      socket.pause();
      socket.unshift(seen);
      if (same) toHttp2(socket);
      else {
        http.emit('connection', socket);
        socket.resume();
      }
    };
    waiting.add(socket);
    sweeper.add(watch);
    socket.on('data', onData).on('error', ignore).on('end', onEnd).on('close', stop);
  }

  function accept(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (secure) {
      // A reset during the handshake.
      socket.on('error', ignore);
      secure.emit('connection', socket);
    } else sniff(socket);
  }

  async function open(address: string, port: number): Promise<number> {
    // As http.Server does: half-open connections are its own business.
    const server = createTcpServer(
      { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: quiet },
      accept,
    );
    if (connections !== undefined) server.maxConnections = connections;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // Out of file descriptors, say: the connection is lost, the listener is not.
    server.on('error', ignore);
    servers.push(server);
    const limitConnections = server.address();
    return typeof limitConnections === 'object' && limitConnections !== null ? limitConnections.port : port;
  }

  async function listen(): Promise<number> {
    // What enforces the timeouts begins with this event, and http itself never listens.
    http.emit('listening');
    if (host !== 'localhost') return open(host, options.port);
    for (let attempt = 1; ; attempt++) {
      const port = await openAny(['127.0.0.1', '::1'], options.port, open).catch(async (thrown: unknown) => {
        await closeAll(servers);
        servers = [];
        // A free port of one address may be taken on the other.
        if (options.port === 0 && attempt < 10 && codeOf(thrown) === 'EADDRINUSE') return undefined;
        throw thrown;
      });
      if (port !== undefined) return port;
    }
  }

  let closing: Promise<unknown> | undefined;
  let idle: NodeJS.Timeout | undefined;

  function leave(): void {
    leaving = true;
  }

  function replaceCertificate(tls: ListenerTls): void {
    secure?.setSecureContext(contextOf(tls));
  }

  function bound(most: number | undefined): void {
    connections = most;
    for (const server of servers) server.maxConnections = most ?? Number.POSITIVE_INFINITY;
  }

  function stopAccepting(): void {
    if (closing) return;
    leave();
    closing = closeAll(servers);
    for (const socket of waiting) socket.destroy();
    http.closeIdleConnections();
    idle = setInterval(() => http.closeIdleConnections(), 20);
  }

  async function close({ drainMs = 10_000 }: { readonly drainMs?: number } = {}): Promise<void> {
    stopAccepting();
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, drainMs);
    await closing;
    clearTimeout(cut);
    clearInterval(idle);
    // It does not listen, and says so; what counts is that its own timer ends.
    http.close(() => {});
  }

  return { listen, disableKeepAlive: leave, renew: replaceCertificate, bound, retire: stopAccepting, close };
}

const ignore = (): void => {};

const codeOf = (thrown: unknown): unknown => (thrown as NodeJS.ErrnoException | undefined)?.code;

/** Listens on the first address, then on the others with the same port; addresses that the machine lacks are left out. */
async function openAny(
  addresses: readonly string[],
  port: number,
  open: (address: string, port: number) => Promise<number>,
): Promise<number> {
  let bound: number | undefined;
  let lacking: unknown;
  for (const address of addresses) {
    try {
      bound = await open(address, bound ?? port);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EADDRNOTAVAIL' && codeOf(thrown) !== 'EAFNOSUPPORT') throw thrown;
      lacking = thrown;
    }
  }
  if (bound === undefined) throw lacking;
  return bound;
}

/** Resolves when the servers and all their connections are closed. */
const closeAll = (servers: readonly TcpServer[]): Promise<unknown> =>
  Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));

type Response = ReturnType<typeof trackedResponse>;

function createHttp(
  onRequest: RequestListener,
  limits: TcpListenerLimits,
  response: Response,
  refuse: Refuse,
): HttpServer {
  const { headers = 15_000, request = 120_000, idle = 65_000, headerBytes = 16 * 1024 } = limits;
  const server = createHttpServer(
    {
      ServerResponse: response,
      // Of two Authorization headers none is taken for the only one.
      joinDuplicateHeaders: true,
      requireHostHeader: false,
      headersTimeout: Math.min(headers, request),
      requestTimeout: request,
      keepAliveTimeout: idle,
      maxHeaderSize: headerBytes,
      connectionsCheckingInterval: Math.max(10, Math.min(2_000, headers / 4)),
    },
    onRequest,
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
  return server;
}

/**
 * Refuses what the parser lets through and another server could read in another way, HTTP/0.9 included (RFC 9112 section
 * 2.3). What the parser has read behind a refused request is not served.
 */
const strict =
  (onRequest: RequestListener, refuse: Refuse): RequestListener =>
  (req, res) => {
    const { socket } = req;
    if (!socket.writable) return;
    const why = ambiguityOf(req);
    if (why === undefined) onRequest(req, res);
    // Before it, another request waits for its answer, which nobody may take this for.
    else if (res.socket === null) socket.destroy();
    else refuse({}, socket, why);
  };

/** By the parser's error code. Anything else is 400. */
const statuses: Readonly<Record<string, readonly [status: string, said: string, kind: ErrorKind]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large', 'payloadTooLarge'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time', 'requestTimeout'],
};

/** @param why what the client reads; by default what the error's code means */
type Refuse = (error: Pick<NodeJS.ErrnoException, 'code'>, socket: Refused, why?: string) => void;

type Refused = Duplex & { _httpMessage?: ServerResponse | null };

/** Answers what is not HTTP, as far as anybody still listens and nothing else is being answered. */
const refusing =
  (onRefused: (kind: ErrorKind) => void): Refuse =>
  ({ code = '' }, socket, why) => {
    if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    const [status, said, kind] = statuses[code] ?? notHttp;
    const message = why ?? said;
    onRefused(kind);
    const details = new A2AError('invalidRequest', message).details();
    const error = { code: Number.parseInt(status, 10), status: 'INVALID_ARGUMENT', message, details };
    const body = JSON.stringify({ error });
    const head = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
    socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
  };

const notHttp = ['400 Bad Request', 'This is not an HTTP/1.1 request', 'invalidRequest'] as const;

/**
 * Clients that offer both protocols get HTTP/1.1: browsers, curl and fetch do, and want more than gRPC, whose clients
 * offer h2 alone.
 */
function createTls(tls: ListenerTls, handshake: number, onSecure: (socket: TLSSocket) => void) {
  const { clientCa, certificateRequired = true } = tls;
  const server = createTlsServer(
    {
      ...contextOf(tls),
      ...(clientCa !== undefined && { requestCert: true, rejectUnauthorized: certificateRequired }),
      handshakeTimeout: handshake,
      ALPNCallback: ({ protocols }) => ['http/1.1', 'h2'].find((name) => protocols.includes(name)),
    },
    (socket) => {
      // Whoever shows a certificate means to be known by it.
      const stranger = clientCa !== undefined && !socket.authorized && socket.getPeerX509Certificate() !== undefined;
      if (stranger) socket.destroy();
      else onSecure(socket);
    },
  );
  // The connection is closed; a client that cannot speak TLS is nothing to report.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/** What a server shows, and whose certificates it takes. */
const contextOf = ({ cert, key, clientCa }: ListenerTls): Pick<TlsOptions, 'cert' | 'key' | 'ca'> => ({
  cert,
  key,
  ...(clientCa !== undefined && { ca: clientCa }),
});
