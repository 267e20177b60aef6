import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { forHttp2, sniff } from './sniff.ts';
import { Watchdog } from './watchdog.ts';

/** Milliseconds for the first bytes of a connection. After them the server's own limits apply. */
const firstBytes = 10_000;

/**
 * Serves HTTP/2, and so gRPC, on the connections of another server, ahead of its own handling. HTTP/1.1 stays with the
 * server. Over TLS only connections that agree on `h2` are served, which the server's ALPN settings must allow.
 *
 * @param onHttp2 takes connections that use HTTP/2
 * @returns whether clients can use HTTP/2 there now
 */
export function serveHttp2On(server: Server | HttpsServer, onHttp2: (socket: Socket) => void): boolean {
  const isSecure = 'setSecureContext' in server;
  const event = isSecure ? 'secureConnection' : 'connection';
  // Other listeners, such as those that count connections, see all of them.
  const own = server.listeners(event).find(({ name }) => name === 'connectionListener');
  if (!own || (isSecure && !allowsHttp2(server))) return false;
  const watchdog = new Watchdog(1_000);
  const onHttp1 = (socket: Socket): void => void own.call(server, socket);
  const toHttp2 = (socket: Socket): void => onHttp2(forHttp2(socket));
  const options = { watchdog, timeout: firstBytes, onHttp1, onHttp2: toHttp2, onSilence: onHttp1 };
  server.removeListener(event, own as () => void);
  server.on(event, (socket: Socket | TLSSocket) => {
    const protocol = 'alpnProtocol' in socket ? socket.alpnProtocol : false;
    if (protocol === 'h2') toHttp2(socket);
    else if (protocol) onHttp1(socket);
    else sniff(socket, options);
  });
  return true;
}

/** Whether a TLS server may agree on HTTP/2. Its list is in the form of the protocol: each name after its length. */
function allowsHttp2(server: object): boolean {
  const { ALPNProtocols: list, ALPNCallback: choose } = server as Partial<Record<string, unknown>>;
  return typeof choose === 'function' || (list instanceof Uint8Array && Buffer.from(list).includes('\x02h2'));
}
