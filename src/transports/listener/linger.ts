import type { Socket } from 'node:net';

/** Milliseconds without a byte from the client after which a connection that lingers is closed. */
const silence = 5_000;
/** Milliseconds after which it is closed in any case. */
const longest = 30_000;

/**
 * Closes an HTTP/1.1 connection so that its client can read the last answer (RFC 9112 section 9.6): the server ends its own
 * direction, and discards the bytes that still arrive until the client ends its direction, too. A connection that is closed
 * while the client sends is reset, and the client, or the proxy in front of it, loses the answer.
 */
export function closeLingering(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  // Node's HTTP server destroys the connection at its timeout.
  socket.setTimeout(silence);
  const timer = setTimeout(() => socket.destroy(), longest).unref();
  socket.once('close', () => clearTimeout(timer));
}
