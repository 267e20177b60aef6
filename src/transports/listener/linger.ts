import type { Socket } from 'node:net';

/** Milliseconds without a byte from the client after which a connection that lingers is closed. */
const silence = 5_000;
/** Milliseconds for which a client may go on sending after its last answer, or a body that is discarded. */
export const lingerTime = 30_000;

/** Connections that linger. */
const lingering = new WeakSet<Socket>();

/**
 * Closes an HTTP/1.1 connection so that its client can read the last answer (RFC 9112 section 9.6): the server ends its own
 * direction, and discards the bytes that still arrive until the client ends its direction, too. A connection that is closed
 * while the client sends is reset, and the client, or the proxy in front of it, loses the answer. A connection that lingers
 * already is left as it is.
 */
export function closeLingering(socket: Socket): void {
  if (socket.destroyed || lingering.has(socket)) return;
  lingering.add(socket);
  socket.end();
  // Node's HTTP server destroys the connection at its timeout.
  socket.setTimeout(silence);
  const timer = setTimeout(() => socket.destroy(), lingerTime).unref();
  socket.once('close', () => clearTimeout(timer));
}
