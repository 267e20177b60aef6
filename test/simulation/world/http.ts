import type { Server, ServerResponse } from 'node:http';
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  Http2Server,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

const require = createRequire(import.meta.url);

/** Makes Node's HTTP independent of real time, and of how its connections are made. */
export function installHttp(): void {
  leaveOutDates();
  closeInOrder();
  const http2 = require('node:http2') as typeof import('node:http2');
  const { connect, createServer } = http2;
  Object.assign(http2, {
    connect: (...given: Parameters<typeof connect>) => inOrder(connect(...given)),
    createServer: (...given: Parameters<typeof createServer>) => dated(createServer(...given)),
  });
  useVirtualTimersInUndici();
}

/** The `Date` of an answer over HTTP/1.1 is made of the real time. */
function leaveOutDates(): void {
  const { ServerResponse } = require('node:http') as { ServerResponse: { readonly prototype: ServerResponse } };
  Object.defineProperty(ServerResponse.prototype, 'sendDate', { get: () => false, set: () => undefined });
}

/** A server's list of its connections, which Node sorts by the real time and by addresses in memory. */
type Connections = Record<
  'idle' | 'all',
  () => { readonly socket: Socket & { readonly _httpMessage?: ServerResponse } }[]
>;

/** Servers close their connections in the order of the ports of their clients. */
function closeInOrder(): void {
  const { Server } = require('node:http') as { Server: { readonly prototype: Server } };
  const close = (which: 'idle' | 'all') =>
    function (this: Server): void {
      const symbol = Object.getOwnPropertySymbols(this).find((one) => one.description === 'http.server.connections');
      const connections = symbol && (this as unknown as Record<symbol, Connections | undefined>)[symbol];
      const sockets = connections?.[which]().map(({ socket }) => socket) ?? [];
      sockets.sort((one, other) => (one.remotePort ?? 0) - (other.remotePort ?? 0));
      for (const socket of sockets) {
        const isAnswering = which === 'idle' && socket._httpMessage && !socket._httpMessage.finished;
        if (!isAnswering) socket.destroy();
      }
    };
  Object.assign(Server.prototype, { closeIdleConnections: close('idle'), closeAllConnections: close('all') });
}

/** Answers of a server over HTTP/2 are dated by the virtual clock. */
function dated(server: Http2Server): Http2Server {
  let isPatched = false;
  server.prependListener('stream', (stream: ServerHttp2Stream) => {
    if (isPatched) return;
    isPatched = true;
    const prototype = Object.getPrototypeOf(stream) as ServerHttp2Stream;
    const { respond } = prototype;
    if (Object.hasOwn(respond, 'isDated')) return;
    const replaced = function (this: ServerHttp2Stream, headers: OutgoingHttpHeaders | string[] = {}, options = {}) {
      const date = new Date().toUTCString();
      const all = Array.isArray(headers) ? [...headers, 'date', date] : { date, ...headers };
      return respond.call(this, all as OutgoingHttpHeaders, options);
    };
    prototype.respond = Object.assign(replaced, { isDated: true });
  });
  return server;
}

/**
 * On a connection that is no socket of the system, Node hands out a body before the headers that came with it. Holds the body
 * back until the headers are read.
 */
function inOrder(session: ClientHttp2Session): ClientHttp2Session {
  const request = session.request.bind(session);
  session.request = (...given) => {
    const stream = request(...given);
    const { push, emit } = stream;
    let held: unknown[] | undefined = [];
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (!held) return push.call(stream, chunk, encoding);
      held.push(chunk);
      return true;
    };
    const replaced = (name: string, ...values: unknown[]): boolean => {
      const chunks = held ?? [];
      // A stream that fails has no headers to wait for.
      if (name === 'response' || name === 'error' || name === 'close') held = undefined;
      const heard = Reflect.apply(emit, stream, [name, ...values]) as boolean;
      if (name === 'response') for (const chunk of chunks) push.call(stream, chunk);
      return heard;
    };
    stream.emit = replaced as ClientHttp2Stream['emit'];
    return stream;
  };
  return session;
}

/** undici counts time with one timer of the process, which would belong to the host that made it. */
function useVirtualTimersInUndici(): void {
  const timers = require('undici/lib/util/timers.js') as Record<string, unknown>;
  Object.assign(timers, {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setFastTimeout: globalThis.setTimeout,
    clearFastTimeout: globalThis.clearTimeout,
  });
}
