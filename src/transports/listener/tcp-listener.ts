import { once } from 'node:events';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { LinkedList, Listed } from '../../core/collections/linked-list.ts';
import { Accepting, closeAll } from './accepting.ts';
import { authoritiesIn, setAuthorities } from './client-certificate.ts';
import { type Http1Limits, Http1Server, type Http1ServerOptions } from './http1-server.ts';
import { forHttp2, sniff } from './sniff.ts';
import { Watchdog } from './watchdog.ts';

/**
 * Milliseconds of silence after which TCP keep-alive probes the other side. Some bindings have no keep-alive of their own
 * for streams (gRPC-Web, Connect), and middleboxes forget silent connections.
 */
const keepAliveDelay = 60_000;

/** Contents of PEM files. */
export interface ListenerTls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** Certificate authorities. When set, clients may present certificates signed by them. */
  readonly clientCa?: string | Buffer | undefined;
  /** Whether clients must present a certificate. Default, with `clientCa`: true. */
  readonly certificateRequired?: boolean | undefined;
}

export interface TcpListenerLimits extends Http1Limits {
  /** Milliseconds in which a connection must send its first bytes, TLS handshake included. Default 10,000. */
  readonly firstBytes?: number;
  /** Concurrent connections. Default: unlimited. */
  readonly connections?: number;
}

export interface TcpListenerOptions extends Http1ServerOptions {
  /** A host name or address; `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** For a port that several processes share, by the system (`reusePort`) or by node:cluster; of the first, no other program may have it. */
  readonly shared?: { readonly first: boolean; readonly reusePort: boolean } | undefined;
  readonly tls?: ListenerTls | undefined;
  /** Takes connections that use HTTP/2. Read for each, so that it can be replaced. Absent: they are closed. */
  onHttp2?: ((socket: Socket) => void) | undefined;
  readonly limits?: TcpListenerLimits;
}

/**
 * One TCP port that serves HTTP/1.1 and HTTP/2, plain or with TLS. It does not listen yet. Throws for an unusable
 * certificate or key.
 */
export class TcpListener {
  readonly #options: TcpListenerOptions;
  readonly #host: string;
  readonly #firstBytes: number;
  readonly #watchdog: Watchdog;
  /** Connections that the server of HTTP/1.1 does not know. */
  readonly #sockets = new LinkedList<Listed<Socket>>();
  readonly #unidentified = new LinkedList<Listed<Socket>>();
  /** Connections with TLS, as the system has them. */
  readonly #encrypted = new LinkedList<Listed<Socket>>();
  /** Connections with TLS after their handshake, as the servers have them. */
  readonly #decrypted = new LinkedList<Listed<Socket>>();
  readonly #http: Http1Server;
  readonly #secure: ReturnType<typeof createTls> | undefined;
  #connections: number | undefined;
  #servers: TcpServer[] = [];
  readonly #accepting = new Accepting((socket) => this.#begin(socket));
  #stopping: ReturnType<Accepting['end']> | undefined;

  constructor(options: TcpListenerOptions) {
    this.#options = options;
    const { limits = {} } = options;
    this.#host = options.host;
    this.#firstBytes = limits.firstBytes ?? 10_000;
    this.#watchdog = new Watchdog(Math.min(1_000, Math.max(10, this.#firstBytes / 4)));
    this.#http = new Http1Server(options);
    this.#secure = options.tls && createTls(options.tls, this.#firstBytes, (socket) => this.#route(socket));
    this.#connections = limits.connections;
  }

  /** By ALPN, otherwise by the first bytes. */
  #route(socket: TLSSocket): void {
    track(this.#decrypted, socket);
    if (socket.alpnProtocol === 'h2') this.#toHttp2(socket);
    else if (socket.alpnProtocol === 'http/1.1') this.#http.serve(socket);
    else this.#identify(socket);
  }

  readonly #toHttp2 = (socket: Socket): void => {
    track(this.#sockets, socket);
    if (this.#options.onHttp2) this.#options.onHttp2(forHttp2(socket));
    else socket.destroy();
  };

  /** By the first bytes. */
  #identify(socket: Socket): void {
    const listed = new Listed(socket);
    this.#unidentified.add(listed);
    sniff(socket, {
      watchdog: this.#watchdog,
      timeout: this.#firstBytes,
      onHttp1: this.#http.serve,
      onHttp2: this.#toHttp2,
      onSilence: () => void socket.destroy(),
      onDone: () => this.#unidentified.delete(listed),
    });
  }

  #begin(socket: Socket): void {
    if (this.#secure) {
      track(this.#encrypted, socket);
      // The client may reset the connection during the handshake.
      socket.on('error', ignore);
      this.#secure.server.emit('connection', socket);
    } else this.#identify(socket);
  }

  readonly #open = async (address: string, port: number): Promise<number> => {
    // The options of http.Server, which handles half-open connections itself.
    const server = createTcpServer(
      { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelay },
      this.#accepting.accept,
    );
    if (this.#connections !== undefined) server.maxConnections = this.#connections;
    const { first = false, reusePort = false } = this.#options.shared ?? {};
    const listening = async (mode: { readonly port: number; readonly [mode: string]: unknown }): Promise<number> => {
      server.listen({ host: address, ...mode });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    };
    // The system would share it with another gateway, too.
    const bound = first && reusePort ? await listening({ port, exclusive: true }) : port;
    if (first && reusePort) await closeAll([server]);
    const chosen = await listening({ port: bound, reusePort });
    // Such as EMFILE: the connection is lost, the listener is not.
    server.on('error', ignore);
    this.#servers.push(server);
    return chosen;
  };

  /** Resolves with the port number. Rejects with the system's error, such as EADDRINUSE. */
  async listen(): Promise<number> {
    this.#http.start();
    if (this.#host !== 'localhost') return this.#open(this.#host, this.#options.port);
    for (let attempt = 1; ; attempt++) {
      const port = await openAny(['127.0.0.1', '::1'], this.#options.port, this.#open).catch(
        async (thrown: unknown) => {
          await closeAll(this.#servers);
          this.#servers = [];
          // A port that is free on one address may be in use on the other.
          if (this.#options.port === 0 && attempt < 10 && codeOf(thrown) === 'EADDRINUSE') return undefined;
          throw thrown;
        },
      );
      if (port !== undefined) return port;
    }
  }

  /** Rejects with EADDRINUSE where a program answers at the port already. Opens nothing. */
  async requireFree(): Promise<void> {
    if (this.#options.port === 0 || this.#options.shared) return;
    for (const address of probedAddresses(this.#host)) {
      if (await isAnswered(address, this.#options.port)) throw inUseError(address, this.#options.port);
    }
  }

  /**
   * Refuses new connections. Requests on open connections are still served; over HTTP/1.1 each closes after its next answer.
   * Resolves when the port is closed. Does nothing the second time.
   */
  async stopAccepting(): Promise<void> {
    this.#http.disableKeepAlive();
    this.#stopping ??= this.#accepting.end(this.#servers);
    await this.#stopping;
  }

  /**
   * Uses another certificate for new connections. Open connections, and whether TLS is used or client certificates are
   * requested, do not change.
   *
   * @throws the system's error for an unusable certificate or key; then nothing has changed
   */
  replaceCertificate(tls: ListenerTls): void {
    this.#secure?.replaceCertificate(tls);
  }

  /** Limits concurrent connections from now on; open ones stay. Undefined: unlimited. */
  limitConnections(maximum: number | undefined): void {
    this.#connections = maximum;
    for (const server of this.#servers) server.maxConnections = maximum ?? Number.POSITIVE_INFINITY;
  }

  /** Closes each HTTP/1.1 connection after its next answer. New connections are still accepted. */
  disableKeepAlive(): void {
    this.#http.disableKeepAlive();
  }

  /** Closes connections when they become idle. A request that crosses the end of its connection is lost. */
  closeWhenIdle(): void {
    this.#http.closeWhenIdle();
  }

  /** Whether a connection has sent nothing of a request yet, be it that its TLS handshake is not complete. */
  awaitsRequests(): boolean {
    if (this.#unidentified.size > 0 || this.#encrypted.size > this.#decrypted.size) return true;
    for (const { value: socket } of this.#decrypted) if (socket.bytesRead === 0) return true;
    return false;
  }

  /**
   * Stops accepting and waits until every connection is closed, at most `drainMs` milliseconds (default 10,000); then
   * destroys the rest. Event streams and HTTP/2 connections stay open until another part ends them.
   */
  async close({ drainMs = 10_000 }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#accepting.end(this.#servers);
    this.#http.closeWhenIdle();
    const { closed } = await this.#stopping;
    this.#destroySilent();
    const timer = setTimeout(() => {
      this.#http.closeAll();
      for (const list of [this.#sockets, this.#encrypted]) for (const { value: socket } of list) socket.destroy();
    }, drainMs);
    await closed;
    clearTimeout(timer);
    this.#http.close();
  }

  /** Destroys connections that have sent nothing of a request yet. */
  #destroySilent(): void {
    for (const { value: socket } of this.#unidentified) socket.destroy();
    const shaken = new Set([...this.#decrypted].map(({ value: socket }) => clientOf(socket)));
    for (const { value: socket } of this.#encrypted) if (!shaken.has(clientOf(socket))) socket.destroy();
    for (const { value: socket } of this.#decrypted) if (socket.bytesRead === 0) socket.destroy();
  }
}

const ignore = (): void => {};

/** The client's end of a connection, which is the same before and after a TLS handshake. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Keeps a connection in a list until it is closed. */
function track(list: LinkedList<Listed<Socket>>, socket: Socket): void {
  const listed = new Listed(socket);
  list.add(listed);
  socket.once('close', () => list.delete(listed));
}

/** Addresses of this machine at which a listener on a host answers. */
function probedAddresses(host: string): readonly string[] {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  if (host === '0.0.0.0') return ['127.0.0.1'];
  return host === '::' ? ['::1'] : [host];
}

/** Milliseconds to wait for a connection to this machine. */
const answerTimeout = 500;

/** Whether a program accepts connections at an address of this machine. */
async function isAnswered(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(answerTimeout) });
    // A connection to a free port may meet itself.
    return socket.localPort !== socket.remotePort || socket.localAddress !== socket.remoteAddress;
  } catch {
    return false;
  } finally {
    socket.on('error', ignore).destroy();
  }
}

/** The system's error for a port that is in use. */
const inUseError = (address: string, port: number): Error =>
  Object.assign(new Error(`listen EADDRINUSE: address already in use ${address}:${port}`), {
    code: 'EADDRINUSE',
    syscall: 'listen',
    address,
    port,
  });

const codeOf = (thrown: unknown): unknown => (thrown as NodeJS.ErrnoException | undefined)?.code;

/** Listens on the first address, then on the others with the same port. Addresses that the machine lacks are skipped. */
async function openAny(
  addresses: readonly string[],
  port: number,
  open: (address: string, port: number) => Promise<number>,
): Promise<number> {
  let bound: number | undefined;
  let failure: unknown;
  for (const address of addresses) {
    try {
      bound = await open(address, bound ?? port);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EADDRNOTAVAIL' && codeOf(thrown) !== 'EAFNOSUPPORT') throw thrown;
      failure = thrown;
    }
  }
  if (bound === undefined) throw failure;
  return bound;
}

/** Prefers HTTP/2 when a client offers both protocols: some clients of gRPC do. */
function createTls(tls: ListenerTls, handshakeTimeout: number, onSecure: (socket: TLSSocket) => void) {
  const { clientCa, certificateRequired = true } = tls;
  let authorities = authoritiesOf(tls);
  const server = createTlsServer(
    {
      ...contextOf(tls),
      ...(clientCa !== undefined && { requestCert: true, rejectUnauthorized: certificateRequired }),
      handshakeTimeout,
      ALPNCallback: ({ protocols }) => ['h2', 'http/1.1'].find((name) => protocols.includes(name)),
    },
    (socket) => {
      // Even where certificates are optional, an invalid one is refused.
      const invalid = clientCa !== undefined && !socket.authorized && socket.getPeerX509Certificate() !== undefined;
      if (invalid) {
        socket.destroy();
        return;
      }
      setAuthorities(socket, authorities);
      onSecure(socket);
    },
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    /** For new connections. */
    replaceCertificate(next: ListenerTls): void {
      server.setSecureContext(contextOf(next));
      authorities = authoritiesOf(next);
    },
  };
}

const authoritiesOf = ({ clientCa }: ListenerTls): readonly string[] =>
  clientCa === undefined ? [] : authoritiesIn(clientCa.toString());

/** The listener's certificate, and the authorities of client certificates. */
const contextOf = ({ cert, key, clientCa }: ListenerTls): Pick<TlsOptions, 'cert' | 'key' | 'ca'> => ({
  cert,
  key,
  ...(clientCa !== undefined && { ca: clientCa }),
});
