import type { Socket } from 'node:net';
import { steadyNow } from '../../core/model/timing.ts';
import { isEncrypted } from './client-certificate.ts';
import type { Watchdog } from './watchdog.ts';

/** HTTP/2 with prior knowledge begins with `PRI * HTTP/2.0`. No method of HTTP/1.1 begins with these three letters. */
const preface = Buffer.from('PRI');

export interface SniffOptions {
  readonly watchdog: Watchdog;
  /** Milliseconds for the first bytes. */
  readonly timeout: number;
  onHttp1(socket: Socket): void;
  onHttp2(socket: Socket): void;
  /** Called when the first bytes take too long. */
  onSilence(socket: Socket): void;
  /** Called once, when the connection is identified or over. */
  readonly onDone?: () => void;
}

/** Waits for the first bytes of a connection, and hands it to the server of its HTTP version. */
export function sniff(socket: Socket, options: SniffOptions): void {
  const { watchdog, timeout } = options;
  let received: Buffer | undefined;
  const due = steadyNow() + timeout;
  const unwatch = watchdog.watch((now) => {
    if (now < due) return;
    stop();
    if (received) socket.unshift(received);
    options.onSilence(socket);
  });
  const stop = () => {
    unwatch();
    options.onDone?.();
    socket.off('data', onData).off('error', ignore).off('end', onEnd).off('close', stop);
  };
  const onEnd = () => socket.destroy();
  const onData = (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    const length = Math.min(received.length, preface.length);
    const matches = preface.compare(received, 0, length, 0, length) === 0;
    if (matches && length < preface.length) return;
    stop();
    socket.pause();
    socket.unshift(received);
    if (matches) return options.onHttp2(socket);
    options.onHttp1(socket);
    socket.resume();
  };
  socket.on('data', onData).on('error', ignore).on('end', onEnd).on('close', stop);
}

/** Makes a socket one that HTTP/2 can be served on. */
export function forHttp2(socket: Socket): Socket {
  // HTTP/2 has its own way to end one direction.
  socket.allowHalfOpen = false;
  // Node refuses HTTP/2 over TLS without ALPN, but this client has sent the HTTP/2 preface.
  if (isEncrypted(socket)) socket.alpnProtocol = 'h2';
  return socket;
}

const ignore = (): void => {};
